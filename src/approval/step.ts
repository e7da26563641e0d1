import { CountersignError, type ErrorCode } from '../base/errors.ts'
import { deepFreeze } from '../base/json/json.ts'
import type { Approval } from './approval.ts'
import { MAX_CLOCK_LAG, type Tick, tick } from './clock.ts'
import type { Command } from './command.ts'
import { readCommand } from './command-shape.ts'
import { type Load, overCap } from './commands/caps.ts'
import { decide } from './commands/decide.ts'
import { claim, finish, lost, renew, resolve } from './commands/execution.ts'
import { request, requestAgain } from './commands/request.ts'
import { assign, comment, question, reply } from './commands/talk.ts'
import { escalate, expire, extend, lift, reach, remind, reveal } from './commands/upkeep.ts'
import { invalidate, withdraw } from './commands/withdraw.ts'
import type { Grant } from './grants/grant.ts'
import { type Lock, lockedBecause, lockOn } from './locks/lock.ts'
import { markLocked } from './locks/locked-people.ts'
import type { Person } from './people/person.ts'
import { withoutRemoved, withoutStale } from './people/removed.ts'
import { type StandIn, standingNow } from './people/stand-in.ts'
import { Mismatch, record } from './shape.ts'
import { assemble, type Outcome, type Refused, type Transition } from './transition.ts'

/** What else is true at that moment, read by the store under its locks, together with its clock. */
export interface Around {
  /** The grant that the command, or the approval, rests on. */
  readonly grant?: Grant | undefined
  /** Everything people locked. */
  readonly locks?: readonly Lock[]
  /** Who stands in for whom, also before and after their time. */
  readonly standIns?: readonly StandIn[]
  /** What the agent has asked already; needed where a request has caps. */
  readonly load?: Load | undefined
}

/**
 * Approvals that came out of here: checked when they were made and frozen since, so reading them
 * again, member by member, could only find what was put in. It was a fifth of all the time a change takes.
 */
const OWN = new WeakSet<object>()

/**
 * One command applied to one approval at one moment. Pure and total: no clock, no I/O, and any
 * input at all gives a transition, never a throw. What comes out is frozen and shares nothing with
 * what went in, except that an approval nothing happened to is the very same object.
 */
export function step(
  approval: Approval | undefined,
  command: Command,
  now: number,
  around: Around = {},
): Transition {
  try {
    if (!Number.isSafeInteger(now) || now < 0) {
      return refused('invalid_command', 'the clock must give whole milliseconds since 1970')
    }
    const { locks = [], standIns: arranged = [] } = around
    // Nearly always nothing is locked: then no person has to be marked, and no answer left out.
    const isUnlocked = locks.length === 0
    const standIns = isUnlocked ? arranged : withoutStale(arranged, locks)
    const read = standingNowIn(readCommand(command), standIns, now)
    const known = approval === undefined || OWN.has(approval) ? approval : readRecord(approval)
    if (known && 'ok' in known) return known
    const sent = isUnlocked ? read : markLocked(known, read, locks, now)
    if (known === undefined) return sealed(first(sent, now, around))
    const transition = apply(known, sent, now, { ...around, standIns })
    return transition.ok && transition.approval === known
      ? { ...transition, approval: approval as Approval }
      : sealed(transition)
  } catch (error) {
    return refusalOf(error)
  }
}

/** The command, with each person in it standing in only for those they stand in for right now. */
export function standingNowIn<C extends { readonly commandId: string }>(
  command: C,
  standIns: readonly StandIn[],
  now: number,
): C {
  const { by, grant } = command as { by?: Partial<Person>; grant?: { minter?: Person } } & C
  const standing = (person: Person) => standingNow(person, standIns, now)
  if (by?.for) return { ...command, by: standing(by as Person) }
  if (!grant?.minter?.for) return command
  return { ...command, grant: { ...grant, minter: standing(grant.minter) } }
}

function sealed(transition: Transition): Transition {
  deepFreeze(transition)
  if (transition.approval) OWN.add(transition.approval)
  return transition
}

function first(command: Command, now: number, { grant, locks = [], load }: Around): Transition {
  if (command.type !== 'request') return refused('approval_not_found', 'there is no such approval')
  const lock = locks.length === 0 ? undefined : lockOn(locks, command.call, now)
  if (lock) return refused('locked', lockedBecause(lock))
  const { caps } = command
  if (caps && command.grant === undefined) {
    if (!load) return refused('internal', 'the questions of this agent were not counted')
    const over = overCap(caps, load)
    if (over !== undefined) return refused('too_many_pending', over)
  }
  return request(command, now, grant, locks)
}

function readRecord(approval: unknown): Approval | Refused {
  try {
    return record(approval)
  } catch (error) {
    return refused('invalid_approval', error instanceof Mismatch ? error.sentence : 'unreadable')
  }
}

function apply(approval: Approval, command: Command, now: number, around: Around): Transition {
  const deciding = command.type === 'decide' || command.type === 'claim'
  if (deciding && now < approval.changedAt - MAX_CLOCK_LAG) {
    return refused('clock_behind', 'the clock is behind the last change of this approval')
  }
  const ticked = tick(approval, now)
  const { locks = [] } = around
  const changed = { ...approval, ...ticked.changes }
  const current = locks.length === 0 ? changed : withoutRemoved(changed, locks)
  const outcome = follow(current, command, now, { ...around, ticked })
  return assemble(approval, ticked, outcome, { commandId: command.commandId, now })
}

function follow(
  approval: Approval,
  command: Command,
  now: number,
  { ticked, grant, locks = [], standIns = [] }: Around & { readonly ticked: Tick },
): Outcome {
  // Nearly always nothing is locked.
  const lock =
    locks.length === 0 ? undefined : lockOn(locks, { ...approval.call, approval: approval.id }, now)
  switch (command.type) {
    case 'request':
      return requestAgain(approval, command, lock)
    case 'decide':
      return decide(approval, command, now, { lock, locks, standIns })
    case 'extend':
      return extend(approval, command)
    case 'lift':
      return lift(approval, command, now)
    case 'remind':
      return remind(approval, command, now)
    case 'escalate':
      return escalate(approval, command, now, ticked.changes !== undefined)
    case 'reach':
      return reach(approval, command, now, locks)
    case 'expire':
      return expire(approval)
    case 'withdraw':
      return withdraw(approval, command, now)
    case 'invalidate':
      return invalidate(approval, command, now)
    case 'claim':
      return claim(approval, command, now, { lock, grant, standIns })
    case 'renew':
      return renew(approval, command, now)
    case 'finish':
      return finish(approval, command, now)
    case 'lost':
      return lost(approval, command, now)
    case 'resolve':
      return resolve(approval, command, now)
    case 'reveal':
      return reveal(approval, command)
    case 'question':
      return question(approval, command, now)
    case 'reply':
      return reply(approval, command, now, lock)
    case 'comment':
      return comment(approval, command, now)
    case 'assign':
      return assign(approval, command, now)
  }
}

function refused(code: ErrorCode, message: string): Refused {
  return { ok: false, code, message, events: [] }
}

/** Nothing gets past this: whatever went wrong, the answer is no. */
function refusalOf(error: unknown): Refused {
  if (error instanceof Mismatch) return refused('invalid_command', error.sentence)
  if (error instanceof CountersignError) return refused(error.code, error.message)
  return refused('internal', 'the command could not be carried out')
}
