import { expect, test } from 'vitest'
import { questionOf, summaryOf } from '../../../../src/api/question.ts'
import { ANA, BO, cardWith } from '../../../test/approval-card.ts'
import { clock, span, timeLeft, took } from '../time/clock.ts'
import { beatenBy, outcomeOf } from './outcome.ts'
import { ruleName } from './rule-name.ts'

const NOW = Date.UTC(2026, 2, 14, 10, 3)
const call = cardWith({ id: 'a', tool: 'pay', args: {} }, NOW)
const said = (by: typeof ANA, verdict: 'approve' | 'deny', more = {}) => ({
  by,
  verdict,
  at: NOW,
  digest: call.digest,
  assurance: 'signed-in' as const,
  ...more,
})

test.each([
  [{ status: 'approved' }, 'Approved. The agent has not picked it up yet.'],
  [{ status: 'approved', execution: 'running' }, 'Running now.'],
  [{ status: 'approved', execution: 'succeeded' }, 'It ran once and succeeded.'],
  [{ status: 'approved', execution: 'failed' }, 'It ran once and failed.'],
  [{ status: 'approved', execution: 'unknown' }, 'It was started. Its outcome is unknown.'],
  [{ status: 'expired', reason: 'undecided' }, 'Expired. It did not run.'],
  [{ status: 'expired', reason: 'unused' }, 'The yes was never used. It did not run.'],
  [{ status: 'withdrawn' }, 'Withdrawn. The agent no longer needs it.'],
  [{ status: 'invalidated', reason: 'tool' }, 'The approval became void. It did not run.'],
  [{ status: 'denied', decisions: [said(ANA, 'deny')] }, 'Denied by you. It did not run.'],
  [{ status: 'denied', decisions: [said(BO, 'deny')] }, 'Denied by Bo. It did not run.'],
  [
    { status: 'denied', decisions: [said(BO, 'deny', { for: [ANA] })] },
    'Denied by Bo for you. It did not run.',
  ],
  [{ met: { have: 1, need: 3 } }, 'You approved. 2 more approvals to go.'],
] as const)('%j reads: %s', (change, title) => {
  expect(outcomeOf({ ...call, ...change }, ANA, NOW).title).toBe(title)
})

test('an outcome that a person wrote down never claims that it was seen to run', () => {
  const outcome = { state: 'succeeded' as const, claimedAt: NOW, endedAt: NOW, resolvedBy: BO }
  const words = outcomeOf(
    { ...call, status: 'approved', execution: 'succeeded', outcome },
    ANA,
    NOW,
  )
  expect(words.title).toBe('A person checked: it succeeded.')
  expect(words.text).toBe('Bo wrote down what happened.')
})

test('words of others are drawn before they are quoted', () => {
  const decisions = [said(BO, 'deny', { reason: 'no\u202e' })]
  expect(outcomeOf({ ...call, status: 'denied', decisions }, ANA, NOW).text).toContain(
    '“no⟦U+202E⟧”',
  )
})

test('the slower one learns by how much', () => {
  const decided = { ...call, decisions: [said(BO, 'approve')] }
  expect(beatenBy(decided, ANA, NOW + 4_100)).toBe(
    'Bo decided 4 s before you. Your click recorded nothing.',
  )
  expect(beatenBy(call, ANA, NOW)).toBe('Your click came too late and recorded nothing.')
})

test.each([
  [-5, '0:00'],
  [59_000, '0:59'],
  [38 * 60_000 + 12_000, '38:12'],
  [70 * 60_000, '1 h 10 m'],
  [22.4 * 3_600_000, '22 h'],
  [3 * 86_400_000, '3 d'],
])('%i ms left reads %s', (ms, text) => {
  expect(timeLeft(ms)).toBe(text)
})

test('lengths and moments read as people say them', () => {
  expect([took(1_800), took(130_000), span(900_000), span(86_400_000), span(172_800_000)]).toEqual([
    '1.8 s',
    '2 m 10 s',
    '15 min',
    '24 h',
    '2 days',
  ])
  expect(clock(NOW, NOW)).toMatch(/^\d\d:\d\d:\d\d$/)
  expect(clock(NOW - 3 * 86_400_000, NOW)).toMatch(/^\d+ Mar \d\d:\d\d$/)
})

test('the plain question is cut where its arguments begin, and no other is', () => {
  const plain = { tool: 'pay', message: 'Run \'pay\' with arguments {"n":1}?' }
  const text = (parts: ReturnType<typeof questionOf>) =>
    parts.map((part) => (part.quoted ? `[${part.text}]` : part.text)).join('')
  expect(text(questionOf(plain))).toBe('Run [pay]?')
  expect(text(summaryOf(plain))).toBe('n [1]')
  const shortened = { tool: 'pay', message: 'Run \'pay\' with arguments {"a":true,"n":"xx…' }
  expect(text(summaryOf(shortened))).toBe('a [true] · n [xx…]')
  const mail = '{"body":"Hi","subject":"March","to":["a@example.com","b@example.com"]}'
  const send = { tool: 'send', message: `Run 'send' with arguments ${mail}?` }
  expect(text(summaryOf(send))).toBe(
    'subject [March] · to [a@example.com, b@example.com] · body [Hi]',
  )
  const forged = { tool: 'pay', message: 'Run \'other\' with arguments {"n":1}?' }
  expect(text(questionOf(forged))).toBe(`[${forged.message}]`)
})

test.each([
  ['tools.pay.approval.condition[1]', 'pay'],
  ['tools.a.b.risk', 'a.b'],
  ['mcp_servers.files.approval', 'files'],
  ['mcp_servers.files.allowed_tools.read.approval', 'files/read'],
  ['no-deletes', 'no-deletes'],
])('the rule %s is called %s', (rule, name) => {
  expect(ruleName(rule)).toBe(name)
})
