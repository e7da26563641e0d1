/** The pages in German, in a real browser: whole, without an English word of ours, and able to decide. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { inEnglish } from '../../src/base/tell.ts'
import { promise } from '../../test/support/promise.ts'
import { seedEverything } from '../dev/seeds/all.ts'
import { REFUSALS } from '../src/lib/language/foreign.ts'
import { barriers, readToEnd } from './browser-page.ts'
import { PAGES } from './every-page.ts'
import { layoutFaults } from './layout-faults.ts'
import { seededInbox } from './seeded-inbox.ts'

const inbox = seededInbox()

const GERMAN: Readonly<Record<string, string | Record<string, string>>> = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../src/lib/language/catalogues/de.json'), 'utf8'),
)

/** What a message is in German; the message itself where it is none of ours. */
const de = (text: string): string => {
  const entry = GERMAN[text]
  return typeof entry === 'string' ? entry : text
}

/** What shows that a page is there, in German: its words are a message, or begin one. */
function signIn(sign: string): string {
  return sign.replace(/(?<=^text=).+|(?<=:text\(").+(?="\))/, (words) => {
    const texts = Object.keys(GERMAN)
    const message =
      texts.find((text) => text === words) ??
      texts.find((text) => text.startsWith(words)) ??
      texts.find((text) => text.includes(words))
    return message === undefined ? words : (de(message).split('{')[0]?.trim() ?? '')
  })
}

const wordsIn = (text: string) =>
  (text.replaceAll(/\{\w+\}/g, ' ').match(/\p{L}{3,}/gu) ?? []).length

/** Single words may be a label of a form or a word of the policy; these are ours alone. */
const OWN_WORDS = ['Approve', 'Deny', 'Settings', 'History', 'Grants', 'Arguments', 'Reason']

const isTelling = (text: string) =>
  wordsIn(text) > (text.includes('{') ? 2 : 1) || OWN_WORDS.includes(text)

/** Messages that would not be German if they stood on a page, each as an exact pattern. */
const ENGLISH = Object.entries(GERMAN)
  .filter(([text, german]) => text !== german)
  .filter(([text]) => isTelling(text))
  .map(([text]) => {
    const parts = text.split(/\{\w+\}/).map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    return new RegExp(`^${parts.join('.+')}$`, 'su')
  })

/** All that is read or heard, but for what comes from calls, policies, people and code. */
async function textsOf(page: Page): Promise<readonly string[]> {
  return page.evaluate(() => {
    const FOREIGN =
      'code, pre, textarea, .from-call, .claimed, [data-argument], [data-raw], [data-value], [data-block], blockquote, [lang="en"]'
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) {
      const parent = walker.currentNode.parentElement
      if (parent?.closest(FOREIGN) === null) found.push(walker.currentNode.textContent ?? '')
    }
    for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
      for (const element of document.body.querySelectorAll(`[${name}]`)) {
        found.push(element.getAttribute(name) ?? '')
      }
    }
    return found.map((text) => text.trim()).filter((text) => text !== '')
  })
}

const englishIn = async (page: Page): Promise<readonly string[]> =>
  (await textsOf(page)).filter((text) => ENGLISH.some((pattern) => pattern.test(text)))

const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

/** Looking for barriers takes ten times as long; these hold every kind of control. */
const WITH_BARRIERS = ['card of high risk', 'history', 'settings']

promise(
  ['CS-INBOX-45'],
  'every page is whole in German at phone and desktop, and has no English word of ours',
  async () => {
    const found: Record<string, readonly string[]> = {}
    const pages = PAGES.filter(([name]) => !name.startsWith('card of ') || name.endsWith('risk'))
    for (const [name, sign, at, shared] of pages) {
      const page = await inbox.look(at, shared, { locale: 'de-DE', ...SIZES[0] })
      await page.locator(signIn(sign)).first().waitFor()
      expect(await page.locator('html').getAttribute('lang')).toBe('de')
      const faults: string[] = [...(await englishIn(page))]
      if (WITH_BARRIERS.includes(name)) faults.push(...(await barriers(page)))
      for (const size of SIZES) {
        await page.setViewportSize(size)
        await page.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        )
        faults.push(...(await layoutFaults(page)).map((fault) => `${size.width}: ${fault}`))
      }
      faults.push(...inbox.opened.problems)
      if (faults.length > 0) found[name] = [...new Set(faults)]
      await inbox.close()
    }
    expect(found).toEqual({})
  },
  180_000,
)

promise(
  ['CS-INBOX-45'],
  'the language changes without a reload, stays chosen, and the page says which it is',
  async () => {
    const page = await inbox.open('/settings')
    const html = page.locator('html')
    expect(await html.getAttribute('lang')).toBe('en')
    await page.evaluate(() => Object.assign(window, { sameDocument: true }))
    await page.getByLabel('Language').selectOption('Deutsch')
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
    expect(await html.getAttribute('lang')).toBe('de')
    expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true)
    expect(await englishIn(page)).toEqual([])
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'Einstellungen' }).waitFor()
    await page.getByLabel('Sprache').selectOption('English')
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor()
    expect(await html.getAttribute('lang')).toBe('en')
    expect(inbox.opened.problems).toEqual([])
  },
)

promise(
  ['CS-INBOX-46'],
  'why a person may not decide, what a rule asks and why an act was refused are in German',
  async () => {
    const server = await inbox.start({ seed: seedEverything })
    const card = `/approvals/${server.id('transfer')}`
    const page = await inbox.open(card, {}, { locale: 'de-DE' })
    await page.getByText('ist über 10.000').first().waitFor()
    await page.getByText('Gruppe chiefs').waitFor()
    expect(await page.locator('main').innerText()).not.toContain('is over')

    await inbox.opened.close()
    const stranger = { email: 'dee@example.com' }
    const other = await inbox.open(`/approvals/${server.id('mail')}`, stranger, { locale: 'de-DE' })
    await other.getByText(de('You are not among the people who are asked.')).first().waitFor()

    await inbox.opened.close()
    const invited = await inbox.open('/#invite=none', { signedOut: true }, { locale: 'de-DE' })
    const refused = await invited.getByRole('alert').innerText()
    const [, known = ''] = de('{error} Ask the admin who invited you for another link.').split('}')
    expect(refused.endsWith(known)).toBe(true)
    const meanings = [...REFUSALS.values()].map((text) => de(text(inEnglish)))
    expect(meanings).toContain(refused.slice(0, -known.length))
  },
  60_000,
)

promise(
  ['CS-INBOX-45'],
  'a call is decided wholly in German, and what comes from the call stays as it came',
  async () => {
    const server = await inbox.start()
    const page = await inbox.open(`/approvals/${server.id('mail')}`, {}, { locale: 'de-DE' })
    await page.getByRole('heading', { name: de('Computed by Countersign') }).waitFor()
    const { tool } = await server.card(server.id('mail'))
    await page.getByText(tool, { exact: true }).first().waitFor()
    await readToEnd(page, de('More below. Approve unlocks at the end.'))
    await page.getByRole('button', { name: de('I did not expect this') }).click()
    await page.getByRole('button', { name: /^Ablehnen/ }).click()
    await page.getByText(/^Abgelehnt durch Sie\./).waitFor()
    expect(await englishIn(page)).toEqual([])
    const { decisions } = await server.card(server.id('mail'))
    expect(decisions).toMatchObject([{ verdict: 'deny', reason: de('I did not expect this') }])
    expect(inbox.opened.problems).toEqual([])
  },
  60_000,
)
