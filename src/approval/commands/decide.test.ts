import { expect, test } from 'vitest'
import {
  accepted,
  after,
  ana,
  asked,
  asks,
  bo,
  call,
  confirmation,
  cy,
  DIGEST,
  editTo,
  eve,
  financeAndSecurity,
  kim,
  MINUTE,
  NOON,
  no,
  OTHER,
  outcome,
  root,
  someone,
  terms,
  twoFinance,
  uma,
  yes,
} from '../../../test/approval/asking.ts'
import type { Decide, Request } from '../command.ts'
import { step } from '../step.ts'

const byName = asks({ approvers: [{ email: 'Bo@Example.com' }] })
const unverified = { ...bo, emailVerified: false }
const inBand = { assurance: 'elicitation' } as const
const withTerms = (change: Partial<Request['terms']>) => ({ terms: { ...terms, ...change } })

test.each<[string, Partial<Request>, Decide, string]>([
  // what happens                                   asked with             answer     result
  ['one approver approves', {}, yes(kim), 'approved'],
  ['one denial denies', {}, no(kim), 'denied'],
  ['one of two yeses waits', { requirements: [twoFinance] }, yes(ana), 'pending'],
  ['one denial denies a quorum of two', { requirements: [twoFinance] }, no(ana), 'denied'],
  ['a stranger is not heard', {}, yes(eve), 'not_an_approver'],
  ['a stranger cannot deny either', {}, no(eve), 'not_an_approver'],
  ['an admin is not an approver', {}, yes(root), 'not_an_approver'],
  ['an admin cannot deny a question', {}, no(root), 'not_an_approver'],
  ['the acting user cannot approve', {}, yes(uma), 'self_approval'],
  ['the acting user may always deny', {}, no(uma), 'denied'],
  ['the acting user may confirm', { requirements: [confirmation] }, yes(uma), 'approved'],
  [
    'anyone with the approver role may confirm',
    { requirements: [confirmation] },
    yes(kim),
    'approved',
  ],
  ['others may not confirm', { requirements: [confirmation] }, yes(eve), 'not_an_approver'],
  ['a named approver approves, in any case', { requirements: [byName] }, yes(bo), 'approved'],
  [
    'an unverified address matches no person',
    { requirements: [byName] },
    yes(unverified),
    'not_an_approver',
  ],
  ['review without names needs the role', { requirements: [asks()] }, yes(kim), 'approved'],
  [
    'review without names is not for viewers',
    { requirements: [asks()] },
    yes(bo),
    'not_an_approver',
  ],
  [
    'a group member approves',
    { requirements: [asks({ approvers: [{ group: 'finance' }] })] },
    yes(bo),
    'approved',
  ],
  [
    'a member of another group does not',
    { requirements: [asks({ approvers: [{ group: 'finance' }] })] },
    yes(cy),
    'not_an_approver',
  ],
  ['a locked person decides nothing', {}, yes({ ...kim, locked: true }), 'not_permitted'],
  ['a locked person does not even deny', {}, no({ ...uma, locked: true }), 'not_permitted'],
  ['another digest is another call', {}, yes(kim, { seen: OTHER }), 'call_changed'],
  ['a denial must be about this call too', {}, no(kim, { seen: OTHER }), 'call_changed'],
  [
    'assurance below the minimum does not approve',
    withTerms({ minAssurance: 'passkey' }),
    yes(kim),
    'assurance_too_low',
  ],
  [
    'assurance at the minimum approves',
    withTerms({ minAssurance: 'signed-in' }),
    yes(kim),
    'approved',
  ],
  ['a denial needs no passkey', withTerms({ minAssurance: 'passkey' }), no(kim), 'denied'],
  ['an answer in the client cannot approve', {}, yes({ ...kim, ...inBand }), 'assurance_too_low'],
  [
    'an answer in the client cannot deny what others decide',
    {},
    no({ ...uma, ...inBand }),
    'assurance_too_low',
  ],
  [
    'an answer in the client may confirm',
    { requirements: [confirmation] },
    yes({ ...uma, ...inBand }),
    'approved',
  ],
  ['a reason is not needed', {}, no(kim), 'denied'],
  [
    'a required reason is needed to deny',
    withTerms({ reason: 'required' }),
    no(kim),
    'reason_required',
  ],
  [
    'blanks are no reason',
    withTerms({ reason: 'required' }),
    no(kim, { reason: ' \n' }),
    'reason_required',
  ],
  [
    'a required reason given',
    withTerms({ reason: 'required' }),
    no(kim, { reason: 'no' }),
    'denied',
  ],
  [
    'a required reason is not needed to approve',
    withTerms({ reason: 'required' }),
    yes(kim),
    'approved',
  ],
  [
    'required_always needs it to approve as well',
    withTerms({ reason: 'required_always' }),
    yes(kim),
    'reason_required',
  ],
  ['payload goes with approve', {}, yes(kim, { payload: { by: 'hand' } }), 'approved'],
  ['payload does not go with deny', {}, no(kim, { payload: {} }), 'invalid_command'],
  ['answer goes with deny', {}, no(kim, { answer: 'Paris' }), 'denied'],
  ['answer does not go with approve', {}, yes(kim, { answer: 'Paris' }), 'invalid_command'],
  ['edits do not go with deny', {}, no(kim, { edit: editTo(OTHER) }), 'invalid_command'],
  ['a payload of 16 KB fits', {}, yes(kim, { payload: 'x'.repeat(16_382) }), 'approved'],
  ['a larger payload does not', {}, yes(kim, { payload: 'x'.repeat(16_383) }), 'too_large'],
  ['a payload must be JSON', {}, yes(kim, { payload: 2 ** 53 }), 'unsafe_number'],
])('%s', (_, change, answer, result) => {
  expect(outcome(step(asked(change), answer, NOON + MINUTE))).toBe(result)
})

test.each<[string, Partial<Request['call']>, Parameters<typeof someone>]>([
  ['the requester', { requester: { issuer: kim.issuer, subject: 'kim' } }, ['kim']],
  ['the agent', { agent: 'kim' }, ['kim']],
  [
    'the acting user under another login',
    { principal: { subject: 'KIM@example.com' } },
    ['other', { email: 'kim@example.com' }],
  ],
  [
    'the acting user with an unverified address',
    { principal: { subject: 'kim@example.com' } },
    ['other', { email: 'Kim@example.com', emailVerified: false }],
  ],
  [
    'the acting user whose login is an address',
    { principal: { issuer: 'elsewhere', subject: 'u1', email: 'kim@example.com' } },
    ['KIM@example.com', { email: 'x@example.com' }],
  ],
  [
    'the acting user named by a bare word',
    { principal: { subject: 'kim' } },
    ['kim', { issuer: 'elsewhere' }],
  ],
])('%s never satisfies review', (_, change, [subject, facts]) => {
  const approval = asked({ call: { ...call, ...change } })
  const person = someone(subject, { roles: ['approver'], ...facts })
  expect(outcome(step(approval, yes(person), NOON + MINUTE))).toBe('self_approval')
})

test('the same subject of another issuer is another person', () => {
  const namesake = someone('uma', {
    issuer: 'elsewhere',
    email: 'other@example.com',
    roles: ['approver'],
  })
  expect(outcome(step(asked(), yes(namesake), NOON + MINUTE))).toBe('approved')
})

test('a bare word or an unverified address is not enough to act as the acting user', () => {
  const approval = asked({
    call: { ...call, principal: { subject: 'uma@example.com' } },
    requirements: [confirmation],
  })
  const claims = someone('eve', { email: 'uma@example.com', emailVerified: false })
  expect(outcome(step(approval, yes(claims), NOON + MINUTE))).toBe('not_an_approver')
  expect(outcome(step(approval, no(claims), NOON + MINUTE))).toBe('not_an_approver')
  const verified = someone('x', { email: 'UMA@example.com' })
  expect(outcome(step(approval, yes(verified), NOON + MINUTE))).toBe('approved')
})

test('the same person saying the same again changes nothing and gets what is stored', () => {
  const once = after(asked({ requirements: [twoFinance] }), yes(ana, { reason: 'fine' }))
  const again = accepted(step(once, yes(ana, { reason: 'other words' }), NOON + MINUTE))
  expect(again.approval).toBe(once)
  expect(again.events).toEqual([])
  const denied = after(once, no(bo))
  expect(accepted(step(denied, no(bo), NOON + MINUTE)).approval).toBe(denied)
  expect(accepted(step(denied, yes(ana), NOON + MINUTE)).approval).toBe(denied)
})

test('a person locked since cannot finish by saying yes again', () => {
  const requirement = {
    ...financeAndSecurity,
    escalate: [{ after: 10 * MINUTE, to: { group: 'finance' }, for: 'security' }],
  }
  const both = after(asked({ requirements: [requirement] }), yes(ana), yes(bo))
  const locked = yes({ ...bo, locked: true })
  expect(outcome(step(both, locked, NOON + 10 * MINUTE))).toBe('pending')
})

test('a decision names what came with it, and an event says what happened', () => {
  const approval = asked({ requirements: [twoFinance] })
  const plain = accepted(step(approval, yes(ana), NOON + MINUTE))
  expect(plain.approval.decisions[0]).toEqual({
    by: ana,
    verdict: 'approve',
    digest: DIGEST,
    seen: DIGEST,
    at: NOON + MINUTE,
    reasoned: false,
  })
  expect(plain.events).toEqual([
    {
      type: 'decided',
      tenant: 'main',
      approval: 'apr-1',
      revision: 2,
      command: plain.events[0]?.command,
      index: 0,
      at: NOON + MINUTE,
      status: 'pending',
      by: { person: { issuer: ana.issuer, subject: 'ana' } },
      assurance: 'signed-in',
      digest: DIGEST,
      code: 'approve',
    },
  ])
  const full = yes(ana, { reason: 'fine', payload: { a: 1 }, edit: editTo(OTHER) })
  expect(after(approval, full).decisions[0]).toMatchObject({
    reasoned: true,
    content: ['apr-1/2/reason', 'apr-1/2/payload'],
  })
})

test('changing a yes to a no counts as a no, and leaves one answer', () => {
  const once = after(asked({ requirements: [twoFinance] }), yes(ana))
  const { status, decisions } = after(once, no(ana))
  expect(status).toBe('denied')
  expect(decisions.map(({ verdict }) => verdict)).toEqual(['deny'])
})

test('a no cannot be taken back', () => {
  const denied = after(asked(), no(kim))
  expect(step(denied, yes(kim), NOON + MINUTE)).toMatchObject({ code: 'denied' })
})

test.each([
  ['a voter', ana],
  ['another eligible person', kim],
  ['the acting user', uma],
  ['an admin', root],
])('before the claim, %s may revoke a yes', (_, person) => {
  const approved = after(asked(), yes(ana))
  const revoked = after(approved, no(person))
  expect(revoked).toMatchObject({ status: 'invalidated', reason: 'revoked' })
})

test('a stranger cannot revoke a yes, and a stale digest does not', () => {
  const approved = after(asked(), yes(ana))
  expect(outcome(step(approved, no(eve), NOON + MINUTE))).toBe('not_an_approver')
  expect(outcome(step(approved, no(kim, { seen: OTHER }), NOON + MINUTE))).toBe('call_changed')
})

test('when approved, the yes lives for useBy from that moment', () => {
  const approved = accepted(step(asked(), yes(kim), NOON + MINUTE)).approval
  expect(approved).toMatchObject({ decidedAt: NOON + MINUTE, useBy: NOON + MINUTE + terms.useBy })
})

test('a voter who is locked before the last yes no longer counts', () => {
  const once = after(asked({ requirements: [twoFinance] }), yes(ana))
  const locked = step(once, yes(bo, { voters: [{ ...ana, locked: true }] }), NOON + MINUTE)
  expect(outcome(locked)).toBe('pending')
  const moved = step(once, yes(bo, { voters: [{ ...ana, groups: [] }] }), NOON + MINUTE)
  expect(outcome(moved)).toBe('pending')
  const others = step(once, yes(bo, { voters: [] }), NOON + MINUTE)
  expect(outcome(others)).toBe('approved')
})

test('someone who joined the group after voting does not count backwards', () => {
  const once = after(asked({ requirements: [financeAndSecurity] }), yes(ana))
  const joined = { ...ana, groups: ['finance', 'security'] }
  expect(outcome(step(once, yes(bo, { voters: [joined] }), NOON + MINUTE))).toBe('pending')
})

test('a yes given again is enough once an escalation lets it count', () => {
  const requirement = {
    ...financeAndSecurity,
    escalate: [{ after: 10 * MINUTE, to: { group: 'finance' }, for: 'security' }],
  }
  const both = after(asked({ requirements: [requirement] }), yes(ana), yes(bo))
  expect(both.status).toBe('pending')
  expect(outcome(step(both, yes(bo), NOON + 9 * MINUTE))).toBe('pending')
  const again = accepted(step(both, yes(bo), NOON + 10 * MINUTE))
  expect(again.approval).toMatchObject({ status: 'approved', revision: both.revision + 1 })
  expect(again.approval.decisions).toHaveLength(2)
  expect(again.approval.useBy).toBe(NOON + 10 * MINUTE + terms.useBy)
  expect(again.events.map(({ type }) => type)).toEqual(['escalated', 'approved'])
})
