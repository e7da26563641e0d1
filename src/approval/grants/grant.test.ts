import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  accepted,
  ana,
  anyApprover,
  asks,
  call,
  claimOf,
  DIGEST,
  dee,
  eve,
  financeAndSecurity,
  HOUR,
  kim,
  NOON,
  OTHER,
  outcome,
  requestFor,
  root,
  terms,
  twoFinance,
  uma,
} from '../../../test/approval/asking.ts'
import { promise } from '../../../test/support/promise.ts'
import type { Request } from '../command.ts'
import { mayStart } from '../commands/execution.ts'
import type { Person } from '../people/person.ts'
import { allMet } from '../people/quorum.ts'
import { step } from '../step.ts'
import type { Grant } from './grant.ts'
import type { GrantCommand, Mint } from './grant-command.ts'
import { grantStep, spend } from './grant-step.ts'

const holder = { claim: 'claim-1', instance: 'instance-1' }

const mint: Mint = {
  type: 'mint',
  commandId: 'mint-1',
  id: 'grant-1',
  tenant: 'acme',
  by: kim,
  scope: { kind: 'tool', tool: 'transfer_money', agent: 'billing-bot' },
  limits: { condition: { args_match: { amount: { lte: 50 } } }, uses: 2 },
  lasts: HOUR,
}

function minted(change: Partial<Mint> = {}): Grant {
  const done = grantStep(undefined, { ...mint, tenant: requestFor().tenant, ...change }, NOON)
  if (!done.ok) throw new Error(`${done.code}: ${done.message}`)
  return done.grant
}

interface Use {
  readonly grant?: Grant
  readonly use?: Partial<NonNullable<Request['grant']>>
  readonly request?: Partial<Request>
  readonly now?: number
}

function used({ grant = minted(), use, request, now = NOON }: Use = {}) {
  const taken = { id: grant.id, minter: grant.by, covered: true, holder, ...use }
  return step(undefined, requestFor({ ...request, grant: taken }), now, { grant })
}

test('a grant that covers the call approves and claims it at once', () => {
  const { approval, events } = accepted(used())
  expect(approval).toMatchObject({ status: 'approved', grant: 'grant-1', revision: 1 })
  expect(approval.decisions).toMatchObject([{ by: kim, verdict: 'approve', grant: 'grant-1' }])
  expect(approval.execution).toMatchObject({ state: 'running', claim: 'claim-1' })
  expect(mayStart(approval, 'claim-1', NOON + 9_999)).toBe(true)
  expect([approval.decidedAt, approval.useBy]).toEqual([NOON, NOON + terms.useBy])
  expect(events.map(({ type }) => type)).toEqual(['requested', 'approved', 'claimed'])
  expect(outcome(step(approval, claimOf(approval), NOON))).toBe('already_claimed')
})

promise(
  ['CS-PEOPLE-6'],
  'a grant ends with the removal of its maker, also when they come back',
  () => {
    const grant = minted()
    const taken = { id: grant.id, minter: kim, covered: true, holder }
    const readded = {
      id: 'readded-kim',
      target: { person: { issuer: kim.issuer, subject: kim.subject } },
      by: { issuer: root.issuer, subject: root.subject },
      reason: 'they were removed',
      at: NOON + 1,
      until: NOON + 2,
      removed: true,
    } as const
    const use = (locks: readonly (typeof readded)[]) =>
      outcome(step(undefined, requestFor({ grant: taken }), NOON + 3, { grant, locks }))
    expect([use([]), use([readded])]).toEqual(['running', 'grant_not_enough'])
  },
)

test('without a holder the yes waits to be claimed, and dies with its grant', () => {
  const grant = minted()
  const { holder: _, ...rest } = { id: grant.id, minter: kim, covered: true, holder }
  const { approval } = accepted(step(undefined, requestFor({ grant: rest }), NOON, { grant }))
  expect(approval.execution).toBeUndefined()
  const claim = claimOf(approval, { grant: grant.id })
  expect(step(approval, claim, NOON, { grant }).ok).toBe(true)
  const gone: (Grant | undefined)[] = [
    undefined,
    { ...grant, state: 'revoked' },
    { ...grant, id: 'another' },
    { ...grant, endsAt: NOON },
  ]
  for (const other of gone) {
    const late = step(approval, claim, NOON, { grant: other })
    expect(late).toMatchObject({ ok: false, approval: { reason: 'revoked' } })
  }
  const unknown = { ...claim, voters: [] }
  expect(step(approval, unknown, NOON, { grant }).approval).toMatchObject({ reason: 'voter' })
})

promise.each<[string, Use]>(
  ['CS-GRANT-1', 'CS-GRANT-5'],
  'a grant is not enough',
  [
    ['made by someone who could not approve this', { grant: minted({ by: eve }) }],
    ['made by the acting user', { grant: minted({ by: uma }) }],
    ['made by someone locked since', { use: { minter: { ...kim, locked: true } } }],
    ['made by someone who lost the role', { use: { minter: { ...kim, roles: ['viewer'] } } }],
    [
      'made by someone who got the role only later',
      { grant: minted({ by: { ...kim, roles: ['viewer'] } }), use: { minter: kim } },
    ],
    ['presented as another person’s', { use: { minter: ana } }],
    [
      'where two people must agree',
      { grant: minted({ by: ana }), request: { requirements: [twoFinance] } },
    ],
    [
      'where one rule asks for another person as well',
      { request: { requirements: [anyApprover, asks({ approvers: [{ group: 'security' }] })] } },
    ],
    ['where the policy allows none', { request: { terms: { ...terms, grants: false } } }],
    ['for a call of risk L5', { request: { call: { ...call, risk: 'L5' } } }],
    [
      'made with too little assurance',
      { request: { terms: { ...terms, minAssurance: 'passkey' } } },
    ],
    [
      'made without the reason that every yes needs',
      { request: { terms: { ...terms, reason: 'required_always' } } },
    ],
    ['for another tool', { request: { call: { ...call, tool: 'delete_all' } } }],
    ['for a server’s tool of that name', { request: { call: { ...call, server: 'bank' } } }],
    ['for another agent', { request: { call: { ...call, agent: 'other-bot' } } }],
    ['for another tenant', { request: { tenant: 'other' } }],
    ['whose condition did not say yes', { use: { covered: false } }],
    ['for another run', { grant: minted({ scope: { ...mint.scope, run: 'chat-0' } }) }],
    ['for another door', { grant: minted({ scope: { ...mint.scope, door: 'mcp' } }) }],
    [
      'for the tool as it was before',
      { grant: minted({ scope: { ...mint.scope, definition: OTHER } }) },
    ],
    [
      'for calls without an acting user',
      { grant: minted({ scope: { ...mint.scope, principal: null } }) },
    ],
    ['for another call', { grant: minted({ limits: { digest: OTHER, uses: 2 } }) }],
  ],
  (_, use) => {
    expect(outcome(used(use))).toBe('grant_not_enough')
  },
)

test('one person who may fill the only place of a quorum is enough', () => {
  const one = asks({ quorum: [{ group: 'security', n: 1 }] })
  expect(used({ grant: minted({ by: dee }), request: { requirements: [one] } }).ok).toBe(true)
  const both = { requirements: [financeAndSecurity] }
  expect(used({ grant: minted({ by: dee }), request: both }).ok).toBe(false)
})

promise.each<[string, Use]>(
  ['CS-GRANT-3', 'CS-GRANT-4'],
  'a grant covers nothing any more',
  [
    ['from the moment it ends', { now: NOON + HOUR }],
    ['once it is used up', { grant: { ...minted(), uses: 2 } }],
    ['once it was revoked', { grant: { ...minted(), state: 'revoked' } }],
    ['with a budget and no amount', { grant: budgeted(10) }],
    ['with a budget that is too small', { grant: budgeted(10), use: { amount: 10.01 } }],
    [
      'with a budget that is spent',
      { grant: { ...budgeted(10), spent: '9.9' }, use: { amount: 0.2 } },
    ],
  ],
  (_, use) => {
    expect(outcome(used(use))).toBe('grant_ended')
  },
)

promise.each<[string, unknown]>(
  ['CS-GRANT-4'],
  'no amount',
  [
    ['less than nothing', -1],
    ['not a number', Number.NaN],
    ['endless', Number.POSITIVE_INFINITY],
    ['text', '5'],
    ['too large to be exact', 2 ** 60],
  ],
  (_, amount) => {
    const grant = budgeted(100)
    expect(outcome(used({ grant, use: { amount: amount as number } }))).toBe('invalid_command')
  },
)

function budgeted(most: number): Grant {
  const limits = { ...mint.limits, budget: { path: 'amount', keys: ['amount'], most } }
  return minted({ limits })
}

test('the last use ends it', () => {
  const request = requestFor({ grant: { id: 'grant-1', minter: kim, covered: true, holder } })
  const first = spend(minted(), request, NOON)
  expect(first.grant).toMatchObject({ uses: 1, state: 'live', revision: 2 })
  const second = spend(first.grant, request, NOON)
  expect(second.grant).toMatchObject({ uses: 2, state: 'used_up' })
  expect(second.event).toMatchObject({ type: 'grant.used', facts: { use: 2, left: 0 } })
})

test.each<[string, Partial<Mint>, string]>([
  ['that never ends', { lasts: 31 * 24 * HOUR }, 'invalid_command'],
  ['that ends at once', { lasts: 0 }, 'invalid_command'],
  ['without uses', { limits: { ...mint.limits, uses: 0 } }, 'invalid_command'],
  ['without limits', { limits: { uses: 1 } }, 'invalid_command'],
  ['of two kinds at once', { limits: { ...mint.limits, digest: DIGEST } }, 'invalid_command'],
  ['by a locked person', { by: { ...kim, locked: true } }, 'not_permitted'],
  [
    'from inside an agent’s client',
    { by: { ...kim, assurance: 'elicitation' } },
    'assurance_too_low',
  ],
])('a grant %s is not made', (_, change, code) => {
  expect(grantStep(undefined, { ...mint, ...change }, NOON)).toMatchObject({ ok: false, code })
})

test('the same command makes one grant; another makes none of the same name', () => {
  const grant = minted()
  expect(grantStep(grant, mint, NOON)).toEqual({ ok: true, grant })
  expect(grantStep(grant, { ...mint, commandId: 'mint-2' }, NOON).ok).toBe(false)
})

test.each<[string, Person, boolean]>([
  ['the person who made it', { ...kim, roles: ['viewer'] }, true],
  ['an approver', ana, true],
  ['an admin', root, true],
  ['a person who only looks', eve, false],
  ['an admin who is locked', { ...root, locked: true }, false],
])('%s may revoke it: %#', (_, by, may) => {
  const done = grantStep(minted(), { type: 'revoke', commandId: 'c', by }, NOON)
  expect(done.ok).toBe(may)
})

test('revoking what is over changes nothing, except that its end is written down', () => {
  const command: GrantCommand = { type: 'revoke', commandId: 'c', by: ana }
  const late = grantStep(minted(), command, NOON + HOUR)
  expect(late).toMatchObject({ ok: true, grant: { state: 'expired' } })
  const over = { ...minted(), state: 'used_up' as const }
  expect(grantStep(over, command, NOON)).toEqual({ ok: true, grant: over })
})

promise(
  ['CS-GRANT-1'],
  'a grant never lets a call run that its maker could not have approved',
  () => {
    const person = fc.constantFrom(ana, dee, eve, kim, root, uma).chain((one) =>
      fc.record({
        issuer: fc.constant(one.issuer),
        subject: fc.constant(one.subject),
        email: fc.constant(`${one.subject}@example.com`),
        emailVerified: fc.boolean(),
        groups: fc.subarray(['finance', 'security']),
        roles: fc.subarray(['viewer', 'approver', 'admin'] as const),
        assurance: fc.constantFrom('signed-in' as const, 'passkey' as const),
        locked: fc.boolean(),
      }),
    )
    const requirement = fc
      .record({
        level: fc.constantFrom('confirm' as const, 'review' as const),
        approvers: fc.subarray(['*' as const, { group: 'finance' }, { email: 'kim@example.com' }]),
        quorum: fc.subarray([
          { group: 'finance', n: 1 },
          { group: 'security', n: 1 },
          { group: 'finance', n: 2 },
        ]),
      })
      .map(asks)
    const demands = fc.array(requirement, { minLength: 1, maxLength: 3 })
    let ran = 0
    fc.assert(
      fc.property(person, person, demands, fc.boolean(), (then, today, requirements, same) => {
        const made = grantStep(undefined, { ...mint, tenant: requestFor().tenant, by: then }, NOON)
        if (!made.ok) return
        const minter = same ? then : { ...today, issuer: then.issuer, subject: then.subject }
        const done = used({ grant: made.grant, use: { minter }, request: { requirements } })
        if (!done.ok) return
        ran += 1
        // Asked and answered by this one person at each of the two moments, it would be approved.
        for (const by of [then, minter]) {
          expect(allMet({ requirements, call, escalated: [] }, [{ voted: by }])).toBe(true)
          expect(by.locked).toBe(false)
        }
      }),
      { numRuns: 2_000 },
    )
    expect(ran).toBeGreaterThan(20)
  },
)
