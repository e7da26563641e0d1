import { expect, test } from 'vitest'
import {
  accepted,
  after,
  ana,
  anyApprover,
  asked,
  asks,
  bo,
  claimOf,
  confirmation,
  cy,
  dee,
  eve,
  financeAndSecurity,
  HOUR,
  kim,
  MINUTE,
  NOON,
  no,
  outcome,
  requestFor,
  SECOND,
  send,
  someone,
  twoFinance,
  uma,
  yes,
} from '../../../test/approval/asking.ts'
import { promise } from '../../../test/support/promise.ts'
import type { Approval } from '../approval.ts'
import type { Command } from '../command.ts'
import type { Lock } from '../locks/lock.ts'
import { step } from '../step.ts'
import type { Absent, Person } from './person.ts'
import type { Requirement } from './requirement.ts'
import { asVoter, readStandIn, type StandIn } from './stand-in.ts'

const soon = NOON + MINUTE

function standIn(absent: Person, by: Person, facts: Partial<StandIn> = {}): StandIn {
  const name = ({ issuer, subject }: Person) => ({ issuer, subject })
  return {
    id: `${by.subject}-for-${absent.subject}`,
    absent: name(absent),
    standIn: name(by),
    from: NOON,
    until: NOON + HOUR,
    by: name(absent),
    at: NOON,
    ...facts,
  }
}

function away({ roles: _, assurance: __, ...absent }: Person, by: Person): Absent {
  return { ...absent, standIn: `${by.subject}-for-${absent.subject}` }
}

/** The person as a gate sends them, who stands in for these. */
function standing(by: Person, ...absent: readonly Person[]): Person {
  return { ...by, for: absent.map((one) => away(one, by)) }
}

const ALL = [
  [ana, eve],
  [bo, eve],
  [cy, eve],
  [uma, eve],
  [ana, kim],
  [bo, ana],
  [eve, cy],
  [ana, bo],
  [ana, uma],
].map(([absent, by]) => standIn(absent as Person, by as Person))

/** Each in turn, all of which must be accepted. */
function told(approval: Approval, standIns: readonly StandIn[], ...commands: Command[]): Approval {
  return commands.reduce(
    (now, command) => accepted(step(now, command, soon, { standIns })).approval,
    approval,
  )
}

const named = asks({ approvers: [{ email: 'ana@example.com' }] })
const one = (group: string, n: number) => ({ group, n })

promise.each(
  ['CS-STANDIN-1', 'CS-STANDIN-2'],
  'who fills which place',
  [
    // what happens                       requirements      yeses           result
    ['for a person named by address', [named], [standing(eve, ana)], 'approved'],
    ['for a member of a group', [twoFinance], [standing(eve, ana), bo], 'approved'],
    [
      'for an approver by group',
      [asks({ approvers: [{ group: 'finance' }] })],
      [standing(eve, bo)],
      'approved',
    ],
    ['not alone where two are needed', [twoFinance], [standing(eve, ana)], 'pending'],
    ['one yes, although for two people', [twoFinance], [standing(eve, ana, bo)], 'pending'],
    [
      'one yes in two rules, each for another',
      [named, asks({ rule: 'r2', approvers: [{ group: 'security' }] })],
      [standing(eve, ana, cy)],
      'approved',
    ],
    ['one yes, in their own right or for another', [twoFinance], [standing(bo, ana)], 'pending'],
    [
      'the absent and their stand-in are one place',
      [twoFinance],
      [ana, standing(eve, ana)],
      'pending',
    ],
    ['in either order', [twoFinance], [standing(eve, ana), ana], 'pending'],
    [
      'two stand-ins of one person are one place',
      [twoFinance],
      [standing(eve, ana), standing(kim, ana)],
      'pending',
    ],
    [
      'and a third person fills the other',
      [twoFinance],
      [standing(eve, ana), standing(kim, ana), bo],
      'approved',
    ],
    [
      'each stand-in for another',
      [twoFinance],
      [standing(eve, ana, bo), standing(kim, ana)],
      'approved',
    ],
    [
      'a stand-in moves to the place they alone fill',
      [financeAndSecurity],
      [standing(cy, eve), standing(eve, ana, cy)],
      'approved',
    ],
  ] as const,
  (_, requirements, people, result) => {
    const approval = asked({ requirements: requirements as readonly Requirement[] })
    const told = (people as readonly Person[]).reduce((now, by) => {
      const done = step(now, yes(by), soon, { standIns: ALL })
      return done.ok ? done.approval : now
    }, approval)
    expect(told.status).toBe(result)
  },
)

promise.each(
  ['CS-STANDIN-1'],
  'who is not let in',
  [
    ['no person without a record', standing(dee, cy), named],
    ['not by a role', standing(eve, kim), anyApprover],
    ['not for a person who is not asked', standing(eve, cy), named],
    ['not for the acting user at confirm', standing(eve, uma), confirmation],
    ['not on from stand-in to stand-in', standing(cy, eve), named],
  ] as const,
  (_, by, requirement) => {
    const standIns = [...ALL, standIn(kim, eve)]
    const done = step(asked({ requirements: [requirement] }), yes(by), soon, { standIns })
    expect(outcome(done)).toBe('not_an_approver')
  },
)

promise(['CS-STANDIN-4'], 'the record names who stands in, whatever the sender says', () => {
  const approval = asked({ requirements: [named] })
  const borrowed = { ...dee, for: [away(ana, eve)] }
  const code = (by: Person) => outcome(step(approval, yes(by), soon, { standIns: ALL }))
  expect(code(borrowed)).toBe('not_an_approver')
  // The record is hers, and it is about another person.
  expect(code({ ...eve, for: [{ ...away(ana, eve), standIn: 'eve-for-bo' }] })).toBe(
    'not_an_approver',
  )
  expect(code(standing(eve, ana))).toBe('approved')
})

promise(['CS-STANDIN-3'], 'the acting user stands in for no person and lends nothing', () => {
  const own = asks({ approvers: [{ email: 'uma@example.com' }, { email: 'ana@example.com' }] })
  const approval = asked({ requirements: [own] })
  const by = (person: Person) => outcome(step(approval, yes(person), soon, { standIns: ALL }))
  expect(by(standing(uma, ana))).toBe('self_approval')
  expect(by(standing(eve, uma))).toBe('not_an_approver')
  expect(by(standing(eve, ana))).toBe('approved')
  // At confirm the acting user answers for themselves, and still for no other person.
  const confirm = { ...own, level: 'confirm' as const }
  const told = accepted(
    step(asked({ requirements: [confirm] }), yes(standing(uma, ana)), soon, { standIns: ALL }),
  )
  expect(told.approval.decisions[0]?.by).not.toHaveProperty('for')
})

promise(['CS-STANDIN-4'], 'it counts from its first moment to its last', () => {
  const approval = asked({ requirements: [named] })
  const standIns = [standIn(ana, eve, { from: soon, until: soon + SECOND })]
  const at = (now: number) => outcome(step(approval, yes(standing(eve, ana)), now, { standIns }))
  expect(at(soon - 1)).toBe('not_an_approver')
  expect(at(soon)).toBe('approved')
  expect(at(soon + SECOND - 1)).toBe('approved')
  expect(at(soon + SECOND)).toBe('not_an_approver')
})

promise(['CS-STANDIN-7'], 'the record and the audit say for whom it was said', () => {
  const approval = asked({ requirements: [named] })
  const done = accepted(step(approval, yes(standing(eve, ana, cy)), soon, { standIns: ALL }))
  expect(done.approval.decisions[0]?.by.for?.map(({ subject }) => subject)).toEqual(['ana'])
  expect(done.events[0]).toMatchObject({
    type: 'decided',
    facts: { for: ['ana'], standIns: ['eve-for-ana'] },
  })
  const denied = accepted(step(approval, no(standing(eve, ana)), soon, { standIns: ALL }))
  expect(denied.approval.status).toBe('denied')
  expect(denied.events[0]?.facts).toEqual({ for: ['ana'], standIns: ['eve-for-ana'] })
})

const half = () => told(asked({ requirements: [named] }), ALL, yes(standing(eve, ana)))

function claimed(
  approval: Approval,
  around: { standIns?: readonly StandIn[]; locks?: readonly Lock[] },
  change: Partial<Person> = {},
): string {
  const [voted] = approval.decisions
  const absent = voted?.by.for?.map((one) => ({ ...asVoter(one), ...change })) ?? []
  const voters = [eve, ...absent]
  return outcome(step(approval, claimOf(approval, { voters }), soon, around))
}

function lockOf({ issuer, subject }: Person): Lock {
  return {
    id: 'l',
    target: { person: { issuer, subject } },
    by: eve,
    reason: 'x',
    at: NOON,
  } as Lock
}

promise(['CS-STANDIN-5'], 'what becomes of a yes that was given for another person', () => {
  const over = [standIn(ana, eve, { until: soon - 1 })]
  expect(claimed(half(), { standIns: over })).toBe('running')
  expect(claimed(half(), { standIns: [] })).toBe('running')
  expect(claimed(half(), { standIns: [standIn(ana, eve, { void: true })] })).toBe('invalidated')
  expect(claimed(half(), { locks: [lockOf(ana)] })).toBe('invalidated')
  expect(claimed(half(), { locks: [lockOf(eve)] })).toBe('invalidated')
  expect(claimed(half(), { locks: [lockOf(bo)] })).toBe('running')
  expect(claimed(half(), {}, { email: 'ann@example.com' })).toBe('invalidated')
  const unknown = claimOf(half(), { voters: [eve] })
  expect(outcome(step(half(), unknown, soon))).toBe('invalidated')
})

promise(['CS-STANDIN-5'], 'a yes that was taken back does not help the next one', () => {
  const first = told(asked({ requirements: [twoFinance] }), ALL, yes(standing(eve, ana)))
  const left = [standIn(ana, eve, { void: true })]
  expect(outcome(step(first, yes(bo), soon, { standIns: left }))).toBe('pending')
  expect(outcome(step(first, yes(bo), soon, { locks: [lockOf(ana)] }))).toBe('pending')
  expect(outcome(step(first, yes(bo), soon))).toBe('approved')
})

test('a person who said yes can say it again for one who went away since', () => {
  const both = [anyApprover, { ...named, rule: 'governance.x' }]
  const approval = after(asked({ requirements: both }), yes(kim))
  expect(approval.status).toBe('pending')
  const again = accepted(step(approval, yes(standing(kim, ana)), soon, { standIns: ALL }))
  expect(again.approval.status).toBe('approved')
  expect(again.approval.decisions).toHaveLength(1)
  const twice = step(again.approval, yes(standing(kim, ana)), soon, { standIns: ALL })
  expect(accepted(twice).events).toEqual([])
})

promise(
  ['CS-STANDIN-2'],
  'a person who said yes themselves lends nothing, and is not denied by a stand-in',
  () => {
    const approval = after(asked({ requirements: [twoFinance] }), yes(ana))
    const say = (command: Command) => outcome(step(approval, command, soon, { standIns: ALL }))
    expect(say(yes(standing(eve, ana)))).toBe('not_an_approver')
    expect(say(no(standing(eve, ana)))).toBe('not_an_approver')
    expect(say(no(standing(eve, ana, bo)))).toBe('denied')
    expect(say(no(ana))).toBe('denied')
  },
)

test('a locked person lends nothing, and a locked stand-in decides nothing', () => {
  const approval = asked({ requirements: [named] })
  const by = yes(standing(eve, ana))
  const code = (who: Person) =>
    outcome(step(approval, by, soon, { standIns: ALL, locks: [lockOf(who)] }))
  expect(code(ana)).toBe('not_an_approver')
  expect(code(eve)).toBe('locked')
})

test('a stand-in manages the question, and looks at what is hidden with a role of their own', () => {
  const approval = asked({ requirements: [named] })
  const around = { standIns: ALL }
  const until = approval.decideBy + MINUTE
  const extended = step(approval, send('extend', { by: standing(eve, ana), until }), soon, around)
  expect(outcome(extended)).toBe('pending')
  const look = (by: Person) =>
    outcome(
      step(approval, send('reveal', { by, seen: approval.digest, path: ['card'] }), soon, around),
    )
  expect(look(standing(eve, ana))).toBe('not_permitted')
  expect(look(standing(kim, ana))).toBe('pending')
  expect(look(kim)).toBe('not_permitted')
})

test('an escalation to an absent person lets their stand-in in', () => {
  const escalating = asks({
    approvers: [{ email: 'cy@example.com' }],
    escalate: [{ after: 10 * MINUTE, to: { email: 'ana@example.com' } }],
  })
  const approval = asked({ requirements: [escalating] })
  const at = (now: number) =>
    outcome(step(approval, yes(standing(eve, ana)), now, { standIns: ALL }))
  expect(at(soon)).toBe('not_an_approver')
  expect(at(NOON + 10 * MINUTE)).toBe('approved')
})

promise(
  ['CS-STANDIN-5'],
  'a record that cannot be read lets no person in and keeps nothing',
  () => {
    const good = standIn(ana, eve)
    expect(readStandIn(good.id, JSON.parse(JSON.stringify(good)))).toEqual(good)
    for (const junk of [null, 7, {}, { ...good, extra: 1 }, { ...good, id: 'another' }]) {
      const standIns = [readStandIn(good.id, junk)]
      const approval = asked({ requirements: [named] })
      expect(outcome(step(approval, yes(standing(eve, ana)), soon, { standIns }))).toBe(
        'not_an_approver',
      )
      expect(claimed(half(), { standIns })).toBe('invalidated')
    }
  },
)

test('many stand-ins of many people take no time', () => {
  const quorum = asks({ quorum: [one('finance', 12)] })
  const absents = Array.from({ length: 12 }, (_, n) => someone(`a${n}`, { groups: ['finance'] }))
  const people = Array.from({ length: 12 }, (_, n) => someone(`s${n}`))
  const standIns = people.flatMap((by) => absents.map((absent) => standIn(absent, by)))
  const directory = { groups: { finance: { claim: 'groups' } }, approvers: 'open' as const }
  const started = performance.now()
  let approval = accepted(
    step(undefined, requestFor({ requirements: [quorum], directory }), NOON),
  ).approval
  for (const by of people) {
    approval = accepted(step(approval, yes(standing(by, ...absents)), soon, { standIns })).approval
  }
  expect(approval.status).toBe('approved')
  expect(performance.now() - started).toBeLessThan(5_000)
})
