import type { Approval, AskedCall } from '../approval.ts'
import { mayBe, type Named, type PersonId, type PersonName } from '../people/person.ts'
import {
  id,
  members,
  name,
  optional,
  personId,
  personName,
  type Reader,
  text,
  time,
  yes,
} from '../shape.ts'

/** What is held back. A tool without a server is that tool wherever it comes from. */
export type LockTarget =
  | { readonly everything: true }
  | { readonly agent: string }
  | { readonly server: string; readonly tool?: string }
  | { readonly tool: string }
  | { readonly person: PersonName }
  | { readonly approval: string }

/** Stops calls or people, until it is lifted or has expired. */
export interface Lock {
  readonly id: string
  readonly target: LockTarget
  readonly by: PersonId
  /** For people, and for the model whose call is refused. */
  readonly reason: string
  readonly at: number
  /** Moment at which it ends by itself. */
  readonly until?: number
  /**
   * Left behind when a person was removed, so that their earlier answers stop counting. With an
   * end: they were added again then, and what they had said before stays void.
   */
  readonly removed?: true
}

/** As much of a call as a lock can name. */
export type Lockable = Pick<AskedCall, 'agent' | 'alias' | 'server' | 'tool'> & {
  /** The approval that asks about it, where there is one. */
  readonly approval?: string
}

/** The lock that holds this call back, if one does. */
export function lockOn(locks: readonly Lock[], what: Lockable, now: number): Lock | undefined {
  const found = locks.filter((lock) => isInForce(lock, now) && names(lock.target, what))
  // The one on the approval itself holds back most, so it is the one to be told of.
  return found.find(({ target }) => 'approval' in target) ?? found[0]
}

/** The lock under which this person decides nothing, if there is one. */
export function lockOnPerson(locks: readonly Lock[], person: Named, now: number): Lock | undefined {
  return locks.find(
    (lock) => isInForce(lock, now) && 'person' in lock.target && mayBe(person, lock.target.person),
  )
}

/** Whether it can hold back calls, as opposed to one person or one approval. */
export function isOnCalls({ target }: Lock): boolean {
  return !('person' in target || 'approval' in target)
}

export function isInForce({ until }: Lock, now: number): boolean {
  return until === undefined || now < until
}

function names(target: LockTarget, { agent, alias, server, tool, approval }: Lockable): boolean {
  if ('everything' in target) return true
  if ('agent' in target) return target.agent === agent || target.agent === alias
  if ('server' in target) {
    return target.server === server && (target.tool === undefined || target.tool === tool)
  }
  if ('tool' in target) return target.tool === tool
  return 'approval' in target && target.approval === approval
}

/** What is locked and why, as a clause. */
export function lockedBecause({ target, reason }: Lock): string {
  return `${targetWords(target)} is locked: ${reason}`
}

export function targetWords(target: LockTarget): string {
  if ('everything' in target) return 'everything'
  if ('agent' in target) return `agent ${target.agent}`
  if ('server' in target) {
    return target.tool === undefined
      ? `server ${target.server}`
      : `tool ${target.tool} of server ${target.server}`
  }
  if ('tool' in target) return `tool ${target.tool}`
  if ('approval' in target) return `approval ${target.approval}`
  return `person ${target.person.email ?? target.person.subject}`
}

const TARGETS: { readonly [key: string]: Reader<LockTarget> } = {
  everything: members<{ readonly everything: true }>({ everything: yes }),
  agent: members<{ readonly agent: string }>({ agent: name }),
  server: members<{ readonly server: string; readonly tool?: string }>({
    server: name,
    tool: optional(name),
  }),
  tool: members<{ readonly tool: string }>({ tool: name }),
  person: members<{ readonly person: PersonName }>({ person: personName }),
  approval: members<{ readonly approval: string }>({ approval: id }),
}

export const lockTarget: Reader<LockTarget> = (value) => {
  const kind = Object.keys(TARGETS).find((key) => Object.hasOwn(Object(value), key)) ?? 'everything'
  return (TARGETS[kind] as Reader<LockTarget>)(value)
}

const lock: Reader<Lock> = members<Lock>({
  id,
  target: lockTarget,
  by: personId,
  reason: text(4_096),
  at: time,
  until: optional(time),
  removed: optional(yes),
})

/** Any value, as a lock. An unreadable one holds back everything, because its target is unknown. */
export function readLock(value: unknown): Lock {
  try {
    return lock(value)
  } catch {
    return {
      id: 'unreadable',
      target: { everything: true },
      by: { issuer: 'countersign', subject: 'store' },
      reason: 'a lock in the database could not be read',
      at: 0,
    }
  }
}

/** The lock under which an approval waits, for display. */
export function lockOnApproval(
  locks: readonly Lock[],
  { id, call }: Pick<Approval, 'id' | 'call'>,
  now: number,
): Lock | undefined {
  return lockOn(locks, { ...call, approval: id }, now)
}
