/** A page of the inbox in a real browser, at any address that speaks its contract. */
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { expect } from 'vitest'
import { violationsOf } from '../../test/support/axe.ts'

/** Cookies and local storage of a page that is signed in. */
export type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

export interface OpenPage {
  readonly page: Page
  /** Errors of the page and of its security policy. A refusal by the server is not one. */
  readonly problems: string[]
  readonly close: () => Promise<void>
}

export interface View {
  readonly width?: number
  readonly height?: number
  readonly colorScheme?: 'light' | 'dark'
  readonly storageState?: StorageState | undefined
  /** The language of the browser; American English unless set. */
  readonly locale?: string
}

export async function openPage(
  browser: Browser,
  address: string,
  view: View = {},
): Promise<OpenPage> {
  const { width = 1440, height = 900, colorScheme = 'light', storageState, locale } = view
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    ...(locale === undefined ? {} : { locale }),
    ...(storageState ? { storageState } : {}),
  })
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      problems.push(message.text())
    }
  })
  page.on('dialog', (dialog) => {
    problems.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(address)
  return { page, problems, close: () => context.close() }
}

/** Reads a card the way a person does: screen after screen, to its end. */
export async function readToEnd(page: Page, words = 'More below'): Promise<void> {
  const more = page.getByText(words)
  // A banner that comes late makes the card shorter: the end counts when it stays the end.
  for (let turn = 0, still = 0; turn < 60 && still < 3; turn += 1) {
    const isMore = (await more.count()) > 0
    still = isMore ? 0 : still + 1
    // What is fetched late can end the card before the click: the next look says what is left.
    if (isMore) await more.click({ timeout: 2_000 }).catch(() => {})
    await page.waitForTimeout(isMore ? 400 : 200)
  }
}

const READY = { timeout: 30_000, interval: 50 }

/** Waits until the one dangerous button may be pressed. */
export async function armed(page: Page): Promise<void> {
  const approve = page.locator('[data-approve]')
  await expect.poll(() => approve.getAttribute('aria-disabled'), READY).toBe('false')
}

/** Waits until the buttons have stood still long enough; whether all else allows a yes is not asked. */
export async function stoodStill(page: Page): Promise<void> {
  await page.locator('[data-approve]').waitFor()
  await expect.poll(() => page.locator('[data-arming]').count(), READY).toBe(0)
}

/** Every accessibility violation and overflow of the page, as text. */
export async function barriers(page: Page): Promise<string[]> {
  const violations = await violationsOf(page)
  const { wide, high, cut } = await page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement
    // Signed in, the page itself never scrolls: only what stands in its frame does.
    const isFramed = document.querySelector('nav[aria-label="Main"]') !== null
    // A frame clips what is wider than it, and content to the right of the screen is missed.
    const cut = [...document.querySelectorAll<HTMLElement>('.frame, .overflow-auto')]
      .map((frame) => frame.scrollWidth - frame.clientWidth)
      .filter((px) => px > 1)
    return { wide: scrollWidth - innerWidth, high: isFramed ? scrollHeight - innerHeight : 0, cut }
  })
  return [
    ...violations,
    ...(wide > 0 ? [`the page is ${wide} px too wide`] : []),
    ...(high > 0 ? [`the page scrolls ${high} px past its frame`] : []),
    ...cut.map((px) => `${px} px of what a frame holds are out of sight`),
  ]
}
