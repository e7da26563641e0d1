import { type Lock, lockOnPerson } from '../../approval/locks/lock.ts'
import {
  type PersonId,
  type PersonName,
  type Role,
  samePerson,
} from '../../approval/people/person.ts'
import { readmission } from '../../approval/people/removed.ts'
import { isAhead, type StandIn } from '../../approval/people/stand-in.ts'
import type { Actor } from '../../approval/transition.ts'
import { foldAddress } from '../../base/address.ts'
import { CountersignError } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { given, type Json } from '../../base/json/json.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import { REMEMBERED_MS, standInRecords } from '../../gate/admin/stand-ins.ts'
import type { AdminEventType } from '../../store/audit/audit-entry.ts'
import { PASSKEY_RECORD, PERSON_RECORD, TOKEN_RECORD } from '../../store/audit/audited-records.ts'
import type { RecordChange } from '../../store/engine/amendment.ts'
import { chatsOf, removeChat } from '../../store/records/chat-records.ts'
import { LAST_DECISION_RECORD } from '../../store/records/decision-record.ts'
import { devicesOf, withoutDevices } from '../../store/records/device-record.ts'
import { withoutLink } from '../../store/records/link-record.ts'
import { LOCK_RECORD, tombstoneId } from '../../store/records/lock-record.ts'
import { SAVED_VIEWS_RECORD } from '../../store/records/saved-view-record.ts'
import { STAND_IN_RECORD } from '../../store/records/stand-in-record.ts'
import type { Store } from '../../store/store.ts'
import { linksOf } from '../channels/links.ts'
import { connectionsOf } from '../oauth/access.ts'
import { PASSKEY_USE_RECORD, passkeysOf } from './passkeys.ts'
import { type Account, accountKey, listAccounts } from './people.ts'
import { LAST_SIGN_IN_RECORD, SESSION_RECORD, sessionsOf } from './sessions.ts'
import { confirmedLogins, TERMINAL_LOGIN_RECORD } from './terminal-logins.ts'

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
  /**
   * Adds a person who was invited, together with the change that uses the invitation up. False when
   * either was there, or gone, already.
   */
  join(account: Account, invite: RecordChange): Promise<boolean>
  setRoles(by: Actor, key: string, roles: readonly Role[]): Promise<Account>
  /**
   * Their sessions, stand-ins, linked accounts and devices end and what they answered earlier stops
   * counting, at once. Their conversations and saved views are removed.
   */
  remove(by: Actor, key: string): Promise<Account>
  /** Whether they were removed, under this name or another one with the same address. */
  isRemoved(account: Account): Promise<boolean>
  /**
   * The maker of a link could have used it: under no login do they give its account a role or a
   * place of others, or vouch for its address. Throws `not_permitted`.
   */
  assertNotInviter(by: Actor, account: Account): Promise<void>
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

  /** Ends everything by which these people are let in, or answer, without signing in anew. */
  async function waysIn(people: readonly Account[]): Promise<RecordChange[]> {
    const sessions = await sessionsOf(records, people)
    const logins = await confirmedLogins(records, people)
    const passkeys = (await Promise.all(people.map((one) => passkeysOf(records, one)))).flat()
    const links = (await Promise.all(people.map((one) => linksOf(records, one)))).flat()
    const clients = await connectionsOf(records, people)
    return [
      ...sessions.map((id) => ({ kind: SESSION_RECORD, id })),
      ...logins.map((id) => ({ kind: TERMINAL_LOGIN_RECORD, id })),
      ...links.flatMap(withoutLink),
      ...clients.map((id) => ({ kind: TOKEN_RECORD, id })),
      ...withoutDevices(await devicesOf(records, people)),
      ...passkeys.flatMap(({ id }) => [
        { kind: PASSKEY_RECORD, id },
        { kind: PASSKEY_USE_RECORD, id },
      ]),
    ]
  }

  async function assertNotInviter(by: Actor, { invitedBy }: Account): Promise<void> {
    if (invitedBy === undefined || !('person' in by)) return
    const all = await listAccounts(records)
    const accountOf = (id: PersonId): Account =>
      all.find((one) => samePerson(one, id)) ?? { ...id, roles: [] }
    if (!isSameHuman(accountOf(by.person), accountOf(invitedBy))) return
    throw new CountersignError('not_permitted', 'you invited this person', {
      hint: 'Another admin does this.',
    })
  }

  return {
    get: async (key) => (await found(key)).account,
    async set(by, account) {
      const key = accountKey(account)
      const known = await records.get(PERSON_RECORD, key)
      // Whose link it came by stays known, also when another admin vouches for the address.
      const { invitedBy, emailVerified: wasSure } = (known?.value ?? {}) as Partial<Account>
      const { emailVerified: isSure } = account
      const changed: Account = { ...account, ...given({ invitedBy }) }
      const value = changed as unknown as Json
      if (known) await assertNotInviter(by, known.value as unknown as Account)
      const tombstones = await tombstonesOf(account)
      if (tombstones.length === 0 && isSame(known?.value, value)) return changed
      const now = await store.now()
      const isDone = await amend(known ? 'person.changed' : 'person.added', by, account, [
        { kind: PERSON_RECORD, id: key, value, expect: known?.revision ?? 'absent' },
        ...tombstones.flatMap((lock) => leftOf(lock, now)),
        // Who used the link came in without proving the address that now counts.
        ...(known && isSure && !wasSure ? await waysIn([changed]) : []),
      ])
      if (!isDone) throw changedMeanwhile()
      return changed
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
    join(account, invite) {
      const { issuer, subject } = account
      const id = accountKey(account)
      const value = account as unknown as Json
      return amend('person.added', { person: { issuer, subject } }, account, [
        { kind: PERSON_RECORD, id, value, expect: 'absent' },
        { kind: LOCK_RECORD, id: tombstoneId(id), expect: 'absent' },
        invite,
      ])
    },
    async setRoles(by, key, roles) {
      const { account, revision } = await found(key)
      if (roles.some((role) => !account.roles.includes(role))) await assertNotInviter(by, account)
      // Given by hand: they do not go with a group that a sign-in brought.
      const { mapped: _, wanted: __, ...kept } = account
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
      const standIns = (await standInRecords(store)).filter(
        (one) => isAhead(one, at) && same.some((gone) => concerns(one, gone)),
      )
      const isDone = await amend('person.removed', by, account, [
        ...same.flatMap((one): RecordChange[] => {
          const id = accountKey(one)
          return [
            { kind: PERSON_RECORD, id, ...(id === key ? { expect: 'present' } : {}) },
            { kind: LOCK_RECORD, id: tombstoneId(id), value: tombstoneOf(one, by, at) },
            { kind: LAST_SIGN_IN_RECORD, id },
            { kind: LAST_DECISION_RECORD, id },
          ]
        }),
        ...standIns.map(({ id }) => ({ kind: STAND_IN_RECORD, id })),
        ...(await waysIn(same)),
      ])
      if (!isDone) throw changedMeanwhile()
      // One may have been turned on meanwhile; from now on none is.
      for (const { kind, id } of withoutDevices(await devicesOf(records, same))) {
        await records.remove(kind, id)
      }
      for (const id of await connectionsOf(records, same)) {
        await store.amend({
          commandId: crypto.randomUUID(),
          event: { type: 'token.revoked', by, facts: { token: id } },
          changes: [{ kind: TOKEN_RECORD, id, expect: 'present' }],
        })
      }
      // A person who gets this address later finds nothing of what was said or saved under it.
      for (const one of same) {
        const key = accountKey(one)
        for (const { id } of await chatsOf(records, key)) await removeChat(records, id)
        await records.remove(SAVED_VIEWS_RECORD, key)
      }
      return account
    },
    isRemoved: async (account) => (await tombstonesOf(account)).length > 0,
    assertNotInviter,
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
