/**
 * Every page at four sizes in both themes: nothing too wide, cut off, blank or covered, and usable by
 * everyone as far as axe can tell.
 */
import { DatabaseSync } from 'node:sqlite'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { SMALL_POLICY } from '../dev/policy.ts'
import { ANA, type SeedServer } from '../dev/seed-server.ts'
import { seedPeople } from '../dev/seeds/admin.ts'
import { seedEverything } from '../dev/seeds/all.ts'
import { FORM_CALL } from '../dev/seeds/form.ts'
import { PREVIEW_CALL } from '../dev/seeds/preview.ts'
import { policyWithServers, seedTools } from '../dev/seeds/tools.ts'
import { VIEWS as SHAPES, seedViews } from '../dev/seeds/views.ts'
import { barriers, type View } from './browser-page.ts'
import { layoutFaults } from './layout-faults.ts'
import { type Shared, seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

interface Look extends Required<Pick<View, 'width' | 'height' | 'colorScheme'>> {
  /** Looking for barriers takes ten times as long: by `npm run proof views` in all looks. */
  readonly barriers: boolean
}

const isWhole = process.env.COUNTERSIGN_VIEWS === 'all'
const look = (width: number, height: number, colorScheme: 'light' | 'dark', barriers = isWhole) =>
  ({ width, height, colorScheme, barriers }) satisfies Look

const LOOKS: readonly Look[] = [
  look(1440, 900, 'light', true),
  look(1440, 900, 'dark'),
  look(820, 1180, 'dark'),
  look(820, 1180, 'light'),
  look(844, 390, 'light'),
  look(844, 390, 'dark'),
  look(320, 640, 'light'),
  look(320, 640, 'dark', true),
]

const FULL: Shared = {
  server: {
    policy: policyWithServers,
    push: [],
    async seed(server) {
      await seedEverything(server)
      await seedTools(server)
    },
  },
}
const NOTHING: Shared = { server: { seed: seedPeople } }
const NO_SERVER: Shared = { server: { seed: seedPeople, policy: SMALL_POLICY } }
const BROKEN: Shared = {
  server: {
    async seed(server) {
      await seedEverything(server)
      breakChain(server)
      await (await server.person(ANA)).send('POST', '/v1/audit/chain')
    },
  },
}
const SHAPED: Shared = {
  server: {
    ago: 0,
    async seed(server) {
      await seedPeople(server)
      await seedViews(server)
      server.ids.set('form', await server.ask(FORM_CALL))
      server.ids.set('preview', await server.ask(PREVIEW_CALL))
    },
  },
}

/** Changes one entry of the record, as a user with the database can. */
function breakChain({ database }: SeedServer): void {
  const db = new DatabaseSync(database)
  const triggers = db
    .prepare("select name from sqlite_schema where type = 'trigger' and tbl_name = 'events'")
    .all()
  for (const { name } of triggers) db.exec(`drop trigger ${name}`)
  db.exec('update events set body = replace(body, \'"at":1\', \'"at":2\') where seq = 2')
  db.close()
}

type Place = string | ((server: SeedServer) => string)
const cardOf = (name: string) => (server: SeedServer) => `/approvals/${server.id(name)}`

const PAGES: readonly (readonly [name: string, sign: string, at: Place, shared: Shared])[] = [
  ['inbox', '[data-row]', '/', FULL],
  ['nothing that waits', 'text=Nothing is waiting', '/', NOTHING],
  ['card with a long text', 'text=Computed by Countersign', cardOf('mail'), FULL],
  ['card of high risk', 'text=Computed by Countersign', cardOf('transfer'), FULL],
  ['card of critical risk', 'text=Computed by Countersign', cardOf('record'), FULL],
  ['card without an outcome', 'text=Its outcome is unknown', cardOf('unknown'), FULL],
  ['history', 'text=Invalidated', '/history', FULL],
  ['timeline', 'text=What was decided about', (s) => `/history/${s.id('succeeded')}`, FULL],
  ['insights', 'text=How people answer', '/insights', FULL],
  ['policy', 'text=Active rules', '/policy', FULL],
  ['rule builder', 'text=The rule', (s) => `/policy/rule/${s.id('transfer')}`, FULL],
  ['studio', 'h1:text("Studio")', '/studio', FULL],
  ['tools', 'text=run without asking', '/tools', FULL],
  ['tools of no server', 'text=No servers.', '/tools', NO_SERVER],
  ['audit', 'text=Signed in', '/audit', FULL],
  ['broken record', 'text=The chain is broken', '/audit', BROKEN],
  ['people', 'text=release-bot', '/people', FULL],
  ['people for a viewer', 'text=Admins add', '/people', { ...FULL, email: 'dee@example.com' }],
  ['grants', 'text=The exact rule', '/grants', FULL],
  ['locks', 'text=Scraper agent', '/locks', FULL],
  ['settings', 'h1:text("Settings")', '/settings', FULL],
  ['notifications', 'h1:text("Phone and notifications")', '/notifications', FULL],
  ['linked accounts', 'h1:text("Your linked accounts")', '/linked-accounts', FULL],
  ['passkeys', 'h1:text("Your passkeys")', '/passkeys', FULL],
  ['connect', 'h1:text("Connect an agent")', '/connect', FULL],
  ['chat', 'textarea', '/chat', FULL],
  ['terminal sign-in', 'h1:text("Sign in a terminal")', '/login', FULL],
  ['sign-in', 'text=Sign in to decide', '/', { ...FULL, signedOut: true }],
  ['card with a form', 'text=Computed by Countersign', cardOf('form'), SHAPED],
  ['card with a preview', 'text=Preview by the program', cardOf('preview'), SHAPED],
  ...Object.keys(SHAPES).map(
    (name) => [`card of ${name}`, '[data-block]', cardOf(name), SHAPED] as const,
  ),
]

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

/** Those where a first click opens a second step. */
const WAYS_BACK = ['Keep', 'Keep blocked', 'Go back']
const STEPS = ['/grants', '/locks', '/people', '/policy', '/tools', '/passkeys'] as const

test.each(STEPS)(
  '%s: a double click does nothing that a single one does not',
  async (at) => {
    const page = await inbox.look(at, FULL)
    const steps = page.getByRole('button', { name: '…' })
    const tried = new Set<string>()
    // The page that signs in has a heading too.
    await page.locator('nav[aria-label="Main"]').first().waitFor()
    await page.locator('h1').first().waitFor()
    await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {})
    for (let which = 0; which < (await steps.count()); which += 1) {
      const step = steps.nth(which)
      const before = await step.innerText()
      // Rows of a table have the same buttons, each with the name of its row after it.
      const [word = ''] = before.split('…')
      if (tried.has(word) || !(await step.isEnabled())) continue
      tried.add(word)
      await step.scrollIntoViewIfNeeded()
      const box = await step.boundingBox()
      if (box === null) continue
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
      await page.mouse.click(x, y)
      const under = await page.evaluate(
        ([x, y]) =>
          document
            .elementFromPoint(x, y)
            ?.closest<HTMLElement>('button:enabled:not([aria-disabled="true"]), a[href]')
            ?.innerText,
        [x, y] as const,
      )
      expect([undefined, before, ...WAYS_BACK], `after a click on ${before}`).toContain(under)
      await page.keyboard.press('Escape')
      await page.reload()
      // The page that signs in has a heading too.
      await page.locator('nav[aria-label="Main"]').first().waitFor()
      await page.locator('h1').first().waitFor()
      await page.waitForLoadState('networkidle', { timeout: 2_000 }).catch(() => {})
    }
  },
  60_000,
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
  })
  const said = (await layoutFaults(page)).map((text) => text.replace(/\d+ px/, 'N px'))
  for (const fault of [
    'the page is N px too wide',
    'p "much too long a text" is cut off by N px',
    'div "short" scrolls N px into nothing',
    'button "Deny" is covered by i ""',
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
