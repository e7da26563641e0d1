import type { Random } from '../../bench/lib/random.ts'
import type { Approval } from '../../src/approval/approval.ts'
import type { Command } from '../../src/approval/command.ts'
import { step } from '../../src/approval/step.ts'
import type { Amendment } from '../../src/store/engine/amendment.ts'
import { type HeldRow, heldOf } from '../../src/store/engine/constraints.ts'
import {
  approverNamed,
  asking,
  claiming,
  deciding,
  finishing,
  someDigest,
  telling,
} from '../../src/testing/commands.ts'
import { locking } from '../../src/testing/store-cases/lock.ts'
import { inPlaceOf, standingIn } from '../../src/testing/store-cases/stand-in.ts'

/** Which of the two sides a command comes from: people and processes differ between them. */
export type Side = 0 | 1

/** A command for the approval, or an amendment of what is locked and who stands in. */
export type Sent = Command | Amendment

type Make = (approval: Approval, side: Side) => Sent
type State = 'pending' | 'half' | 'approved' | 'running' | 'unknown'

interface Operation {
  readonly make: Make
  /** Where it can do something. */
  readonly in: readonly [State, ...State[]]
}

const sent = () => ({ commandId: crypto.randomUUID() })
const admin = () => ({ ...approverNamed('root'), roles: ['approver', 'admin'] as const })
const AWAY = { issuer: approverNamed('zoe').issuer, subject: 'zoe' }
const standInOf = (id: string) => `in-${id}`
const nameOf = (names: readonly [string, string], side: Side) => approverNamed(names[side])

/** Everything that can happen to one approval. */
const OPERATIONS = {
  yes: {
    make: (approval, side) => deciding(approval, nameOf(['bo', 'cy'], side)),
    in: ['pending', 'half'],
  },
  no: {
    make: (approval, side) => deciding(approval, nameOf(['dee', 'eve'], side), 'deny'),
    in: ['pending', 'half', 'approved'],
  },
  edit: {
    make: (approval, side) => editing(approval, side),
    in: ['pending', 'half'],
  },
  withdraw: {
    make: ({ call }) => ({ type: 'withdraw', ...sent(), by: { agent: call.agent } }),
    in: ['pending', 'approved'],
  },
  invalidate: {
    make: () => ({ type: 'invalidate', ...sent(), reason: 'policy', by: admin() }),
    in: ['pending', 'approved'],
  },
  extend: {
    make: ({ decideBy }, side) => ({
      type: 'extend',
      ...sent(),
      by: approverNamed('ana'),
      until: decideBy + 1_000 * (1 + side),
    }),
    in: ['pending', 'half'],
  },
  expire: { make: () => telling('expire'), in: ['pending', 'approved'] },
  claim: {
    make: (approval, side) => claiming(approval, { claim: `claim-${side}` }),
    in: ['approved', 'half'],
  },
  lock: {
    make: ({ id }) => locking({ approval: id }),
    in: ['approved', 'pending', 'half'],
  },
  standIn: {
    make: ({ id }) => standingIn('eve', { id: standInOf(id), absent: AWAY }),
    in: ['half'],
  },
  yesForAnother: {
    make: (approval) => deciding(approval, inPlaceOf(standInOf(approval.id), AWAY)),
    in: ['half'],
  },
  reach: {
    make: () => ({ type: 'reach', ...sent(), directory: { groups: {}, approvers: [] } }),
    in: ['pending', 'half'],
  },
  finish: { make: (approval) => finishing(approval), in: ['running', 'unknown'] },
  lost: { make: () => telling('lost'), in: ['running'] },
  resolve: {
    make: () => ({ type: 'resolve', ...sent(), by: admin(), outcome: 'failed' }),
    in: ['unknown', 'running'],
  },
} as const satisfies Record<string, Operation>

type Name = keyof typeof OPERATIONS
const NAMES = Object.keys(OPERATIONS) as Name[]

export interface Pair {
  readonly name: string
  readonly one: Name
  readonly other: Name
}

/** Every pair, and every operation with itself. */
export const PAIRS: readonly Pair[] = NAMES.flatMap((one, index) =>
  NAMES.slice(index).map((other) => ({ name: `${one} and ${other}`, one, other })),
)

function editing(approval: Approval, side: Side): Command {
  const { requirements, terms, level, policy } = approval
  const amount = 60 + side
  return {
    ...deciding(approval, nameOf(['bo', 'cy'], side)),
    edit: {
      digest: someDigest(),
      arguments: JSON.stringify({ amount }),
      changed: [['amount']],
      answer: { verdict: level, requirements, terms, policy },
      message: `Pay ${amount}?`,
      missing: [],
    },
  }
}

export interface Trial {
  readonly id: string
  /** Sent one after the other, before the race. */
  readonly setUp: readonly ((approval: Approval) => Command)[]
  readonly request: Command
  readonly operations: readonly [Name, Name]
  /** Turns of the event loop each side waits. */
  readonly delays: readonly [number, number]
}

export function trialOf({ one, other }: Pair, random: Random): Trial {
  const states: readonly State[] = [...OPERATIONS[one].in, ...OPERATIONS[other].in]
  const state = random.pick(states as readonly [State, ...State[]])
  const id = crypto.randomUUID()
  // Some questions die while it happens.
  const isShort = random.chance(0.3)
  const terms = isShort ? { decideBy: 5 + random.below(60), useBy: 5 + random.below(60) } : {}
  const yeses = state === 'half' ? 2 : 1
  return {
    id,
    request: asking({ id, terms, yeses }),
    setUp: SET_UP[state],
    operations: random.chance(0.5) ? [one, other] : [other, one],
    delays: [random.below(4), random.below(4)],
  }
}

const yes = (approval: Approval) => deciding(approval, approverNamed('ana'))
const claim = (approval: Approval) => {
  const { holder, ...command } = claiming(approval)
  return { ...command, holder: { claim: holder.claim, lease: 1 } }
}

const SET_UP: Record<State, Trial['setUp']> = {
  pending: [],
  half: [yes],
  approved: [yes],
  running: [yes, claim],
  unknown: [yes, claim, () => telling('lost')],
}

export function commandOf(trial: Trial, side: Side, start: Approval): Sent {
  const make: Make = OPERATIONS[trial.operations[side]].make
  return make(start, side)
}

/** What one side was told: `ok`, or the code of the refusal. */
export type Answer = string

export interface Result {
  readonly start: Approval
  readonly commands: readonly [Sent, Sent]
  readonly answers: readonly [Answer, Answer]
  readonly end: Approval
}

/**
 * Both at once must look like one after the other, in either order, by a clock that reads before or
 * after the deadline for each. Returns what it looked like when it looks like none of these.
 */
export function unlikeAnyOrder({ start, commands, answers, end }: Result): string | undefined {
  const seen = look(end, answers)
  const likely = new Set<string>()
  const before = start.changedAt + 2_000
  const last = Math.max(start.decideBy, start.useBy ?? 0)
  // Within the test's lifetime only a short deadline can pass.
  const isShort = last - start.askedAt < 10_000
  const early = isShort ? start.changedAt : before
  const late = Math.max(last, start.changedAt) + 120_000
  const times = isShort
    ? [
        [early, early],
        [early, late],
        [late, late],
      ]
    : [[before, before]]
  for (const [first = 0, second = 0] of times) {
    for (const order of [
      [0, 1],
      [1, 0],
    ] as const) {
      likely.add(inOrder(start, commands, order, [first, second]))
    }
  }
  return likely.has(seen) ? undefined : `${seen} is none of ${[...likely].join(' or ')}`
}

function inOrder(
  start: Approval,
  commands: readonly [Sent, Sent],
  order: readonly [Side, Side],
  times: readonly [number, number],
): string {
  const answers: [Answer, Answer] = ['', '']
  let approval = start
  const held: HeldRow[] = []
  for (const turn of [0, 1] as const) {
    const side = order[turn]
    const sent = commands[side]
    if ('changes' in sent) {
      held.push(...sent.changes.map(({ kind, id, value }) => ({ kind, id, value })))
      answers[side] = 'ok'
      continue
    }
    const transition = step(approval, sent, times[turn], heldOf(held))
    answers[side] = transition.ok ? 'ok' : transition.code
    approval = transition.approval ?? approval
  }
  return look(approval, answers)
}

/** Everything except when. */
function look(approval: Approval, answers: readonly [Answer, Answer]): string {
  const { revision, status, reason, execution, decisions, decideBy, askedAt, digest } = approval
  return JSON.stringify({
    answers,
    revision,
    status,
    reason,
    digest,
    lives: decideBy - askedAt,
    execution: execution && [execution.state, execution.claim, execution.late ?? false],
    decisions: decisions.map((one) => [one.by.subject, one.verdict, one.digest, one.void ?? false]),
  })
}
