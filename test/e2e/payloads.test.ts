import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import type { ApprovalCard } from '../../src/api/approval.ts'
import { PLAIN } from '../../src/cli/print/colour.ts'
import { cardLines } from '../../src/cli/print/show-approval.ts'
import { bodyLines } from '../../src/cli/terminal/state.ts'
import { countersign } from '../cli/countersign.ts'
import {
  BROWSER_MARKS,
  PAYLOADS,
  TERMINAL_MARKS,
  UNSEEN,
  unmarked,
} from '../corpus-payloads/payloads.ts'
import { promise } from '../support/promise.ts'
import { goTo, realInbox, takeSeat } from './real-inbox.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const TEXTS = PAYLOADS.map(({ text }) => text)
const NAMED = Object.fromEntries(TEXTS.map((text, at) => [`p${at}`, text]))
const TEMPLATE = Object.keys(NAMED)
  .map((name) => `{{tool_args.${name}}}`)
  .join(' ')

const POLICY = `version: 1
limits: { pending_per_agent: 10000 }
people: { groups: { two: [ana@example.com, bo@example.com] } }
tools:
  values: { approval: { message_template: "${TEMPLATE}", approvers: ["*"] } }
  keys: { approval: { approvers: ["*"] } }
  changed: { approval: { quorum: [{ group: two, n: 2 }], edit: true } }
  denied: { approval: { approvers: ["*"] } }
`

const inbox = realInbox(POLICY)

/** What each argument row of the open card says, with marks and drawn spaces put back. */
async function shownArguments(page: Page): Promise<{ key: string; value: string }[]> {
  const rows = await page.locator('[data-argument]').evaluateAll((elements) => {
    const read = (node: Node): string => {
      if (!(node instanceof HTMLElement)) return node.textContent ?? ''
      if (node.matches('.select-none, [aria-hidden=true]')) return ''
      if (node.matches('.edge-space')) return ' '.repeat([...(node.textContent ?? '')].length)
      return [...node.childNodes].map(read).join('')
    }
    return elements.map((element) => {
      const [key, value] = element.children
      const lines = [...(value?.querySelectorAll('[data-line]') ?? [])].map(read)
      const text = value?.querySelector('[data-text]')
      return {
        key: key ? read(key) : '',
        value: lines.length > 0 ? lines.join('\n') : text ? read(text) : '',
      }
    })
  })
  return rows.map(({ key, value }) => ({
    key: unmarked(key, BROWSER_MARKS),
    value: unmarked(value, BROWSER_MARKS),
  }))
}

/** Everything that would have happened if any of it had been more than text. */
async function watched(page: Page) {
  const harm: string[] = []
  const own = new URL(page.url()).host
  page.on('request', (request) => {
    if (new URL(request.url()).host !== own) harm.push(`asked for ${request.url()}`)
  })
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) harm.push(`a frame: ${frame.url()}`)
  })
  await page.exposeFunction('canary', () => harm.push('a script ran'))
  await page.exposeFunction('violated', (what: string) => harm.push(`forbidden: ${what}`))
  await page.evaluate(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      const { violated } = window as unknown as { violated: (what: string) => void }
      violated(`${violatedDirective} ${blockedURI}`)
    })
  })
  return harm
}

async function cardOf(id: string): Promise<ApprovalCard> {
  const { stdout } = await countersign(['show', id, '--json'], { cwd: inbox.server.cwd })
  return JSON.parse(stdout) as ApprovalCard
}

promise(
  ['CS-INBOX-7'],
  'hostile text in every field of a card runs nothing, and reads as the bytes that are bound',
  async () => {
    expect(PAYLOADS.length).toBeGreaterThanOrEqual(150)
    const says = TEXTS.join('\n')
    const context = { says, links: TEXTS.filter((text) => text !== '').slice(0, 40) }
    const values = await inbox.server.ask({ tool: 'values', args: NAMED, context })
    const byKey = Object.fromEntries(TEXTS.map((text, at) => [text, at]))
    const keys = await inbox.server.ask({ tool: 'keys', args: byKey })
    const changed = await inbox.server.ask({ tool: 'changed', args: { p0: 'as asked' } })
    const servers = TEXTS.filter((text) => text !== '' && text.length <= 200)
    await Promise.all(
      servers.map((text) =>
        inbox.server
          .ask({ server: text, tool: 'any', run: text, args: { text } })
          .catch(() => undefined),
      ),
    )
    const denied = await Promise.all(
      chunks(TEXTS, 1_900).map(async (reason) => ({
        ...(await inbox.server.ask({ tool: 'denied', args: { reason } })),
        reason,
      })),
    )
    const { page, problems, close } = await takeSeat(
      inbox.browser,
      inbox.server,
      'img/src=x@example.com',
    )
    const harm = await watched(page)
    const ana = await takeSeat(inbox.browser, inbox.server, 'ana@example.com')
    const { digest } = changed
    await decide(ana.page, changed.id, { verdict: 'approve', digest, edit: { arguments: NAMED } })
    for (const { id, digest: shown, reason } of denied) {
      await decide(page, id, { verdict: 'deny', digest: shown, reason, answer: reason })
    }
    await ana.close()

    await goTo(page, `/approvals/${values.id}`)
    await page.locator('[data-argument]').first().waitFor()
    // Blank lines are counted instead of drawn, and open with a click.
    const gaps = page.locator('[data-argument] button', { hasText: 'blank lines]' })
    while ((await gaps.count()) > 0) await gaps.first().click()
    const shown = await shownArguments(page)
    const real = Object.entries(NAMED).sort(([a], [b]) => (a < b ? -1 : 1))
    expect(shown.length).toBe(real.length)
    const masked = new Set((await cardOf(values.id)).masked.map(([name]) => name))
    expect(masked.size).toBeLessThan(10)
    for (const [at, [key, value]] of real.entries()) {
      if (masked.has(key)) continue
      expect(shown[at]).toEqual({ key, value })
    }
    await page.keyboard.press('t')
    const raw = await page.locator('[data-raw]').innerText()
    expect(UNSEEN.test(raw)).toBe(false)
    expect(JSON.parse(unmarked(raw, BROWSER_MARKS))).toEqual(
      JSON.parse((await cardOf(values.id)).arguments),
    )

    await goTo(page, `/approvals/${keys.id}`)
    await expect.poll(() => page.locator('[data-argument]').count()).toBe(TEXTS.length)
    const keysShown = (await shownArguments(page)).map(({ key }) => key)
    expect(new Set(keysShown)).toEqual(new Set(TEXTS))

    await goTo(page, `/approvals/${changed.id}`)
    await page.getByText('changed by an approver').first().waitFor()

    // Every line of the list passes by.
    for (let top = 0; top < servers.length * 80; top += 600) {
      await page
        .locator('ul:has(> li[aria-posinset])')
        .evaluate((list, to) => list.parentElement?.scrollTo(0, to), top)
    }
    // What was denied, with reasons and answers, and who did it.
    await page.getByRole('link', { name: 'History' }).first().click()
    await page.getByText('denied').first().waitFor()
    for (const { id } of denied) {
      await goTo(page, `/history/${id}`)
      await page.getByText('img/src=x').first().waitFor()
    }
    expect(harm).toEqual([])
    expect(problems).toEqual([])

    // The watch is awake: the same text as markup is noticed.
    const markup = '<img src=x onerror=canary(1)>'
    const refused = page.evaluate(
      (html) => document.body.insertAdjacentHTML('beforeend', html),
      markup,
    )
    await expect(refused).rejects.toThrow('TrustedHTML')
    await expect.poll(() => harm.join()).toContain('forbidden: require-trusted-types-for')
    await close()
  },
)

/** Texts put together, none longer than this. */
function chunks(texts: readonly string[], longest: number): string[] {
  const all: string[] = []
  for (const text of texts) {
    const last = all.at(-1)
    if (last === undefined || last.length + text.length > longest) all.push(text.slice(0, longest))
    else all[all.length - 1] = `${last}${text}`
  }
  return all
}

/** By the inbox's own session, as the page would send it. */
async function decide(page: Page, id: string, body: object): Promise<void> {
  const status = await page.evaluate(
    async ({ path, text }) => {
      const headers = {
        'content-type': 'application/json',
        'x-countersign-csrf': localStorage.getItem('countersign.key') ?? '',
      }
      const response = await fetch(path, { method: 'POST', headers, body: text })
      return response.ok ? '' : await response.text()
    },
    { path: `/v1/approvals/${id}/decisions`, text: JSON.stringify(body) },
  )
  expect(status).toBe('')
}

promise(
  ['CS-INBOX-8'],
  'in a terminal hostile text steers nothing, and reads as the bytes that are bound',
  async () => {
    const context = { says: TEXTS.join('\n'), links: TEXTS.slice(0, 40) }
    const { id } = await inbox.server.ask({ tool: 'values', run: 'terminal', args: NAMED, context })
    const card = await cardOf(id)
    const { stdout } = await countersign(['show', id], { cwd: inbox.server.cwd })
    const list = await countersign(['list'], { cwd: inbox.server.cwd })
    for (const text of [stdout, list.stdout]) expect(text.replaceAll('\n', '')).not.toMatch(UNSEEN)

    const lines = stdout.split('\n')
    const shown = lines.flatMap((line) => {
      const { name, value } = /^ {2}│ (?<name>p\d+): +(?<value>.*)$/u.exec(line)?.groups ?? {}
      if (name === undefined || value === undefined) return []
      // Letters that imitate others are spelled; what looks like such a mark is escaped by the other.
      const text = unmarked(unmarked(value, BROWSER_MARKS), TERMINAL_MARKS)
      return [[name, JSON.parse(text) as unknown] as const]
    })
    expect(Object.fromEntries(shown)).toEqual(JSON.parse(card.arguments))
    expect(shown.length).toBe(TEXTS.length)

    // On the whole screen lines break, and are put together again without a loss.
    const broken = bodyLines({ card, columns: 80 })
    expect(broken.join('')).not.toMatch(UNSEEN)
    expect(Math.max(...broken.map((line) => line.length))).toBeLessThanOrEqual(80)
    const whole: string[] = []
    for (const line of broken) {
      if (line.startsWith('↳ ')) whole[whole.length - 1] += line.slice(2)
      else whole.push(line)
    }
    expect(whole).toEqual(cardLines(card, PLAIN))
  },
)

test('a megabyte of spaces does not push the decisive word away', async () => {
  const text = `${' '.repeat(1_000_000)}decisive`
  const { id } = await inbox.server.ask({ tool: 'keys', args: { text } })
  const { stdout, stderr } = await countersign(['show', id], { cwd: inbox.server.cwd })
  expect(stderr).toBe('')
  expect(stdout).toContain('‹1000000 spaces›decisive')
  const { page, close } = await takeSeat(inbox.browser, inbox.server, 'bo@example.com')
  await goTo(page, `/approvals/${id}`)
  await page.getByText('decisive').last().waitFor()
  const box = await page.getByText('decisive').last().boundingBox()
  expect(box?.y).toBeLessThan(900)
  await close()
})
