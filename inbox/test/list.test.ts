import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../test/support/browser.ts'
import { ensureInbox } from '../build.ts'
import { callOf } from '../dev/calls.ts'
import { type FakeOptions, type FakeServer, startFakeServer } from '../dev/fake-server.ts'
import { type OpenPage, openPage } from './browser-page.ts'

let browser: Browser
let folder: string
let server: FakeServer
let opened: OpenPage

beforeAll(async () => {
  folder = await ensureInbox()
  browser = await launchBrowser()
}, 60_000)
afterAll(() => browser?.close())
afterEach(async () => {
  await opened?.close()
  await server?.stop()
})

async function open(options: Partial<FakeOptions> = {}): Promise<Page> {
  server = await startFakeServer({ page: folder, signedIn: true, ...options })
  opened = await openPage(browser, server.url)
  await opened.page.locator('[data-row]').first().waitFor()
  return opened.page
}

const tools = (page: Page) => page.locator('[data-row] b').allInnerTexts()
const current = (page: Page) => page.locator('[data-row][aria-current]').getAttribute('data-row')

test('the riskiest call comes first, and identical calls are one line', async () => {
  const page = await open()
  expect(await tools(page)).toEqual([
    'update_record',
    'transfer_money',
    'Bash',
    'send',
    'update_contact',
    'create_event',
  ])
  await page.getByText('3 identical').waitFor()
  expect(await page.title()).toBe('(9) Inbox · Countersign')
  await page.getByRole('button', { name: 'Others' }).click()
  expect(await tools(page)).toEqual(['close_issue'])
})

test('no line of the list reaches under the card beside it', async () => {
  const page = await open()
  const card = await page.getByText('Computed by Countersign').boundingBox()
  for (const row of await page.locator('[data-row]').all()) {
    const box = await row.boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(card?.x ?? 0)
  }
})

test('J and K walk through the list, and never decide', async () => {
  const page = await open()
  await page.locator('[data-row][aria-current]').waitFor()
  expect(await current(page)).toBe('ap_8h41')
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.locator('[data-row="ap_5k0d"][aria-current]').waitFor()
  await page.keyboard.press('k')
  await page.locator('[data-row="ap_7q2m"][aria-current]').waitFor()
  expect(server.sent).toEqual([])
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
  expect(await current(page)).toBe('ap_8h41')
})

test('new calls do not move the list under the pointer', async () => {
  const page = await open()
  const row = page.locator('[data-row="ap_5k0d"]')
  await row.hover()
  const before = await row.boundingBox()
  server.add({ id: 'ap_new', tool: 'wire', risk: 'L5', args: {} })
  await page.getByRole('button', { name: '1 new, show' }).waitFor()
  expect((await row.boundingBox())?.y).toBe(before?.y)
  await page.mouse.move(1200, 300)
  await page.locator('[data-row="ap_new"]').waitFor()
  expect(
    await page.locator('[role="status"]', { hasText: '1 new call, 1 high risk' }).count(),
  ).toBe(1)
})

test('a call that somebody decides says so in its place, then leaves', async () => {
  const page = await open()
  server.change('ap_2c5e', { status: 'withdrawn', decidedAt: Date.now(), can: [] })
  await page.locator('[data-row="ap_2c5e"]', { hasText: 'Withdrawn' }).waitFor()
  await page.locator('[data-row="ap_2c5e"]').waitFor({ state: 'detached', timeout: 8_000 })
})

test('a thousand calls stay quick', async () => {
  const now = Date.now()
  const calls = Array.from({ length: 1_000 }, (_, at) =>
    callOf(
      { id: `ap_${at}`, tool: `tool_${at}`, risk: 'L2', args: { at }, left: 3_600_000 + at },
      now,
    ),
  )
  const page = await open({ calls })
  await page.getByText('1,000 waiting').waitFor()
  expect(await page.locator('[data-row]').count()).toBeLessThan(40)
  await page.locator('[data-row="ap_0"][aria-current]').waitFor()
  const start = Date.now()
  for (let at = 0; at < 30; at += 1) await page.keyboard.press('j')
  await page.locator('[data-row="ap_30"][aria-current]').waitFor()
  expect(Date.now() - start).toBeLessThan(6_000)
  await page.locator('ul.relative').evaluate((list) => {
    if (list.parentElement) list.parentElement.scrollTop = list.scrollHeight
  })
  await page.locator('[data-row="ap_999"]').waitFor()
})
