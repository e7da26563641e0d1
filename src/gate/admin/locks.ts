import {
  isInForce,
  type Lock,
  type LockTarget,
  lockedBecause,
  lockOnPerson,
} from '../../approval/locks/lock.ts'
import type { Person } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import type { Json } from '../../base/json/json.ts'
import { LOCK_RECORD } from '../../store/records/lock-record.ts'
import type { Store } from '../../store/store.ts'
import { endedDevices } from './ended-devices.ts'
import { endedLinks } from './ended-links.ts'
import type { LockCopy } from './operator-state.ts'

export interface NewLock {
  readonly target: LockTarget
  /** For people, and for the model whose call is refused. */
  readonly reason: string
  /** Moment at which it ends by itself, on the store's clock. Never, unless set. */
  readonly until?: number
}

/** What people do with locks. Refusals are thrown as `CountersignError`. */
export interface Locks {
  /** Those that hold now. */
  list(): Promise<readonly Lock[]>
  /** Approvers and admins lock; a person is locked by admins alone. */
  set(by: Person, lock: NewLock): Promise<Lock>
  /** Admins lift. Throws `not_found` when it is no longer there. */
  lift(by: Person, id: string): Promise<Lock>
}

export function createLocks(store: Store, copy: LockCopy): Locks {
  async function list(): Promise<readonly Lock[]> {
    const all = await copy.current()
    return all.filter((lock) => !lock.removed && isInForce(lock, copy.now()))
  }

  return {
    list,
    async set(by, { target, reason, until }) {
      const isPerson = 'person' in target
      const what = isPerson ? 'locking a person' : 'locking'
      await assertMay(copy, by, isPerson ? ['admin'] : ['approver', 'admin'], what)
      const now = await store.now()
      checkNew(reason, until, now)
      const lock: Lock = {
        id: newId(),
        target,
        by: { issuer: by.issuer, subject: by.subject },
        reason: reason.trim(),
        at: now,
        ...(until === undefined ? {} : { until }),
      }
      await store.amend({
        commandId: crypto.randomUUID(),
        event: {
          type: 'lock.set',
          by: { person: lock.by },
          assurance: by.assurance,
          facts: {
            lock: lock.id,
            ...targetFacts(target),
            ...(until === undefined ? {} : { until }),
          },
        },
        changes: [
          {
            kind: LOCK_RECORD,
            id: lock.id,
            value: lock as unknown as Json,
            expect: 'absent',
            expiresAt: until,
          },
          ...(isPerson ? await endedLinks(store, lock) : []),
          ...(isPerson ? await endedDevices(store, lock) : []),
        ],
        content: [{ key: `${lock.id}/1/reason`, kind: 'reason', value: lock.reason }],
      })
      return lock
    },
    async lift(by, id) {
      await assertMay(copy, by, ['admin'], 'lifting a lock')
      const lock = (await list()).find((one) => one.id === id)
      const isLifted =
        lock !== undefined &&
        (await store.amend({
          commandId: crypto.randomUUID(),
          event: {
            type: 'lock.lifted',
            by: { person: { issuer: by.issuer, subject: by.subject } },
            assurance: by.assurance,
            facts: { lock: id, ...targetFacts(lock.target) },
          },
          changes: [{ kind: LOCK_RECORD, id, expect: 'present' }],
        }))
      if (lock && isLifted) return lock
      throw new CountersignError('not_found', `there is no lock ${id}`, {
        hint: 'It was lifted already, or has ended; `countersign lock --list` shows those that hold.',
      })
    },
  }
}

/** Throws unless this person has one of the roles and is not locked. */
export async function assertMay(
  copy: LockCopy,
  by: Person,
  roles: Person['roles'],
  what: string,
): Promise<void> {
  const own = lockOnPerson(await copy.current(), by, copy.now())
  if (own) throw new CountersignError('locked', lockedBecause(own))
  if (!by.locked && by.roles.some((role) => roles.includes(role))) return
  throw new CountersignError('not_permitted', `${what} needs the role ${roles.join(' or ')}`)
}

const MAX_REASON = 1_000
/** The last instant that a Date can hold. */
const LAST_TIME = 8.64e15

function checkNew(reason: string, until: number | undefined, now: number): void {
  if (reason.trim() === '') {
    throw new CountersignError('reason_required', 'a lock needs a reason', {
      hint: 'Say why, for the people and agents it stops.',
    })
  }
  if (reason.length > MAX_REASON) {
    throw new CountersignError('too_large', `a reason has at most ${MAX_REASON} characters`)
  }
  // What could not be read back later would hold everything.
  const isTime = until === undefined || (Number.isInteger(until) && until <= LAST_TIME)
  if (!isTime || (until !== undefined && until <= now)) {
    throw new CountersignError('invalid_value', 'a lock ends in the future')
  }
}

/** Ids for the audit. An address stays out of it: what the audit holds can never be erased. */
function targetFacts(target: LockTarget): { readonly [name: string]: string | boolean } {
  if (!('person' in target)) return { ...target }
  const { issuer, subject } = target.person
  return { ...(issuer === undefined ? {} : { issuer }), subject }
}
