import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest'
import { ensureInbox } from '../../inbox/build.ts'
import { armed, type StorageState } from '../../inbox/test/browser-page.ts'
import { countersign } from '../cli/countersign.ts'
import { type RunningServer, runServer } from '../cli/running-server.ts'
import { borrowBrowser, giveBack } from '../support/browser.ts'

export interface Seat {
  readonly page: Page
  /** Errors of the page and of its security policy, and dialogs. */
  readonly problems: string[]
  close(): Promise<void>
}

export interface SeatOptions {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  /** The name it is opened by, where that is not the one in the link. */
  readonly host?: string
}

export interface RealInbox {
  readonly server: RunningServer
  readonly browser: Browser
  /** A page for one test, which fails if the page had problems. */
  seat(email: string, options?: SeatOptions): Promise<Page>
}

/** A real server with this policy, and a browser, for the tests of a file. */
export function realInbox(policy: string, flags: readonly string[] = []): RealInbox {
  let server: RunningServer
  let browser: Browser
  /** Following a link takes a process of its own, so each person does it once. */
  const followed = new Map<string, Followed>()

  beforeAll(async () => {
    await ensureInbox()
    server = await runServer(policy, flags)
    browser = await borrowBrowser()
  })

  afterAll(async () => {
    await giveBack(browser)
    await server?.remove()
  })

  return {
    get server() {
      return server
    },
    get browser() {
      return browser
    },
    async seat(email, options) {
      const known = options?.host === undefined ? followed.get(email) : undefined
      const { page, problems, close } = await takeSeat(browser, server, email, options, known)
      if (options?.host === undefined) followed.set(email, await keepSignIn(page))
      onTestFinished(async () => {
        await close()
        expect(problems).toEqual([])
      })
      return page
    },
  }
}

/** Where a person is signed in, and what their browser keeps of it. */
interface Followed {
  readonly origin: string
  readonly storageState: StorageState
}

async function keepSignIn(page: Page): Promise<Followed> {
  const { origin } = new URL(page.url())
  return { origin, storageState: await page.context().storageState() }
}

/** A sign-in that a test ended meanwhile is none. */
async function stillSignedIn(context: BrowserContext, known: Followed): Promise<boolean> {
  return (await context.request.get(`${known.origin}/v1/me`)).ok()
}

/** A link that signs this person in, once. */
async function linkFor(email: string, server: RunningServer): Promise<string> {
  const args = ['open', '--as', email, '--role', 'viewer', 'approver', 'admin']
  const { stdout: link, stderr } = await countersign(args, { cwd: server.cwd })
  if (!link.startsWith('http')) throw new Error(stderr)
  return link.trim()
}

/** The real inbox of a real server, as somebody who followed their link sees it. */
export async function takeSeat(
  browser: Browser,
  server: RunningServer,
  email: string,
  { width = 1280, height = 900, colorScheme = 'light', host }: SeatOptions = {},
  known?: Followed,
): Promise<Seat> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    ...(known ? { storageState: known.storageState } : {}),
  })
  const isSignedIn = known !== undefined && (await stillSignedIn(context, known))
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    // A refusal by the server is no error of the page, but browsers complain of it.
    const isOwn = !message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && isOwn) problems.push(message.text())
  })
  page.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  const url = new URL(isSignedIn ? known.origin : await linkFor(email, server))
  if (host !== undefined) url.hostname = host
  await page.goto(url.href)
  await page.getByRole('link', { name: 'History' }).first().waitFor()
  return { page, problems, close: () => context.close() }
}

/** Opens the card of a call, by the list. */
export async function openCard(page: Page, id: string): Promise<void> {
  await page.locator(`[data-row="${id}"]`).click()
  await page.locator(`[data-row="${id}"][aria-current]`).waitFor({ state: 'attached' })
}

/** Goes to a page of the inbox without loading it anew. The first card opens by itself, perhaps later. */
export async function goTo(page: Page, to: string): Promise<void> {
  const at = () => page.evaluate(() => location.pathname)
  // Only the list opens a card by itself, so only from there it may lead elsewhere again.
  const settles = /^\/(?:approvals\b.*)?$/.test(await at()) ? 250 : 0
  await expect
    .poll(
      async () => {
        if ((await at()) !== to) {
          await page.evaluate((path) => {
            history.pushState(null, '', path)
            dispatchEvent(new PopStateEvent('popstate'))
          }, to)
        }
        await page.waitForTimeout(settles)
        return at()
      },
      { timeout: 10_000 },
    )
    .toBe(to)
}

/** Reads to the end, as often as the page says that there is more. */
export async function readOn(page: Page): Promise<void> {
  const more = page.getByText('More below')
  // Before the card is here there is nothing below.
  await page.locator('[data-approve]').waitFor()
  await expect
    .poll(
      async () => {
        if ((await more.count()) === 0) return true
        await more.click({ timeout: 2_000 }).catch(() => {})
        return false
      },
      { timeout: 20_000, interval: 250 },
    )
    .toBe(true)
}

/** The one dangerous button, once it may be pressed. */
export async function readyButton(page: Page) {
  await armed(page)
  return page.locator('[data-approve]')
}

const IMPATIENT_MS = 1_500

/**
 * From now on the page gives up on a request after a moment, where it usually would after ten
 * seconds. What waits for people must not be among those requests.
 */
export async function makeImpatient(page: Page): Promise<void> {
  await page.evaluate((most) => {
    const usual = AbortSignal.timeout.bind(AbortSignal)
    AbortSignal.timeout = (ms) => usual(Math.min(ms, most))
  }, IMPATIENT_MS)
}

/** Longer than an impatient page waits for an answer. */
export const outwait = (page: Page) => page.waitForTimeout(IMPATIENT_MS + 500)
