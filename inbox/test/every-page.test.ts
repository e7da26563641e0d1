/**
 * Every page at four sizes in both themes: nothing too wide, cut off, blank or covered, and usable by
 * everyone as far as axe can tell.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { barriers, type View } from './browser-page.ts'
import { FULL, PAGES } from './every-page.ts'
import { layoutFaults } from './layout-faults.ts'
import { movedControls } from './moved-controls.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

interface Look extends Required<Pick<View, 'width' | 'height' | 'colorScheme'>> {
  /** Looking for barriers takes ten times as long: by `npm run proof views` in all looks. */
  readonly barriers: boolean
}

const isWhole = process.env.COUNTERSIGN_VIEWS === 'all'
const look = (width: number, height: number, colorScheme: 'light' | 'dark', barriers = isWhole) =>
  ({ width, height, colorScheme, barriers }) satisfies Look

/** A sample: each size once. The themes differ in their colours, which the two with axe look at. */
const SAMPLE: readonly Look[] = [
  look(1440, 900, 'light', true),
  look(820, 1180, 'dark'),
  look(844, 390, 'light'),
  look(320, 640, 'dark', true),
]

const SIZES = [
  [1440, 900],
  [1024, 768],
  [820, 1180],
  [390, 844],
  [844, 390],
  [320, 640],
] as const

const LOOKS: readonly Look[] = isWhole
  ? SIZES.flatMap(([width, height]) => [look(width, height, 'light'), look(width, height, 'dark')])
  : SAMPLE

async function faultsOf(page: Page): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  for (const { width, height, colorScheme, barriers: isSlow } of LOOKS) {
    await page.setViewportSize({ width, height })
    await page.emulateMedia({ colorScheme })
    // Two frames: lists that follow the size of the window measure once more.
    await page.evaluate(
      () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
    )
    const faults = [...(await layoutFaults(page)), ...(isSlow ? await barriers(page) : [])]
    if (faults.length > 0) found[`${width}x${height} ${colorScheme}`] = faults
  }
  return found
}

test.each(PAGES)(
  '%s: whole and usable at every size in both themes',
  async (_, sign, at, shared) => {
    const page = await inbox.look(at, shared)
    await page.locator(sign).first().waitFor()
    expect(await faultsOf(page)).toEqual({})
    expect(await page.locator('main p[role="alert"]').allInnerTexts()).toEqual([])
    expect(inbox.opened.problems).toEqual([])
  },
  120_000,
)

test('several calls together: whole and usable at every size in both themes', async () => {
  const page = await inbox.look('/', FULL)
  await page.locator('[data-row]').first().waitFor()
  for (const box of (await page.locator('[data-row] ~ label input').all()).slice(2, 4)) {
    await box.check()
  }
  await page.getByText('calls shown in full').waitFor()
  expect(await faultsOf(page)).toEqual({})
}, 120_000)

const PHONE = { width: 390, height: 844 }
const boxOf = async (page: Page, selector: string) => {
  const box = await page.locator(selector).first().boundingBox()
  if (box === null) throw new Error(`${selector} is not shown`)
  return box
}

test('a timeline has its title in whole lines, and its outcome as wide as the page', async () => {
  const page = await inbox.look((s) => `/history/${s.id('succeeded')}`, FULL, PHONE)
  await page.getByText('billing-bot, over HTTP').waitFor()
  expect((await boxOf(page, 'h1')).height).toBeLessThan(64)
  for (const width of [1440, 1024]) {
    await page.setViewportSize({ width, height: 900 })
    const apart = async () => {
      const head = await boxOf(page, 'main header')
      return Math.abs(head.width - (await boxOf(page, '[aria-label="Outcome"]')).width)
    }
    await expect.poll(apart).toBeLessThan(4)
  }
  // Each line begins where the step before it is.
  const gaps = await page.locator('[aria-label="Outcome"] ol li').evaluateAll((steps) =>
    steps.slice(1).map((step, at) => {
      const before = steps[at]?.getBoundingClientRect()
      return Math.abs(step.getBoundingClientRect().left - (before?.right ?? 0))
    }),
  )
  expect(Math.max(...gaps)).toBeLessThan(2)
})

test('the record says what was done to what, and is narrowed to a time', async () => {
  const page = await inbox.look('/audit', FULL)
  const entry = (type: string) => page.locator(`[data-entry="${type}"] b`).first()
  await entry('person.removed').waitFor()
  expect(await entry('person.removed').innerText()).toBe('A person was removed: eve@example.com')
  expect(await entry('grant.minted').innerText()).toBe(
    'A grant was made: refund, agent Refund agent',
  )
  expect(await entry('approved').innerText()).toMatch(/^Approved · \w/)
  await page.getByLabel('When it happened').selectOption('dates')
  await page.getByLabel('To', { exact: true }).fill('2001-01-01')
  await page.getByText('No entry matches.').waitFor()
  await page.getByRole('button', { name: 'Clear the filters' }).click()
  await entry('person.removed').waitFor()
})

test('on a phone, events and entries have their time beside them, and each day is said once', async () => {
  const page = await inbox.look('/audit', FULL, PHONE)
  const entry = page.locator('[data-entry="session.started"]').first()
  await entry.waitFor()
  const button = entry.getByRole('button')
  expect((await button.boundingBox())?.height).toBeLessThan(60)
  expect(await button.innerText()).toContain('Ana, signed in')
  const days = await page
    .getByRole('list', { name: 'Entries' })
    .getByRole('heading')
    .allInnerTexts()
  expect(days.length).toBeGreaterThan(0)
  expect(new Set(days).size).toBe(days.length)

  await page.goto(`${new URL(page.url()).origin}/history`)
  await page.locator('tbody a', { hasText: 'transfer_money' }).first().click()
  const event = page.locator('main ol li', { hasText: 'Claimed: the call starts' }).last()
  await event.waitFor()
  expect((await event.boundingBox())?.height).toBeLessThan(60)
})

test('grants are counted by how they stand, and people who are away say who stands in', async () => {
  const page = await inbox.look('/grants', FULL)
  await page.getByRole('button', { name: 'Active 1' }).waitFor()
  await page.getByText('24 of 400').waitFor()
  await page.getByRole('button', { name: 'Void 0' }).click()
  await page.getByText('None is void.').waitFor()
  await page.getByRole('link', { name: 'People' }).first().click()
  const bo = page.locator('[data-person]', { hasText: 'bo@example.com' })
  await bo.getByText(/^Away until .*; Ana stands in$/).waitFor()
})

test('a changed tool takes one line of a phone, and of its inbox alone', async () => {
  const page = await inbox.look('/', FULL, PHONE)
  const banner = page.getByRole('status').filter({ hasText: 'files/edit_file changed.' })
  await banner.waitFor()
  expect((await banner.boundingBox())?.height).toBeLessThan(45)
  await page.getByRole('link', { name: 'History' }).click()
  await page.getByRole('heading', { name: 'History' }).waitFor()
  await banner.waitFor({ state: 'hidden' })
  await page.setViewportSize({ width: 1024, height: 768 })
  await banner.waitFor()
})

test('insights name rules as people do, in rows that end before the frame', async () => {
  const page = await inbox.look('/insights', FULL)
  const rules = page.getByRole('region', { name: 'Rules that ask most' })
  await rules.waitFor()
  await expect.poll(() => rules.getByRole('rowheader').count()).toBe(5)
  const names = await rules.getByRole('rowheader').allInnerTexts()
  expect(names.filter((name) => /\.approval|^tools\./.test(name))).toEqual([])
  await rules.getByRole('button', { name: 'All' }).click()
  await expect.poll(() => rules.getByRole('rowheader').count()).toBeGreaterThan(5)
  const [days, hours] = await page.locator('figure').all()
  expect((await days?.boundingBox())?.height).toBe((await hours?.boundingBox())?.height)
  await page.setViewportSize(PHONE)
  const ends = () =>
    rules.locator('tbody tr').evaluateAll((rows) =>
      rows.map((row) => {
        const last = [...row.children].findLast((cell) => cell.checkVisibility())
        return last && Number.parseFloat(getComputedStyle(last).paddingRight)
      }),
    )
  await expect.poll(async () => new Set(await ends())).toEqual(new Set([16]))
})

test('history and people are tables on a tablet, and history begins with its rows on a phone', async () => {
  const page = await inbox.look('/history', FULL, { width: 1024, height: 768 })
  const row = page.locator('tbody tr', { hasText: 'mail/send' }).first()
  await row.waitFor()
  expect(await page.getByRole('columnheader', { name: 'Outcome' }).isVisible()).toBe(true)
  expect((await row.boundingBox())?.height).toBeLessThan(90)
  await row.getByText('billing-bot').filter({ visible: true }).waitFor()
  await page.setViewportSize(PHONE)
  await page.getByLabel('Risk').waitFor({ state: 'hidden' })
  await expect.poll(async () => (await boxOf(page, 'tbody tr')).y).toBeLessThan(460)
  await page.getByRole('button', { name: 'Filters' }).click()
  await page.getByLabel('Risk').waitFor()

  await page.setViewportSize({ width: 1024, height: 768 })
  await page.getByRole('link', { name: 'People' }).first().click()
  const person = page.locator('[data-person]', { hasText: 'Cy' })
  await person.waitFor()
  expect((await person.boundingBox())?.height).toBeLessThan(70)
  const roles = person.getByRole('button', { name: 'Roles' })
  await roles.waitFor({ state: 'hidden' })
  await person.getByRole('button', { name: 'What can be done about Cy' }).click()
  await roles.waitFor()
})

test('the rail counts what the reader can decide, and has no page that the server has not', async () => {
  const page = await inbox.look('/', FULL)
  const mine = page.getByRole('button', { name: /^Needs you/ }).filter({ hasText: /\d/ })
  const count = /\d+/.exec(await mine.innerText())?.[0]
  const rail = page.getByRole('navigation', { name: 'Main' }).first()
  await rail
    .getByRole('link', { name: /^Inbox/ })
    .getByText(`${count}`)
    .waitFor()
  expect(count).not.toBe(
    /\d+/.exec(
      await page
        .getByText(/^\d+ waiting$/)
        .last()
        .innerText(),
    )?.[0],
  )
  expect(await rail.getByRole('link', { name: 'Studio' }).count()).toBe(0)
})

test('rules are found by a word, and what explains them stays beside them', async () => {
  const page = await inbox.look('/policy', FULL)
  const rules = page.getByRole('region', { name: /^Active rules/ })
  await rules.waitFor()
  await rules.getByRole('listitem').last().scrollIntoViewIfNeeded()
  const explain = page.getByRole('heading', { name: 'Explain a call' })
  expect((await explain.boundingBox())?.y).toBeGreaterThan(0)
  await page.getByLabel('Find a rule').fill('DNS-needs')
  await expect.poll(() => rules.getByRole('listitem').count()).toBe(1)
  await page.getByLabel('Find a rule').fill('nothing of the kind')
  await rules.getByText('No rule matches.').waitFor()
})

/** Where a first click opens a second step, at the size of a desk; by `npm run proof views` everywhere. */
const STEPS = ['grants', 'locks', 'people', 'policy', 'tools', 'passkeys', 'card of high risk']
const STEPPED = PAGES.filter(([name]) => isWhole || STEPS.includes(name))
const STEP_SIZES: readonly View[] = isWhole
  ? SIZES.map(([width, height]) => ({ width, height }))
  : [{ width: 1440, height: 900 }]

test.each(STEPPED)(
  '%s: a double click does nothing that a single one does not',
  async (_, sign, at, shared) => {
    for (const view of STEP_SIZES) {
      const page = await inbox.look(at, shared, view)
      const ready = async () => {
        await page.locator(sign).first().waitFor()
        await page.waitForLoadState('networkidle', { timeout: 1_000 }).catch(() => {})
      }
      expect(await movedControls(page, ready)).toEqual([])
      await inbox.close()
    }
  },
  isWhole ? 300_000 : 90_000,
)

test('each kind of fault is found where there is one', async () => {
  const page = await inbox.look('/', { ...FULL, signedOut: true })
  await page.getByRole('heading', { name: 'Sign in to decide' }).waitFor()
  expect(await layoutFaults(page)).toEqual([])
  await page.evaluate(() => {
    const add = (to: Element | null, kind: string, look: string, text = '') => {
      const element = document.createElement(kind)
      element.style.cssText = look
      element.textContent = text
      to?.append(element)
      return element
    }
    const main = document.querySelector('main')
    add(main, 'p', 'width: 3000px', 'far')
    add(main, 'p', 'width: 30px; overflow: hidden; white-space: nowrap', 'much too long a text')
    const box = add(main, 'div', 'height: 90px; overflow: auto; position: relative')
    add(box, 'p', '', 'short')
    box.style.paddingBottom = '900px'
    const covered = add(main, 'div', 'position: fixed; top: 0; left: 0')
    add(covered, 'button', '', 'Deny')
    add(covered, 'i', 'position: absolute; inset: 0')
    const beside = add(main, 'div', 'position: fixed; top: 60px; left: 0')
    add(beside, 'button', 'position: absolute; width: 90px; height: 30px', 'Approve')
    add(beside, 'button', 'position: absolute; left: 80px; width: 90px; height: 30px', 'Grant')
    add(add(main, 'select', 'width: 24px'), 'option', '', 'Everything')
  })
  const said = (await layoutFaults(page)).map((text) => text.replace(/\d+ px/, 'N px'))
  for (const fault of [
    'the page is N px too wide',
    'p "much too long a text" is cut off by N px',
    'div "short" scrolls N px into nothing',
    'button "Deny" is covered by i ""',
    'button "Approve" is covered by button "Grant"',
    'select "Everything" has N px for its text',
  ]) {
    expect(said).toContain(fault)
  }
})

test('what a reader cannot use is found, element by element', async () => {
  const page = await inbox.look('/', { ...FULL, signedOut: true })
  await page.getByRole('heading', { name: 'Sign in to decide' }).waitFor()
  expect(await barriers(page)).toEqual([])
  await page.evaluate(() => {
    const faint = document.createElement('p')
    faint.textContent = 'Hardly there'
    faint.style.color = '#ddd'
    const wide = document.createElement('div')
    wide.style.width = '3000px'
    wide.textContent = '.'
    document.querySelector('main')?.append(document.createElement('button'), faint, wide)
  })
  const found = (await barriers(page)).map((text) => text.replace(/[:\d].*/, '').trim())
  expect(found).toEqual(expect.arrayContaining(['button-name', 'color-contrast', 'the page is']))
})
