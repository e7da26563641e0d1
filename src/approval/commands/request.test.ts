import { expect, test } from 'vitest'
import {
  accepted,
  after,
  anyApprover,
  asked,
  asks,
  call,
  claimOf,
  confirmation,
  DIGEST,
  describe,
  financeAndSecurity,
  kim,
  MINUTE,
  NOON,
  no,
  OTHER,
  outcome,
  requestFor,
  send,
  terms,
  twoFinance,
  yes,
} from '../../../test/approval/asking.ts'
import type { Approval } from '../approval.ts'
import type { Request } from '../command.ts'
import type { Directory } from '../people/requirement.ts'
import { step } from '../step.ts'

const people = (
  groups: Record<string, string[]>,
  approvers: Directory['approvers'] = [],
): Directory => ({
  groups: Object.fromEntries(
    Object.entries(groups).map(([name, emails]) => [
      name,
      { emails: emails.map((one) => `${one}@example.com`) },
    ]),
  ),
  approvers,
})
const { principal: _, ...nobodysCall } = call
const kimIsKnown = [{ issuer: kim.issuer, subject: 'kim', email: 'kim@example.com' }]
const finance = asks({ approvers: [{ group: 'finance' }] })
const escalatedFor = (group: string) => ({
  ...financeAndSecurity,
  escalate: [{ after: MINUTE, to: '*' as const, for: group }],
})
const toSecurity = { ...finance, escalate: [{ after: MINUTE, to: { group: 'security' } }] }

test.each<[string, Request['requirements'][number], Directory, string]>([
  // who is asked                        requirement   directory                         result
  ['a group with a member', finance, people({ finance: ['ana'] }), 'pending'],
  ['an empty group', finance, people({ finance: [] }), 'no_eligible_approver'],
  ['an undefined group', finance, people({}), 'no_eligible_approver'],
  [
    'a group named like a method',
    asks({ approvers: [{ group: 'toString' }] }),
    people({}),
    'no_eligible_approver',
  ],
  [
    'a group by claim',
    finance,
    { groups: { finance: { claim: 'fin' } }, approvers: [] },
    'pending',
  ],
  [
    'a group of the acting user alone',
    finance,
    people({ finance: ['uma'] }),
    'no_eligible_approver',
  ],
  [
    'the acting user by address, in capitals',
    asks({ approvers: [{ email: 'UMA@example.com' }] }),
    people({}),
    'no_eligible_approver',
  ],
  ['an address', asks({ approvers: [{ email: 'ana@example.com' }] }), people({}), 'pending'],
  ['anyone, and no person has the role', anyApprover, people({}), 'no_eligible_approver'],
  ['anyone, and a person has the role', anyApprover, people({}, kimIsKnown), 'pending'],
  ['anyone, and people may still come', anyApprover, people({}, 'open'), 'pending'],
  ['two of a group of two', twoFinance, people({ finance: ['ana', 'bo'] }), 'pending'],
  ['two of a group of one', twoFinance, people({ finance: ['ana'] }), 'no_eligible_approver'],
  [
    'two of a group with the acting user',
    twoFinance,
    people({ finance: ['ana', 'uma'] }),
    'no_eligible_approver',
  ],
  [
    'two of one person in two spellings',
    twoFinance,
    people({ finance: ['ana', 'ANA'] }),
    'no_eligible_approver',
  ],
  [
    'one of each, and the same person in both',
    financeAndSecurity,
    people({ finance: ['dee'], security: ['dee'] }),
    'no_eligible_approver',
  ],
  [
    'one of each',
    financeAndSecurity,
    people({ finance: ['dee'], security: ['dee', 'cy'] }),
    'pending',
  ],
  [
    'only those an escalation will add',
    toSecurity,
    people({ finance: [], security: ['cy'] }),
    'pending',
  ],
  [
    'someone an escalation adds for the group that lacks one',
    escalatedFor('security'),
    people({ finance: ['ana'], security: [] }, kimIsKnown),
    'pending',
  ],
  [
    'someone an escalation adds for the other group',
    escalatedFor('finance'),
    people({ finance: ['ana'], security: [] }, kimIsKnown),
    'no_eligible_approver',
  ],
  ['the acting user, to confirm', confirmation, people({}), 'pending'],
])('asking %s: %#', (_, requirement, directory, result) => {
  expect(
    outcome(step(undefined, requestFor({ requirements: [requirement], directory }), NOON)),
  ).toBe(result)
})

test('a confirm without an acting user needs a person with the role', () => {
  const confirm = (principal: Request['call']['principal'], approvers: Directory['approvers']) =>
    outcome(
      step(
        undefined,
        requestFor({
          call: { ...nobodysCall, ...(principal ? { principal } : {}) },
          requirements: [confirmation],
          directory: people({}, approvers),
        }),
        NOON,
      ),
    )
  expect(confirm(undefined, [])).toBe('no_eligible_approver')
  expect(confirm({ subject: 'a word' }, [])).toBe('no_eligible_approver')
  expect(confirm(undefined, kimIsKnown)).toBe('pending')
})

test('a refused request leaves nothing behind', () => {
  const refused = step(undefined, requestFor({ directory: people({}) }), NOON)
  expect(refused).toMatchObject({ ok: false, events: [] })
  expect(refused.approval).toBeUndefined()
})

test.each<[string, Exclude<Directory['approvers'], 'open'>[number], string]>([
  ['the acting user', { issuer: kim.issuer, subject: 'uma' }, 'no_eligible_approver'],
  ['the acting user’s namesake elsewhere', { issuer: 'elsewhere', subject: 'uma' }, 'pending'],
  ['someone by the acting user’s bare name', { subject: 'uma' }, 'no_eligible_approver'],
  [
    'someone with the acting user’s address',
    { issuer: 'elsewhere', subject: 'x', email: 'Uma@example.com' },
    'no_eligible_approver',
  ],
  ['someone by the name of the agent', { subject: 'billing-bot' }, 'no_eligible_approver'],
  ['someone else', { issuer: kim.issuer, subject: 'kim' }, 'pending'],
])('when only %s has the role: %#', (_, known, result) => {
  const command = requestFor({ directory: people({}, [known]) })
  expect(outcome(step(undefined, command, NOON))).toBe(result)
})

test('an acting user known by name and address is excluded by either', () => {
  const principal = { subject: 'uma', email: 'uma@example.com' }
  const requirements = [asks({ approvers: [{ email: 'uma@example.com' }] })]
  const command = requestFor({ call: { ...call, principal }, requirements })
  expect(outcome(step(undefined, command, NOON))).toBe('no_eligible_approver')
})

test('the record of a request names the call, and only people an issuer vouches for', () => {
  const first = accepted(step(undefined, requestFor(), NOON)).events[0]
  expect(first?.facts).toEqual({
    kind: 'tool',
    door: 'in-process',
    tool: 'transfer_money',
    definition: call.definition,
    agent: 'billing-bot',
    run: 'chat-1',
    key: 'call-1',
    issuer: kim.issuer,
    principal: 'uma',
    level: 'review',
    decideBy: NOON + terms.decideBy,
    policy: 'policy-1',
    rules: ['tools.transfer_money.approval'],
  })
  const named = { ...call, principal: { subject: 'uma@example.com' } }
  const second = accepted(step(undefined, requestFor({ call: named }), NOON)).events[0]
  expect(JSON.stringify(second)).not.toContain('uma')
})

test('the question keeps all a person is shown', () => {
  const content = {
    arguments: '{}',
    message: 'Delegate?',
    missing: ['x'],
    context: { says: 'trust me', links: ['https://example.com'] },
    parentInput: '{"a":1}',
  }
  const asked = accepted(step(undefined, requestFor({ content }), NOON))
  const { arguments: _args, ...question } = content
  expect(asked.content.map(({ value }) => value)).toEqual(['{}', question])
})

// Asking again

const pending = asked()
const approved = after(pending, yes(kim))
const running = after(approved, claimOf(approved))
const finished = after(running, send('finish', { claim: 'claim-1', outcome: 'succeeded' }))

test.each<[string, Approval]>([
  ['pending', pending],
  ['denied', after(pending, no(kim))],
  ['succeeded', finished],
])('the same key and call give the same approval when %s', (_, approval) => {
  const again = accepted(step(approval, requestFor({ id: 'apr-2' }), NOON + MINUTE))
  expect(again.approval).toBe(approval)
  expect([again.events, again.content]).toEqual([[], []])
})

test('the same key for another call is refused', () => {
  expect(outcome(step(pending, requestFor({ digest: OTHER }), NOON))).toBe('key_reused')
})

test('an edited approval still answers to the call that was asked', () => {
  const edited = { ...pending, digest: OTHER }
  expect(outcome(step(edited, requestFor({ digest: DIGEST }), NOON))).toBe('pending')
  expect(outcome(step(edited, requestFor({ digest: OTHER }), NOON))).toBe('key_reused')
})

const { key: _key, ...keyless } = call
const { run: _run, ...alone } = keyless

test.each<[string, string]>([
  ['pending', 'pending'],
  ['approved', 'approved'],
  ['running', 'running'],
  ['succeeded', 'not_joinable'],
  ['denied', 'not_joinable'],
])('a caller without keys joins by digest: %s gives %s', (state, result) => {
  const first = asked({ call: keyless })
  const yesed = after(first, yes(kim))
  const ran = after(yesed, claimOf(yesed))
  const all: Record<string, Approval> = {
    pending: first,
    approved: yesed,
    running: ran,
    succeeded: after(ran, send('finish', { claim: 'claim-1', outcome: 'succeeded' })),
    denied: after(first, no(kim)),
  }
  const approval = all[state] ?? first
  expect(describe(approval)).toBe(state)
  const command = requestFor({ id: 'apr-2', call: keyless })
  expect(outcome(step(approval, command, approval.changedAt))).toBe(result)
})

test('a call outside any run joins nothing, but its own request repeated is one request', () => {
  const approval = asked({ call: alone })
  expect(outcome(step(approval, requestFor({ id: 'apr-2', call: alone }), NOON))).toBe(
    'not_joinable',
  )
  expect(outcome(step(approval, requestFor({ call: alone }), NOON))).toBe('pending')
})

test.each<[string, Partial<Request>, string]>([
  ['another tenant', { tenant: 'other' }, 'approval_not_found'],
  ['another agent', { call: { ...call, agent: 'other-bot' } }, 'not_joinable'],
  ['another run', { call: { ...call, run: 'chat-2' } }, 'not_joinable'],
  ['another key', { call: { ...call, key: 'call-2' } }, 'not_joinable'],
])('%s never gets this approval', (_, change, code) => {
  expect(outcome(step(pending, requestFor({ id: 'apr-2', ...change }), NOON))).toBe(code)
})

test('a request with caps is refused where questions were not counted', () => {
  const capped = { ...requestFor(), caps: { pending: 5 } }
  expect(step(undefined, capped, 1_000)).toMatchObject({ ok: false, code: 'internal' })
  const load = { pending: 5, lately: 0 }
  expect(step(undefined, capped, 1_000, { load })).toMatchObject({ code: 'too_many_pending' })
  expect(step(undefined, capped, 1_000, { load: { pending: 4, lately: 9 } })).toMatchObject({
    ok: true,
  })
})
