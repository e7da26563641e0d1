import { type Lock, lockOnPerson } from '../../approval/locks/lock.ts'
import { type PersonName, type Role, samePerson } from '../../approval/people/person.ts'
import { readmission } from '../../approval/people/removed.ts'
import { isAhead, type StandIn } from '../../approval/people/stand-in.ts'
import type { Actor } from '../../approval/transition.ts'
import { foldAddress } from '../../base/address.ts'
import { CountersignError } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import type { Json } from '../../base/json/json.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import { REMEMBERED_MS, standInRecords } from '../../gate/admin/stand-ins.ts'
import type { AdminEventType } from '../../store/audit/audit-entry.ts'
import { PASSKEY_RECORD, PERSON_RECORD } from '../../store/audit/audited-records.ts'
import type { RecordChange } from '../../store/engine/amendment.ts'
import { chatsOf, removeChat } from '../../store/records/chat-records.ts'
import { devicesOf, withoutDevices } from '../../store/records/device-record.ts'
import { withoutLink } from '../../store/records/link-record.ts'
import { LOCK_RECORD, tombstoneId } from '../../store/records/lock-record.ts'
import { STAND_IN_RECORD } from '../../store/records/stand-in-record.ts'
import type { Store } from '../../store/store.ts'
import { linksOf } from '../channels/links.ts'
import { PASSKEY_USE_RECORD, passkeysOf } from './passkeys.ts'
import { type Account, accountKey, listAccounts } from './people.ts'
import { LAST_SIGN_IN_RECORD, SESSION_RECORD, sessionsOf } from './sessions.ts'

/** Who belongs here. Every change is written together with the event that says so. */
export interface Membership {
  /** Throws `not_found`. */
  get(key: string): Promise<Account>
  /**
   * Adds a person, or changes what is known of them. A person who was removed belongs here again,
   * and what they had answered before stays void.
   */
  set(by: Actor, account: Account): Promise<Account>
  /** For a person who signs in: false when they were changed or removed at the same moment. */
  enter(account: Account): Promise<boolean>
  setRoles(by: Actor, key: string, roles: readonly Role[]): Promise<Account>
  /**
   * Their sessions, stand-ins, linked accounts and devices end and what they answered earlier stops counting, at once. Their
   * conversations are removed.
   */
  remove(by: Actor, key: string): Promise<Account>
  /** Whether they were removed, under this name or another one with the same address. */
  isRemoved(account: Account): Promise<boolean>
}

export function createMembership(store: Store): Membership {
  const { records } = store

  async function found(key: string): Promise<{ account: Account; revision: number }> {
    const record = await records.get(PERSON_RECORD, key)
    if (record) return { account: record.value as unknown as Account, revision: record.revision }
    throw new CountersignError('not_found', 'there is no such person', {
      hint: '`countersign people list` lists all people.',
    })
  }

  function amend(
    type: AdminEventType,
    by: Actor,
    { issuer, subject, roles }: Account,
    changes: readonly RecordChange[],
  ): Promise<boolean> {
    const facts = { issuer, subject, roles: [...roles] }
    return store.amend({ commandId: crypto.randomUUID(), event: { type, by, facts }, changes })
  }

  /** What was left of people who were removed and are the same as this one. */
  async function tombstonesOf(account: Account): Promise<readonly Lock[]> {
    const copy = lockCopy(store)
    const person = { ...account, groups: [], assurance: 'chat' } as const
    return (await copy.current()).filter(
      (lock) => lock.removed && lockOnPerson([lock], person, copy.now()),
    )
  }

  return {
    get: async (key) => (await found(key)).account,
    async set(by, account) {
      const key = accountKey(account)
      const known = await records.get(PERSON_RECORD, key)
      const value = account as unknown as Json
      const tombstones = await tombstonesOf(account)
      if (tombstones.length === 0 && isSame(known?.value, value)) return account
      const now = await store.now()
      const isDone = await amend(known ? 'person.changed' : 'person.added', by, account, [
        { kind: PERSON_RECORD, id: key, value, expect: known?.revision ?? 'absent' },
        ...tombstones.flatMap((lock) => leftOf(lock, now)),
      ])
      if (!isDone) throw changedMeanwhile()
      return account
    },
    async enter(account) {
      const key = accountKey(account)
      const known = await records.get(PERSON_RECORD, key)
      const value = account as unknown as Json
      if (isSame(known?.value, value)) return true
      const { issuer, subject } = account
      const by = { person: { issuer, subject } }
      return amend(known ? 'person.changed' : 'person.added', by, account, [
        { kind: PERSON_RECORD, id: key, value, expect: known?.revision ?? 'absent' },
        { kind: LOCK_RECORD, id: tombstoneId(key), expect: 'absent' },
      ])
    },
    async setRoles(by, key, roles) {
      const { account, revision } = await found(key)
      // Given by hand: they do not go with a group that a sign-in brought.
      const { mapped: _, ...kept } = account
      const changed: Account = { ...kept, roles: [...new Set(roles)] }
      const change = { id: key, value: changed as unknown as Json, expect: revision }
      if (await amend('person.changed', by, changed, [{ kind: PERSON_RECORD, ...change }])) {
        return changed
      }
      throw changedMeanwhile()
    },
    async remove(by, key) {
      const { account } = await found(key)
      const same = (await listAccounts(records)).filter((one) => isSameHuman(one, account))
      const at = await store.now()
      const sessions = await sessionsOf(records, same)
      const standIns = (await standInRecords(store)).filter(
        (one) => isAhead(one, at) && same.some((gone) => concerns(one, gone)),
      )
      const passkeys = (await Promise.all(same.map((one) => passkeysOf(records, one)))).flat()
      const links = (await Promise.all(same.map((one) => linksOf(records, one)))).flat()
      const devices = await devicesOf(records, same)
      const isDone = await amend('person.removed', by, account, [
        ...same.flatMap((one): RecordChange[] => {
          const id = accountKey(one)
          return [
            { kind: PERSON_RECORD, id, ...(id === key ? { expect: 'present' } : {}) },
            { kind: LOCK_RECORD, id: tombstoneId(id), value: tombstoneOf(one, by, at) },
            { kind: LAST_SIGN_IN_RECORD, id },
          ]
        }),
        ...sessions.map((id) => ({ kind: SESSION_RECORD, id })),
        ...standIns.map(({ id }) => ({ kind: STAND_IN_RECORD, id })),
        ...links.flatMap(withoutLink),
        ...withoutDevices(devices),
        ...passkeys.flatMap(({ id }) => [
          { kind: PASSKEY_RECORD, id },
          { kind: PASSKEY_USE_RECORD, id },
        ]),
      ])
      if (!isDone) throw changedMeanwhile()
      // One may have been turned on meanwhile; from now on none is.
      for (const { kind, id } of withoutDevices(await devicesOf(records, same))) {
        await records.remove(kind, id)
      }
      // A person who gets this address later finds nothing of what was said under it.
      for (const one of same) {
        for (const { id } of await chatsOf(records, accountKey(one))) await removeChat(records, id)
      }
      return account
    },
    isRemoved: async (account) => (await tombstonesOf(account)).length > 0,
  }
}

function concerns({ absent, standIn }: StandIn, account: Account): boolean {
  return samePerson(absent, account) || samePerson(standIn, account)
}

/** The tombstone goes; until when it stood is remembered for as long as anything can wait. */
function leftOf(lock: Lock, now: number): RecordChange[] {
  const id = lock.id.replace(/^removed-/, 'readded-')
  const value = readmission(lock, id, now) as unknown as Json
  return [
    { kind: LOCK_RECORD, id: lock.id },
    { kind: LOCK_RECORD, id, value, expiresAt: now + REMEMBERED_MS },
  ]
}

function tombstoneOf(account: Account, by: Actor, at: number): Json {
  const { issuer, subject } = account
  const email = sureAddress(account)
  const person: PersonName = { issuer, subject, ...(email === undefined ? {} : { email }) }
  return {
    id: tombstoneId(accountKey(account)),
    target: { person: { ...person } },
    by: 'person' in by ? { ...by.person } : { issuer: 'countersign', subject: 'operator' },
    reason: 'they were removed',
    at,
    removed: true,
  }
}

/** Removing one login of a person removes the others. An unverified address proves nothing. */
function isSameHuman(one: Account, other: Account): boolean {
  const email = sureAddress(other)
  return samePerson(one, other) || (email !== undefined && sureAddress(one) === email)
}

function sureAddress({ email, emailVerified }: Account): string | undefined {
  return emailVerified && email ? foldAddress(email) : undefined
}

function isSame(one: Json | undefined, other: Json): boolean {
  return one !== undefined && canonicalJson(one) === canonicalJson(other)
}

function changedMeanwhile(): CountersignError {
  return new CountersignError('person_changed', 'this person was changed at the same moment', {
    hint: 'Look again, and decide about what you see then.',
  })
}
