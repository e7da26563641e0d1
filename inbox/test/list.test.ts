import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { seedPolicy } from '../dev/policy.ts'
import { seedPeople } from '../dev/seeds/admin.ts'
import { barriers, readToEnd, stoodStill } from './browser-page.ts'
import { type OpenOptions, seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

async function open(options: OpenOptions = {}): Promise<Page> {
  const page = await inbox.open('/', options)
  await page.locator('[data-row]').first().waitFor()
  return page
}

const id = (name: string) => inbox.server.id(name)
const row = (name: string) => `[data-row="${id(name)}"]`
const tools = (page: Page) => page.locator('[data-row] b').allInnerTexts()
const current = (page: Page) => page.locator('[data-row][aria-current]').getAttribute('data-row')

/** The card is read to its end, and its buttons work. */
async function readyToDecide(page: Page): Promise<void> {
  await readToEnd(page)
  await stoodStill(page)
}

test('the riskiest call comes first, and identical calls are one line', async () => {
  const page = await open()
  await expect
    .poll(() => tools(page))
    .toEqual(['update_record', 'transfer_money', 'Bash', 'send', 'update_contact', 'create_event'])
  await page.getByText('3 identical').waitFor()
  await expect.poll(() => page.title()).toBe('(9) Inbox · Countersign')
  await page.getByRole('button', { name: 'Others' }).click()
  await expect.poll(() => tools(page)).toEqual(['close_issue'])
})

test('no line of the list reaches under the card beside it', async () => {
  const page = await open()
  const card = await page.getByText('Computed by Countersign').boundingBox()
  for (const one of await page.locator('[data-row]').all()) {
    const box = await one.boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(card?.x ?? 0)
  }
})

test('J and K walk through the list, and never decide', async () => {
  const page = await open()
  await page.locator(`${row('record')}[aria-current]`).waitFor()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.locator(`${row('bash')}[aria-current]`).waitFor()
  await page.keyboard.press('k')
  await page.locator(`${row('transfer')}[aria-current]`).waitFor()
  expect(inbox.server.sent).toEqual([])
})

test('Ctrl K goes to pages and waiting calls by a few letters, and never decides', async () => {
  const page = await open()
  const palette = page.getByRole('dialog', { name: 'Go to a page or a call' })
  const openPalette = async () => {
    await page.keyboard.press('Control+k')
    await palette.locator('input:focus').waitFor()
  }
  // Quicker than the palette: these letters decide, and must not.
  await readyToDecide(page)
  await page.keyboard.press('Control+k')
  for (const key of ['a', 'd', 'a']) await page.keyboard.press(key)
  await palette.locator('input:focus').waitFor()
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  expect(await page.getByText('A reason is required').count()).toBe(0)
  await openPalette()
  await palette.getByRole('option', { name: 'History' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.keyboard.type('money')
  await palette.getByRole('option', { name: /transfer_money/ }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/approvals/${id('transfer')}`)
  await palette.waitFor({ state: 'detached' })

  await openPalette()
  await page.keyboard.type('dark')
  await page.keyboard.press('Enter')
  await page.locator('html[data-theme="dark"]').waitFor()
  await openPalette()
  await page.keyboard.type('peo')
  await page.keyboard.press('ArrowDown')
  await palette.locator('[aria-selected="true"]', { hasText: 'Search History' }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'People' }).waitFor()
  await openPalette()
  // Letters typed into it are not the letters that decide.
  await page.keyboard.type('a')
  await page.keyboard.press('Escape')
  await palette.waitFor({ state: 'detached' })
  expect(inbox.server.sent).toEqual([])
})

test('the search asks the server, and says when nothing matches', async () => {
  const page = await open()
  await page.keyboard.press('/')
  await page.keyboard.type('money')
  await page.waitForFunction(() => document.querySelectorAll('[data-row]').length === 1)
  expect(await tools(page)).toEqual(['transfer_money'])
  await page.keyboard.type('xyz')
  await page.getByText('No call matches.').waitFor()
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.querySelectorAll('[data-row]').length === 6)
})

test('letters can be turned off', async () => {
  const page = await open()
  await page.locator('[data-row][aria-current]').waitFor()
  await page.getByRole('button', { name: /Ana.*Settings/ }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Single-letter keys' }).click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('j')
  await page.waitForTimeout(200)
  expect(await current(page)).toBe(id('record'))
})

test('new calls do not move the list under the pointer', async () => {
  const page = await open()
  const held = page.locator(row('bash'))
  await held.hover()
  const before = await held.boundingBox()
  const record = { zone: 'example.com', name: 'www', value: '203.0.113.9' }
  inbox.server.ids.set(
    'new',
    await inbox.server.ask({ tool: 'update_record', server: 'dns', args: record }),
  )
  await page.getByRole('button', { name: '1 new, show' }).waitFor()
  expect((await held.boundingBox())?.y).toBe(before?.y)
  await page.mouse.move(1200, 300)
  await page.locator(row('new')).waitFor()
  const told = page.locator('[role="status"]', { hasText: '1 new call, 1 high risk' })
  await expect.poll(() => told.count()).toBe(1)
})

test('a call that somebody decides says so in its place, then leaves', async () => {
  const page = await open()
  // The person that the agent works for no longer needs it.
  const max = await inbox.server.person('max@example.com', { roles: ['viewer'] })
  await max.send('POST', `/v1/approvals/${id('contact')}/withdraw`)
  await page.locator(row('contact'), { hasText: 'Withdrawn' }).waitFor()
  await page.locator(row('contact')).waitFor({ state: 'detached', timeout: 8_000 })
})

test('a thousand calls stay quick', async () => {
  const page = await open({
    policy: `${seedPolicy()}limits: { pending_per_agent: 1000 }\n`,
    memory: true,
    ago: 60_000,
    async seed(server) {
      await seedPeople(server)
      for (let at = 0; at < 1_000; at += 1) {
        const call = { tool: `tool_${at}`, server: 'demo', args: { at } }
        server.ids.set(`call ${at}`, await server.ask(call))
        server.clock.advance(1)
      }
    },
  })
  await page.getByText('1,000 waiting').waitFor()
  expect(await page.locator('[data-row]').count()).toBeLessThan(40)
  await page.locator(`${row('call 0')}[aria-current]`).waitFor()
  const start = Date.now()
  for (let at = 0; at < 30; at += 1) await page.keyboard.press('j')
  await page.locator(`${row('call 30')}[aria-current]`).waitFor()
  expect(Date.now() - start).toBeLessThan(6_000)
  await page.locator('ul.relative').evaluate((list) => {
    if (list.parentElement) list.parentElement.scrollTop = list.scrollHeight
  })
  await page.locator(row('call 999')).waitFor()
}, 60_000)
