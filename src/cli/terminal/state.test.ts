import { expect, test } from 'vitest'
import { CARD } from '../../../test/support/approval-card.ts'
import { promise } from '../../../test/support/promise.ts'
import type { ApprovalCard, ApprovalPage, ApprovalRow } from '../../api/approval.ts'
import { columnsOf } from '../../base/wrap.ts'
import { frame } from './frame.ts'
import { meaningOf } from './keys.ts'
import { rowLines } from './row-lines.ts'
import { type Action, allSeen, bodyLines, firstState, reduce, type State } from './state.ts'

const PAGE: ApprovalPage = { approvals: [CARD], counts: { mine: 1, others: 0 }, now: 0 }

function after(...actions: readonly Action[]): State {
  return actions.reduce(reduce, firstState(110, 30))
}

const SHOWN: readonly Action[] = [
  { type: 'listed', page: PAGE, at: 0 },
  { type: 'carded', card: CARD },
]
const PAGES: readonly Action[] = Array.from({ length: 20 }, () => ({ type: 'scroll', by: 'page' }))

promise(
  ['CS-INBOX-2'],
  'a call that changed under the eyes has to be read again, and what was typed is gone',
  () => {
    const prompt = { kind: 'approve', step: 'digest', text: 'abcd', reason: '' } as const
    const reading = after(...SHOWN, ...PAGES, { type: 'ask', prompt })
    expect(allSeen(reading)).toBe(true)
    const card = { ...CARD, digest: 'e'.repeat(64), edited: [['memo']] }
    const changed = reduce(reading, { type: 'carded', card })
    expect(allSeen(changed)).toBe(false)
    expect(changed.prompt).toBe(undefined)
    expect(meaningOf(changed, { text: '', name: 'enter' }, 0)).toEqual({ type: 'open' })
    expect(meaningOf(changed, { text: 'a' }, 0)).toMatchObject({ type: 'said' })
  },
)

test('other breaks of lines have to be read again; a higher window has not', () => {
  const read = after(...SHOWN, ...PAGES)
  expect(allSeen(reduce(read, { type: 'resized', columns: 110, rows: 40 }))).toBe(true)
  expect(allSeen(reduce(read, { type: 'resized', columns: 105, rows: 30 }))).toBe(false)
})

promise(
  ['CS-INBOX-19'],
  'people added by an escalation have to be read, on a line of their own',
  () => {
    const read = after(...SHOWN, ...PAGES)
    const at = new Date(2026, 2, 14, 12, 40).getTime()
    const added = [{ who: 'group chiefs\u001b[2J', at, after: 1, why: 'after 4 h' }]
    const rule = { source: 'tool', rule: 'tools.pay', level: 'review', met: false } as const
    const requirements = [{ ...rule, approvers: ['ana@example.com'], quorum: [], added }]
    const more = reduce(read, { type: 'carded', card: { ...CARD, requirements } })
    const lines = bodyLines(more)
    expect(lines).toContain('  needs: ana@example.com')
    expect(lines.join('').replaceAll('↳ ', '')).toContain(
      'added by escalation, 2026-03-14 12:40:00: group chiefs‹U+001B›[2J (after 4 h)',
    )
    expect(allSeen(more)).toBe(false)
  },
)

test('lines that were skipped do not count as seen', () => {
  const small = after(...SHOWN, { type: 'resized', columns: 110, rows: 14 })
  const jumped = { ...small, reading: { ...small.reading, top: 30 } }
  expect(reduce(jumped, { type: 'scroll', by: 'line' }).reading.seen).toBe(small.reading.seen)
})

test('help over the card shows none of it', () => {
  const hidden = after(SHOWN[0] as Action, { type: 'help', shown: true }, SHOWN[1] as Action)
  expect(hidden.reading.seen).toBe(0)
})

test('a decision in the middle of the card has to be seen as well', () => {
  const read = after(...SHOWN, ...PAGES)
  const by = { issuer: 'local', subject: 'bo' }
  const decisions = [
    { by, verdict: 'approve', at: 0, digest: CARD.digest, assurance: 'signed-in' },
  ] as const
  const more = reduce(read, { type: 'carded', card: { ...CARD, decisions } })
  expect(allSeen(more)).toBe(false)
  expect(allSeen(reduce(more, { type: 'scroll', by: 'page' }))).toBe(true)
})

test.each([
  [110, 30],
  [80, 24],
  [40, 12],
  [200, 60],
])('at %i by %i every line fits and nothing of the card is lost', (columns, rows) => {
  const shown = reduce(after(...SHOWN, { type: 'resized', columns, rows }), { type: 'open' })
  const lines = frame(shown, 0)
  expect(lines.length).toBe(rows)
  for (const line of lines) {
    const text = line.map((span) => span.text).join('')
    expect(columnsOf(text)).toBeLessThanOrEqual(columns)
  }
  const whole = bodyLines(shown)
    .map((line) => line.replace(/^↳ /, ''))
    .join('')
  expect(whole).toContain('漢字 and words '.repeat(199))
})

test('a window too small for a card shows none, and nothing can be approved', () => {
  const tiny = after(...SHOWN, ...PAGES, { type: 'resized', columns: 30, rows: 8 })
  expect(frame(tiny, 0)).toHaveLength(1)
  expect(meaningOf(tiny, { text: 'a' }, 0)).toBe(undefined)
})

promise(
  ['CS-INBOX-41'],
  'a number alone chooses a reason of the policy, and is recorded as its text',
  () => {
    const card = { ...CARD, reasons: { deny: ['Wrong account', 'Not this month'] } }
    const asked = after(
      { type: 'listed', page: PAGE, at: 0 },
      { type: 'carded', card },
      { type: 'ask', prompt: { kind: 'deny', step: 'reason', text: '', reason: '' } },
    )
    const shown = (text: string) =>
      frame(reduce(asked, { type: 'typed', text }), 0)
        .map((line) => line.map((span) => span.text).join(''))
        .join('\n')
    expect(shown('')).toContain('Or its number: 1 Wrong account · 2 Not this month')
    // A list of nine may be wider than the screen: what is sent is read before it is.
    expect(shown('2')).toContain('Reason: Not this month')
    const sent = (text: string) =>
      meaningOf(reduce(asked, { type: 'typed', text }), { text: '', name: 'enter' }, 0)
    expect(sent('2')).toMatchObject({ body: { verdict: 'deny', reason: 'Not this month' } })
    expect(sent('3')).toMatchObject({ body: { reason: '3' } })
    expect(sent('2 people complained')).toMatchObject({ body: { reason: '2 people complained' } })
  },
)

promise(['CS-INBOX-2', 'CS-TALK-1'], 'asking the agent something decides nothing', () => {
  const card = { ...CARD, can: [...CARD.can, 'question', 'comment'] as const }
  const shown = after({ type: 'listed', page: PAGE, at: 0 }, { type: 'carded', card })
  const prompt = meaningOf(shown, { text: 'w' }, 0)
  expect(prompt).toMatchObject({ type: 'ask', prompt: { kind: 'question', step: 'remark' } })
  const typing = reduce(reduce(shown, prompt as Action), { type: 'typed', text: 'a' })
  // The letters of decisions are text here.
  expect(meaningOf(typing, { text: 'd' }, 0)).toEqual({ type: 'typed', text: 'ad' })
  const { id } = card
  const sent = { type: 'say', id, kind: 'question', text: 'a' }
  expect(meaningOf(typing, { text: '', name: 'enter' }, 0)).toEqual(sent)
  expect(meaningOf(typing, { text: '', name: 'escape' }, 0)).toMatchObject({
    note: { text: 'Nothing was sent.' },
  })
  const empty = reduce(typing, { type: 'typed', text: '  ' })
  expect(meaningOf(empty, { text: '', name: 'enter' }, 0)).toMatchObject({ type: 'said' })
  expect(meaningOf(shown, { text: 'c' }, 0)).toMatchObject({ prompt: { kind: 'comment' } })
})

promise(['CS-TALK-1'], 'people who may not write about a call are told so', () => {
  const shown = after(
    { type: 'listed', page: PAGE, at: 0 },
    { type: 'carded', card: { ...CARD, can: [] } },
  )
  expect(meaningOf(shown, { text: 'w' }, 0)).toMatchObject({ type: 'said' })
  const asker = { ...CARD, can: ['reply'] as const }
  const own = after({ type: 'listed', page: PAGE, at: 0 }, { type: 'carded', card: asker })
  expect(meaningOf(own, { text: 'w' }, 0)).toMatchObject({ prompt: { kind: 'reply' } })
})

test('an unknown risk has five empty bars, not those of L5', () => {
  const title = (card: ApprovalCard) =>
    text(after({ type: 'listed', page: PAGE, at: 0 }, { type: 'carded', card }))[1]
  expect(title(CARD)).toContain('risk unknown ▯▯▯▯▯')
  expect(title({ ...CARD, risk: 'L5' })).toContain('L5 ▮▮▮▮▮')
})

test('a row has its risk as bars, its server and agent, and who must agree', () => {
  const row = {
    ...(PAGE.approvals[0] as ApprovalRow),
    ...{ tool: 'transfer_money', server: 'payments', agent: 'Treasury agent', risk: 'L4' as const },
    ...{ met: { have: 1, need: 2 }, mine: { may: true as const } },
  }
  const lines = rowLines(row, 0, 36, false).map((line) => line.map((one) => one.text).join(''))
  expect(lines[0]).toMatch(/^ ▮▮▮▮▯ L4 transfer_money/)
  expect(lines[2]).toMatch(/^ {2}payments · Treasury agent {2}1\/2 you$/)
  for (const line of lines) expect(columnsOf(line)).toBe(36)
})

test('a value that begins like a title of ours gets no line of ours', () => {
  const title = 'Computed by Countersign, from the exact bytes that will run'
  const forged = { ...CARD, arguments: JSON.stringify({ memo: `x\n${title}` }) }
  const lines = text(after({ type: 'listed', page: PAGE, at: 0 }, { type: 'carded', card: forged }))
  expect(lines.filter((line) => line.includes('═')).length).toBe(1)
})

test.each([40, 60, 80, 100, 140])('at %i columns no key of the last line is cut off', (columns) => {
  const can = [...CARD.can, 'reveal', 'question', 'comment'] as const
  const card = { ...CARD, can, masked: [['a']] }
  const shown = after(
    { type: 'listed', page: PAGE, at: 0 },
    { type: 'carded', card },
    { type: 'resized', columns, rows: 30 },
  )
  for (const state of [shown, reduce(shown, { type: 'open' })]) {
    const last = text(state).at(-1) ?? ''
    expect(last).toMatch(/ · \? keys · q quit *$/)
    expect(last).not.toContain('…')
  }
})

promise(['CS-INBOX-41'], 'a number at Deny opens its reason, and Enter sends it', () => {
  const card = { ...CARD, reasons: { deny: ['Wrong account', 'Not this month'] } }
  const shown = after({ type: 'listed', page: PAGE, at: 0 }, { type: 'carded', card })
  expect(text(shown)).toContainEqual(
    expect.stringMatching(/^ \[D\] Deny {3}1 Wrong account · 2 Not this month/),
  )
  const meaning = meaningOf(shown, { text: '2' }, 0)
  expect(meaning).toMatchObject({ type: 'ask', prompt: { kind: 'deny', text: '2' } })
  const asked = reduce(shown, meaning as Action)
  expect(text(asked)).toContainEqual(expect.stringContaining('Reason: Not this month'))
  expect(meaningOf(asked, { text: '', name: 'enter' }, 0)).toMatchObject({
    type: 'decide',
    body: { verdict: 'deny', reason: 'Not this month' },
  })
  // Of a number without a reason, of text that was pasted, and of a call that is over: nothing.
  expect(meaningOf(shown, { text: '3' }, 0)).toBe(undefined)
  expect(meaningOf(shown, { text: '12' }, 0)).toBe(undefined)
  const over = reduce(shown, { type: 'carded', card: { ...card, status: 'denied' } })
  expect(meaningOf(over, { text: '1' }, 0)).toBe(undefined)
})

const text = (state: State) => frame(state, 0).map((line) => line.map((span) => span.text).join(''))
