import type { Page } from 'playwright-core'
import { expect, vi } from 'vitest'
import type { ApprovalCard } from '../../src/api/approval.ts'
import { countersign } from '../cli/countersign.ts'
import { BROWSER_MARKS, PAYLOADS, UNSEEN, unmarked } from '../corpus-payloads/payloads.ts'
import { promise } from '../support/promise.ts'
import { goTo, realInbox, takeSeat } from './real-inbox.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const POLICY = `version: 1
defaults: { undeclared: confirm }
tools:
  probe: { approval: { approvers: ["*"] } }
`

const inbox = realInbox(POLICY)

interface Drawn {
  readonly name: string
  readonly texts: readonly string[]
  readonly lines: readonly string[]
  readonly changes: readonly { readonly kind: string; readonly text: string }[]
}

/** What each block of the view says, with drawn spaces put back. */
async function drawn(page: Page): Promise<Drawn[]> {
  const gaps = page.locator('[data-block] button', { hasText: 'blank lines]' })
  while ((await gaps.count()) > 0) await gaps.first().click()
  const blocks = await page.locator('[data-block]').evaluateAll((elements) => {
    const read = (node: Node): string => {
      if (!(node instanceof HTMLElement)) return node.textContent ?? ''
      if (node.matches('.select-none, [aria-hidden=true]')) return ''
      if (node.matches('.edge-space')) return ' '.repeat([...(node.textContent ?? '')].length)
      return [...node.childNodes].map(read).join('')
    }
    const all = (element: Element, what: string) => [...element.querySelectorAll(what)].map(read)
    return elements.map((element) => ({
      name: element.getAttribute('data-block') ?? '',
      texts: all(element, '[data-text]'),
      lines: all(element, '[data-line]'),
      changes: [...element.querySelectorAll('[data-change]')].map((line) => ({
        kind: line.getAttribute('data-change') ?? '',
        text: `${all(line, '[data-line]').join('')}${line.textContent?.endsWith('⏎') ? '\n' : ''}`,
      })),
    }))
  })
  const plain = (text: string) => unmarked(text, BROWSER_MARKS)
  return blocks.map(({ name, texts, lines, changes }) => ({
    name,
    texts: texts.map(plain),
    lines: lines.map(plain),
    changes: changes.map(({ kind, text }) => ({ kind, text: plain(text) })),
  }))
}

async function ask(args: Record<string, unknown>) {
  const { id } = await inbox.server.ask({ tool: 'probe', args })
  const { stdout } = await countersign(['show', id, '--json'], { cwd: inbox.server.cwd })
  const card = JSON.parse(stdout) as ApprovalCard
  return { id, card, bound: JSON.parse(card.arguments) as Record<string, unknown> }
}

promise(
  ['CS-INBOX-10'],
  'hostile text reads in every view as the bytes that are bound, and stays text',
  async () => {
    const all = PAYLOADS.map(({ text }) => text)
    // What looks like a secret is masked, and is not part of any view.
    const probe = await ask(Object.fromEntries(all.map((text, at) => [`p${at}`, text])))
    const masked = new Set(probe.card.masked.map(([name = '']) => Number(name.slice(1))))
    const texts = all.filter((_, at) => !masked.has(at))
    const oneLine = texts.filter((text) => !text.includes('\n'))
    expect(texts.length).toBeGreaterThanOrEqual(150)
    const joined = texts.join('\n')
    const { page, problems, close } = await takeSeat(inbox.browser, inbox.server, 'ana@example.com')
    const open = async (args: Record<string, unknown>, tab: string) => {
      const asked = await ask(args)
      expect(asked.card.masked).toEqual([])
      await goTo(page, `/approvals/${asked.id}`)
      await page.getByRole('button', { name: tab, exact: true }).waitFor()
      await page.locator('[data-block]').first().waitFor()
      const shown = new Map((await drawn(page)).map((block) => [block.name, block]))
      expect(
        UNSEEN.test((await page.locator('[data-view]').innerText()).replaceAll(/[\n\t]/g, '')),
      ).toBe(false)
      return { ...asked, shown }
    }
    const lines = (block: Drawn | undefined) => block?.lines.join('\n')

    const mail = await open(
      { to: texts, cc: oneLine, subject: oneLine[0], body: joined },
      'Message',
    )
    expect(mail.shown.get('to')?.texts).toEqual(mail.bound.to)
    expect(mail.shown.get('cc')?.texts).toEqual(mail.bound.cc)
    expect(mail.shown.get('subject')?.texts).toEqual([mail.bound.subject])
    expect(lines(mail.shown.get('body'))).toBe(mail.bound.body)

    const sql = await open({ sql: `SELECT '${joined}`, limit: 3 }, 'SQL')
    expect(lines(sql.shown.get('sql'))).toBe(sql.bound.sql)
    const loose = await open({ sql: `DELETE ${joined}` }, 'SQL')
    expect(lines(loose.shown.get('sql'))).toBe(loose.bound.sql)

    const patch = await open({ patch: `--- a\n+++ b\n@@ -1 +1 @@\n${joined}` }, 'Changes')
    expect(lines(patch.shown.get('patch'))).toBe(patch.bound.patch)

    const edit = await open(
      { path: 'a', old_string: joined, new_string: `${[...texts].reverse().join('\n')}\n` },
      'Changes',
    )
    const side = (kind: string) =>
      edit.shown
        .get('old_string')
        ?.changes.filter((line) => line.kind === 'same' || line.kind === kind)
        .map(({ text }) => text)
        .join('')
    expect(side('removed')).toBe(edit.bound.old_string)
    expect(side('added')).toBe(edit.bound.new_string)

    const command = await open({ command: joined }, 'Command')
    expect(lines(command.shown.get('command'))).toBe(command.bound.command)
    const file = await open({ path: 'a', content: joined }, 'Code')
    expect(lines(file.shown.get('content'))).toBe(file.bound.content)
    const prose = await open({ note: joined }, 'Text')
    expect(lines(prose.shown.get('note'))).toBe(prose.bound.note)

    const table = await open({ rows: oneLine.map((text, at) => ({ at, text })) }, 'Table')
    expect(table.shown.get('rows')?.texts).toEqual(
      (table.bound.rows as { text: string }[]).map(({ text }) => text),
    )

    // The bytes stay one key away, in every view.
    await page.keyboard.press('t')
    await page.keyboard.press('t')
    const raw = await page.locator('[data-raw]').innerText()
    expect(JSON.parse(unmarked(raw, BROWSER_MARKS))).toEqual(table.bound)
    expect(await page.locator('article a[href^="http"], article img, article iframe').count()).toBe(
      0,
    )
    expect(problems).toEqual([])
    await close()
  },
)
