import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  after,
  ana,
  asked,
  asks,
  bo,
  cy,
  dee,
  financeAndSecurity,
  kim,
  MINUTE,
  NOON,
  no,
  outcome,
  SECOND,
  someone,
  twoFinance,
  uma,
  yes,
} from '../../../test/approval/asking.ts'
import { step } from '../step.ts'
import type { Person } from './person.ts'
import { canFillAll } from './quorum.ts'
import type { Requirement } from './requirement.ts'

const one = (group: string, n: number) => ({ group, n })
const both = asks({ quorum: [one('finance', 2), one('security', 1)] })
const named = asks({ approvers: [{ email: 'kim@example.com' }], quorum: [one('finance', 1)] })
const second = asks({ source: 'governance', rule: 'governance.money', quorum: [one('finance', 1)] })
const otherDee = { ...dee, subject: 'dee-2' }

test.each<[string, readonly Requirement[], readonly Person[], string]>([
  // what happens                              requirements          yeses         result
  ['two members fill two places', [twoFinance], [ana, bo], 'approved'],
  ['each group needs its own', [financeAndSecurity], [ana, cy], 'approved'],
  ['two of one group are not one of each', [financeAndSecurity], [ana, bo], 'pending'],
  ['one person in both groups fills one place', [financeAndSecurity], [dee], 'pending'],
  ['and moves over for another', [financeAndSecurity], [dee, ana], 'approved'],
  ['in either order', [financeAndSecurity], [ana, dee], 'approved'],
  ['and to the other side', [financeAndSecurity], [dee, cy], 'approved'],
  ['three places need three people', [both], [dee, ana], 'pending'],
  ['three people fill three places', [both], [dee, ana, bo], 'approved'],
  ['the acting user fills no place', [twoFinance], [ana], 'pending'],
  ['approvers and quorum must both be met', [named], [ana], 'pending'],
  ['by different people', [named], [ana, kim], 'approved'],
  ['one yes counts in several requirements', [twoFinance, second], [ana, bo], 'approved'],
  [
    'one yes meets two sources alone',
    [asks({ approvers: [{ group: 'finance' }] }), second],
    [ana],
    'approved',
  ],
  [
    'every source must be met',
    [asks({ approvers: [{ group: 'security' }] }), second],
    [ana],
    'pending',
  ],
  ['two logins with one address are one person', [twoFinance], [dee, otherDee], 'pending'],
  [
    'even if one of them never verified it',
    [twoFinance],
    [dee, { ...otherDee, emailVerified: false }],
    'pending',
  ],
  ['and do not stop others', [twoFinance], [dee, otherDee, bo], 'approved'],
])('%s', (_, requirements, people, result) => {
  const approval = asked({ requirements })
  expect(after(approval, ...people.map((person) => yes(person))).status).toBe(result)
})

test('one person with two logins may meet two sources, each by the login that fits', () => {
  const first = someone('ida-1', { email: 'ida@example.com', groups: ['finance'] })
  const second = someone('ida-2', { email: 'ida@example.com', groups: ['security'] })
  const requirements = [
    asks({ approvers: [{ group: 'finance' }] }),
    asks({ rule: 'governance.x', approvers: [{ group: 'security' }] }),
  ]
  expect(after(asked({ requirements }), yes(first), yes(second)).status).toBe('approved')
  const quorum = [financeAndSecurity]
  expect(after(asked({ requirements: quorum }), yes(first), yes(second)).status).toBe('pending')
})

test('an acting user in the group is refused, not counted', () => {
  expect(outcome(step(asked({ requirements: [twoFinance] }), yes(uma), NOON))).toBe('self_approval')
})

test('a denial by anyone eligible beats all yeses', () => {
  const approval = after(asked({ requirements: [both] }), yes(dee), yes(ana), no(bo))
  expect(approval.status).toBe('denied')
})

// Escalation

const escalating = asks({
  quorum: [one('finance', 1), one('security', 1)],
  escalate: [{ after: 10 * MINUTE, to: { email: 'kim@example.com' }, for: 'security' }],
})
const late = NOON + 10 * MINUTE

test('before its time an escalation adds no approver', () => {
  const approval = asked({ requirements: [escalating] })
  expect(outcome(step(approval, yes(kim), late - 1))).toBe('not_an_approver')
})

test('from its time on it does, whether a sweeper ran or not', () => {
  const approval = after(asked({ requirements: [escalating] }), yes(ana))
  const transition = step(approval, yes(kim), late)
  expect(outcome(transition)).toBe('approved')
  expect(transition.events.map(({ type }) => type)).toEqual(['escalated', 'decided', 'approved'])
  expect(transition.approval?.revision).toBe(approval.revision + 1)
})

test('`for` limits it to the places of one group', () => {
  const approval = after(asked({ requirements: [escalating] }), yes(cy))
  expect(outcome(step(approval, yes(kim), late))).toBe('pending')
})

test('without `for` it fills any place of its own source', () => {
  const requirement = { ...escalating, escalate: [{ after: 10 * MINUTE, to: '*' as const }] }
  const approval = after(asked({ requirements: [requirement] }), yes(cy))
  expect(outcome(step(approval, yes(kim), late))).toBe('approved')
})

test('it widens its own source only', () => {
  const open = asks({
    approvers: [{ group: 'finance' }],
    escalate: [{ after: 10 * MINUTE, to: { group: 'security' } }],
  })
  const strict = asks({
    source: 'governance',
    rule: 'governance.x',
    approvers: [{ group: 'finance' }],
  })
  const approval = asked({ requirements: [open, strict] })
  const transition = step(approval, yes(cy), late)
  expect(outcome(transition)).toBe('pending')
  if (!transition.ok) throw new Error()
  expect(outcome(step(transition.approval, yes(ana), late + SECOND))).toBe('approved')
})

test('an escalation to the acting user adds no approver', () => {
  const requirement = asks({
    approvers: [{ group: 'finance' }],
    escalate: [{ after: 10 * MINUTE, to: { email: 'uma@example.com' } }],
  })
  expect(outcome(step(asked({ requirements: [requirement] }), yes(uma), late))).toBe(
    'self_approval',
  )
})

test('matching agrees with trying every arrangement', () => {
  const cases = fc.record({ places: fc.nat(5), people: fc.nat(5) }).chain(({ places, people }) =>
    fc.tuple(
      fc.constant(people),
      fc.array(fc.array(fc.boolean(), { minLength: people, maxLength: people }), {
        minLength: places,
        maxLength: places,
      }),
    ),
  )
  fc.assert(
    fc.property(cases, ([people, fits]) => {
      const fast = canFillAll(
        fits.length,
        people,
        (place, person) => fits[place]?.[person] ?? false,
      )
      expect(fast).toBe(tryAll(fits, 0, new Set()))
    }),
    { numRuns: 3_000 },
  )
})

function tryAll(fits: readonly boolean[][], place: number, seated: ReadonlySet<number>): boolean {
  const row = fits[place]
  if (!row) return true
  return row.some(
    (fit, person) =>
      fit && !seated.has(person) && tryAll(fits, place + 1, new Set([...seated, person])),
  )
}

test('a hundred places and two hundred people take no time', () => {
  const quorum = asks({ quorum: [one('finance', 100)] })
  const people = Array.from({ length: 99 }, (_, n) => someone(`p${n}`, { groups: ['finance'] }))
  const directory = { groups: { finance: { claim: 'groups' } }, approvers: 'open' as const }
  const approval = asked({ requirements: [quorum], directory })
  const started = performance.now()
  const nearly = after(approval, ...people.map((person) => yes(person)))
  expect(nearly.status).toBe('pending')
  expect(after(nearly, yes(someone('last', { groups: ['finance'] }))).status).toBe('approved')
  expect(performance.now() - started).toBeLessThan(5_000)
})
