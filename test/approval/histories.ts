import fc from 'fast-check'
import type { Approval } from '../../src/approval/approval.ts'
import type { Command, Request } from '../../src/approval/command.ts'
import type { Person } from '../../src/approval/people/person.ts'
import type { Requirement, Terms } from '../../src/approval/people/requirement.ts'
import {
  ana,
  bo,
  call,
  claimOf,
  commandId,
  cy,
  DIGEST,
  dee,
  editTo,
  eve,
  kim,
  MINUTE,
  OTHER,
  policyOf,
  requestFor,
  root,
  send,
  THIRD,
  terms,
  uma,
} from './asking.ts'

export const PEOPLE: readonly Person[] = [ana, bo, cy, dee, kim, eve, uma, root]
export const DIGESTS = [DIGEST, OTHER, THIRD]

const person = fc.constantFrom(...PEOPLE)
const group = fc.constantFrom('finance', 'security')
const approver = fc.oneof(
  fc.constant('*' as const),
  group.map((name) => ({ group: name })),
  person.map(({ subject }) => ({ email: `${subject.toUpperCase()}@example.com` })),
)
const requirement: fc.Arbitrary<Requirement> = fc.record({
  source: fc.constantFrom('tool', 'governance'),
  rule: fc.constantFrom('rule-1', 'rule-2', 'rule-3'),
  level: fc.constantFrom('confirm', 'review', 'review'),
  approvers: fc.array(approver, { maxLength: 2 }),
  quorum: fc.uniqueArray(fc.record({ group, n: fc.integer({ min: 1, max: 2 }) }), {
    maxLength: 2,
    selector: (part) => part.group,
  }),
  escalate: fc.array(
    fc.record(
      { after: fc.integer({ min: 1, max: 50 }).map((n) => n * MINUTE), to: approver, for: group },
      { requiredKeys: ['after', 'to'] },
    ),
    { maxLength: 2 },
  ),
})
const someTerms: fc.Arbitrary<Terms> = fc.record({
  decideBy: fc.constantFrom(10, 30, 60).map((n) => n * MINUTE),
  useBy: fc.constantFrom(1, 15).map((n) => n * MINUTE),
  minAssurance: fc.constantFrom('elicitation', 'signed-in'),
  reason: fc.constantFrom('optional', 'required'),
  edit: fc.constantFrom(true, false),
  grants: fc.boolean(),
})

export const requests: fc.Arbitrary<Request> = fc
  .record({ requirements: fc.array(requirement, { minLength: 1, maxLength: 3 }), terms: someTerms })
  .map((change) => requestFor({ ...change, directory: OPEN }))

const OPEN: Request['directory'] = {
  groups: { finance: { claim: 'f' }, security: { claim: 's' } },
  approvers: 'open',
}

/** A command that needs the approval as it is, because honest callers have read it. */
export type Move = { readonly wait: number; readonly make: (approval: Approval) => Command }

const verdicts = fc.record({
  by: person,
  deny: fc.boolean(),
  stale: fc.nat(9),
  edit: fc.nat(9),
  reason: fc.boolean(),
  added: fc.array(requirement, { maxLength: 1 }),
})

const decide = verdicts.map(({ by, deny, stale, edit, reason, added }) => (approval: Approval) => {
  const seen = stale === 0 ? OTHER : approval.digest
  const answer = policyOf(added.length > 0 ? added : approval.requirements, approval.terms)
  const target = DIGESTS[edit] ?? DIGEST
  return send('decide', {
    by,
    verdict: deny && stale < 3 ? 'deny' : 'approve',
    seen,
    ...(reason ? { reason: 'because' } : {}),
    ...(edit < 3 && !(deny && stale < 3) ? { edit: editTo(target, { answer }) } : {}),
  })
})

const make: fc.Arbitrary<Move['make']> = fc.oneof(
  { arbitrary: decide, weight: 8 },
  fc.tuple(person, fc.integer({ min: -10, max: 200 })).map(
    ([by, n]) =>
      ({ decideBy }: Approval) =>
        send('extend', { by, until: decideBy + n * MINUTE }),
  ),
  fc.constant(() => send('remind', {})),
  fc.option(person, { nil: undefined }).map((by) => () => send('escalate', by ? { by } : {})),
  fc.constant(() => send('expire', {})),
  person.map((by) => () => send('withdraw', { by: { person: by } })),
  fc.constant(() => send('withdraw', { by: { agent: 'somebody-else' } })),
  fc.tuple(fc.constantFrom('policy', 'tool', 'voter'), person).map(
    ([reason, by]) =>
      () =>
        send('invalidate', { reason, by }),
  ),
  {
    arbitrary: fc.tuple(fc.nat(3), fc.nat(9)).map(([n, gone]) => (approval: Approval) => {
      const claim = claimOf(approval, { holder: { claim: `claim-${n}`, instance: 'i' } })
      return gone === 0 ? { ...claim, voters: claim.voters.slice(1) } : claim
    }),
    weight: 4,
  },
  fc.tuple(fc.nat(3), fc.constantFrom('succeeded', 'failed')).map(
    ([n, outcome]) =>
      () =>
        send('finish', { claim: `claim-${n}`, outcome }),
  ),
  fc.constant(() => send('lost', {})),
  fc.tuple(person, fc.constantFrom('succeeded', 'failed')).map(
    ([by, outcome]) =>
      () =>
        send('resolve', { by, outcome }),
  ),
  fc.constant(() => requestFor({ digest: DIGEST, call, terms })),
  {
    arbitrary: fc.tuple(fc.constantFrom('question', 'comment'), person).map(
      ([type, by]) =>
        () =>
          send(type, { by, text: 'What for?' }),
    ),
    weight: 2,
  },
  fc
    .constantFrom(call.agent, 'somebody-else')
    .map((agent) => () => send('reply', { by: { agent }, text: 'approve it' })),
  fc.tuple(person, person).map(
    ([by, to]) =>
      () =>
        send('assign', { by, to }),
  ),
)

const SECONDS = [0, 1, 5, 31, 60, 240, 900]

export const histories: fc.Arbitrary<Move[]> = fc.array(
  fc.record({ wait: fc.constantFrom(...SECONDS).map((n) => n * 1_000), make }),
  { minLength: 1, maxLength: 30 },
)

/** The same command as a new attempt. */
export function resent(command: Command): Command {
  return { ...command, commandId: commandId() }
}
