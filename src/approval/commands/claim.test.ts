import { expect, test } from 'vitest'
import {
  accepted,
  after,
  allowed,
  ana,
  anyApprover,
  asked,
  asks,
  bo,
  claimOf,
  cy,
  editTo,
  forbidden,
  HOUR,
  kim,
  MINUTE,
  NOON,
  OTHER,
  outcome,
  policyOf,
  send,
  twoFinance,
  yes,
} from '../../../test/approval/asking.ts'
import type { Approval } from '../approval.ts'
import type { Claim } from '../command.ts'
import { step } from '../step.ts'
import { mayStart } from './execution.ts'

const approved = after(asked(), yes(kim, { reason: 'fine' }))
const byTwo = after(asked({ requirements: [twoFinance] }), yes(ana), yes(bo))
const edited = after(asked(), yes(kim, { edit: editTo(OTHER) }))
const soon = approved.changedAt + MINUTE
const rule = (change: object) => asks({ source: 'governance', rule: 'governance.x', ...change })
const path = (...keys: string[]) => [{ text: keys.join('.'), keys }]

test.each<[string, Approval, Partial<Claim>, string]>([
  ['an unchanged world', approved, {}, 'running'],
  ['another agent', approved, { agent: 'other-bot' }, 'not_the_asker'],
  ['another call', approved, { digest: OTHER }, 'call_changed'],
  ['the call as edited instead of as asked', edited, { digest: OTHER }, 'call_changed'],
  ['the call as asked, after an edit', edited, {}, 'running'],
  ['a changed tool', approved, { definition: '1'.repeat(64) }, 'invalidated(tool)'],
  ['a voter who is gone', approved, { voters: [] }, 'invalidated(voter)'],
  ['a voter who is locked', approved, { voters: [{ ...kim, locked: true }] }, 'invalidated(voter)'],
  [
    'a voter who lost the role',
    approved,
    { voters: [{ ...kim, roles: ['viewer'] }] },
    'invalidated(voter)',
  ],
  ['a stranger in the voter’s place', approved, { voters: [ana] }, 'invalidated(voter)'],
  ['one of two voters gone', byTwo, { voters: [ana] }, 'invalidated(voter)'],
  [
    'one of two voters in another group',
    byTwo,
    { voters: [ana, { ...bo, groups: ['security'] }] },
    'invalidated(voter)',
  ],
  ['both voters still there', byTwo, { voters: [bo, ana] }, 'running'],
  ['a policy that now allows', approved, { answer: allowed }, 'running'],
  ['a policy that now denies', approved, { answer: forbidden }, 'invalidated(policy)'],
  ['a policy that asks for less', byTwo, { answer: policyOf([anyApprover]) }, 'running'],
  [
    'a policy that asks for others',
    approved,
    { answer: policyOf([asks({ approvers: [{ group: 'security' }] })]) },
    'invalidated(policy)',
  ],
  [
    'a policy that asks for more people',
    approved,
    { answer: policyOf([twoFinance]) },
    'invalidated(policy)',
  ],
  [
    'a new rule the voter meets',
    approved,
    { answer: policyOf([anyApprover, rule({ approvers: ['*'] })]) },
    'running',
  ],
  [
    'a new rule that is not met',
    approved,
    { answer: policyOf([anyApprover, rule({ approvers: [{ group: 'security' }] })]) },
    'invalidated(policy)',
  ],
  [
    'more assurance asked than given',
    approved,
    { answer: policyOf([anyApprover], { minAssurance: 'passkey' }) },
    'invalidated(policy)',
  ],
  [
    'a reason asked and given',
    approved,
    { answer: policyOf([anyApprover], { reason: 'required_always' }) },
    'running',
  ],
  [
    'a reason asked and not given',
    byTwo,
    { answer: policyOf([twoFinance], { reason: 'required_always' }) },
    'invalidated(policy)',
  ],
  [
    'editing forbidden since, and nothing was',
    approved,
    { answer: policyOf([anyApprover], { edit: false }) },
    'running',
  ],
  [
    'editing forbidden since, and something was',
    edited,
    { answer: policyOf([anyApprover], { edit: false }) },
    'invalidated(policy)',
  ],
  [
    'editing limited since to what was edited',
    edited,
    { answer: policyOf([anyApprover], { edit: path('amount') }) },
    'running',
  ],
  [
    'a longer life for a yes',
    approved,
    { answer: policyOf([anyApprover], { useBy: HOUR }) },
    'running',
  ],
  [
    'a shorter life for a yes',
    approved,
    { answer: policyOf([anyApprover], { useBy: MINUTE }) },
    'expired(unused)',
  ],
])('claiming with %s: %#', (_, approval, change, result) => {
  const transition = step(approval, claimOf(approval, change), soon)
  const after = transition.approval
  expect(after ? described(after) : outcome(transition)).toBe(result)
  if (result !== 'running' && after) {
    expect(transition).toMatchObject({ ok: false, code: result.replace(/\(.*/, '') })
    expect(transition.events).toHaveLength(1)
  }
})

function described({ status, reason, execution }: Approval): string {
  return execution?.state ?? (reason ? `${status}(${reason})` : status)
}

test('an early escalation by a person holds at the claim under the same policy', () => {
  const requirement = asks({
    approvers: [{ group: 'finance' }],
    escalate: [{ after: 30 * MINUTE, to: { group: 'security' } }],
  })
  const approval = after(
    asked({ requirements: [requirement] }),
    send('escalate', { by: ana }),
    yes(cy),
  )
  expect(approval.status).toBe('approved')
  expect(outcome(step(approval, claimOf(approval), soon))).toBe('running')
})

test('an escalation of a new rule counts if it would have been due when people decided', () => {
  const rule = asks({
    source: 'governance',
    rule: 'governance.new',
    approvers: [{ group: 'security' }],
    escalate: [{ after: 10 * MINUTE, to: '*' }],
  })
  const answer = policyOf([anyApprover, rule])
  const late = accepted(step(asked(), yes(kim), NOON + 10 * MINUTE)).approval
  expect(outcome(step(late, claimOf(late, { answer }), late.changedAt))).toBe('running')
  const early = accepted(step(asked(), yes(kim), NOON + 9 * MINUTE)).approval
  const claim = claimOf(early, { answer })
  expect(step(early, claim, NOON + 11 * MINUTE).approval).toMatchObject({ reason: 'policy' })
})

test('what voided answers lacked does not matter at the claim', () => {
  const answer = policyOf([anyApprover], { reason: 'required_always', minAssurance: 'signed-in' })
  const quorum = asks({ quorum: [{ group: 'finance', n: 2 }] })
  const chatting = { ...ana, assurance: 'chat' as const }
  const given = after(
    asked({ requirements: [quorum] }),
    yes(chatting),
    yes(bo, { reason: 'smaller', edit: editTo(OTHER, { answer: policyOf([quorum]) }) }),
    yes(ana, { reason: 'fine', seen: OTHER }),
  )
  expect(given.status).toBe('approved')
  expect(given.decisions.filter((one) => one.void)).toHaveLength(1)
  const claim = claimOf(given, { answer, voters: [ana, bo] })
  const both = { ...claim, answer: { ...answer, requirements: [quorum] } }
  expect(outcome(step(given, both, given.changedAt))).toBe('running')
})

test.each([
  ['a reason', { reason: 'required_always' }, 'policy'],
  ['assurance', { minAssurance: 'signed-in' }, 'policy'],
] as const)(
  'when one of two yeses lacks %s that is asked now, neither is used',
  (_, change, reason) => {
    const chatting = { ...bo, assurance: 'chat' as const }
    const given = after(
      asked({ requirements: [twoFinance] }),
      yes(ana, { reason: 'fine' }),
      yes(chatting),
    )
    const claim = claimOf(given, { answer: policyOf([twoFinance], change) })
    expect(step(given, claim, given.changedAt).approval).toMatchObject({ reason })
  },
)

test('the record of a claim says who holds it and until when it may start', () => {
  const byInstance = accepted(step(approved, claimOf(approved), soon)).events
  expect(byInstance[0]).toMatchObject({ type: 'claimed', by: { agent: 'billing-bot' } })
  expect(byInstance[0]?.facts).toEqual({
    claim: 'claim-1',
    startBy: soon + 10_000,
    instance: 'instance-1',
  })
  const leased = claimOf(approved, { holder: { claim: 'claim-1', lease: MINUTE } })
  expect(accepted(step(approved, leased, soon)).events[0]?.facts).toEqual({
    claim: 'claim-1',
    startBy: soon + 10_000,
  })
})

test('at the last millisecond a yes can be used, then it has expired', () => {
  const useBy = approved.useBy ?? 0
  expect(outcome(step(approved, claimOf(approved), useBy - 1))).toBe('running')
  const late = step(approved, claimOf(approved), useBy)
  expect(late).toMatchObject({ ok: false, code: 'expired' })
  expect(late.approval).toMatchObject({ status: 'expired', reason: 'unused' })
})

test('there is one claim, ever: not even the same one again', () => {
  const running = after(approved, claimOf(approved))
  const again = step(running, claimOf(running), soon)
  expect(again).toMatchObject({ ok: false, code: 'already_claimed', events: [] })
})

test('a claimer starts within ten seconds or not at all', () => {
  const running = after(approved, claimOf(approved))
  const { claimedAt = 0 } = running.execution ?? {}
  expect(running.execution?.startBy).toBe(claimedAt + 10_000)
  expect(mayStart(running, 'claim-1', claimedAt + 9_999)).toBe(true)
  expect(mayStart(running, 'claim-1', claimedAt + 10_000)).toBe(false)
  expect(mayStart(running, 'claim-2', claimedAt)).toBe(false)
  expect(mayStart(approved, 'claim-1', claimedAt)).toBe(false)
})

test('a claim needs an instance or a lease, so that its death is noticed', () => {
  const command = claimOf(approved, { holder: { claim: 'claim-1' } })
  expect(outcome(step(approved, command, soon))).toBe('invalid_command')
})

test('a confirm given inside the client is not enough once the policy wants a review', () => {
  const confirm = asks({ level: 'confirm', approvers: [] })
  const inClient = { ...kim, assurance: 'elicitation' as const }
  const given = after(asked({ requirements: [confirm] }), yes(inClient))
  const command = claimOf(given, { answer: policyOf([anyApprover]) })
  expect(step(given, command, soon).approval).toMatchObject({ reason: 'policy' })
})

test('a claim whose policy answers the old verdict approve is no command', () => {
  const answer = policyOf([anyApprover])
  expect(answer.verdict).toBe('review')
  const old = { ...answer, verdict: 'approve' as never }
  expect(outcome(step(approved, claimOf(approved, { answer: old }), soon))).toBe('invalid_command')
})

test('nor is it while one of several answers was given inside the client', () => {
  const confirm = asks({ level: 'confirm', quorum: [{ group: 'finance', n: 2 }] })
  const inClient = { ...bo, assurance: 'elicitation' as const }
  const given = after(asked({ requirements: [confirm] }), yes(ana), yes(inClient))
  expect(given.status).toBe('approved')
  const command = claimOf(given, { answer: policyOf([anyApprover]) })
  expect(step(given, command, soon).approval).toMatchObject({ reason: 'policy' })
})
