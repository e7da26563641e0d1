import { holdOnPerson } from '../../approval/holds/hold.ts'
import { type Lock, readLock } from '../../approval/locks/lock.ts'
import { type PersonName, samePerson } from '../../approval/people/person.ts'
import type { Actor } from '../../approval/transition.ts'
import { foldAddress } from '../../base/address.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { isPlainObject, type Json } from '../../base/json/json.ts'
import { readHolds } from '../../gate/admin/holds.ts'
import { REMEMBERED_MS } from '../../gate/admin/stand-ins.ts'
import { forgetPreferences } from '../../gate/notify/preferences.ts'
import { PERSON_RECORD } from '../../store/audit/audited-records.ts'
import type { RecordChange } from '../../store/engine/amendment.ts'
import type { ContentPiece } from '../../store/engine/erasable.ts'
import { HOLDS_PLACED } from '../../store/records/hold-record.ts'
import { INVITE_RECORD } from '../../store/records/invite-record.ts'
import { LOCK_RECORD } from '../../store/records/lock-record.ts'
import { allRecords } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { Membership } from './membership.ts'
import { accountKey, listAccounts } from './people.ts'

export interface ErasedPerson {
  /** Pieces of content that were erased. */
  readonly erased: number
  /** Pieces of calls that can still be decided or run, or that a hold on something else keeps. */
  readonly kept: number
  /** Grants of theirs of which what they covered, and why, is gone. */
  readonly grants: number
}

/**
 * Erases what can be erased of a person without breaking the record: the account, under every login
 * with its address, and content that they wrote, that was about them or that holds their address.
 * Any step may be the last before a crash. The same again goes on from there, because the tombstone
 * names them until the end.
 */
export async function erasePerson(
  { store, membership }: { readonly store: Store; readonly membership: Membership },
  by: Actor,
  key: string,
): Promise<ErasedPerson> {
  const { records } = store
  const logins = await loginsOf(store, key)
  const placed = await records.get(HOLDS_PLACED.kind, HOLDS_PLACED.id)
  await assertFree(store, logins)
  if (await records.get(PERSON_RECORD, key)) await membership.remove(by, key)
  for (const { issuer = '', subject } of logins) {
    await forgetPreferences(records, { issuer, subject })
  }
  const isTheirs = theirs(logins)
  const { erased, kept } = await store.eraseThose((piece) => isPieceOf(piece, isTheirs))
  const grants = await eraseGrantsOf(store, isTheirs)
  const { issuer = '', subject } = logins[0] as PersonName
  const isDone = await store.amend({
    commandId: crypto.randomUUID(),
    event: { type: 'person.erased', by, facts: { issuer, subject, erased, kept, grants } },
    changes: [
      ...(await namelessTombstones(store, logins)),
      ...(await invitesTo(store, isTheirs)),
      // A hold that was placed meanwhile may name them.
      { ...HOLDS_PLACED, value: placed?.value ?? {}, expect: placed?.revision ?? 'absent' },
    ],
  })
  if (isDone) return { erased, kept, grants }
  await assertFree(store, logins)
  throw new CountersignError('person_changed', 'a legal hold was placed at the same moment', {
    hint: 'Run it again: what is left goes then, unless the hold keeps it.',
  })
}

/** The person of this key, and every other login with the same address, removed ones too. */
async function loginsOf(store: Store, key: string): Promise<readonly PersonName[]> {
  const tombstones = (await tombstonesIn(store)).map(({ target }) => target.person)
  const accounts = (await listAccounts(store.records)).map(
    ({ issuer, subject, email, emailVerified }): PersonName => ({
      ...{ issuer, subject },
      ...(email !== undefined && emailVerified ? { email } : {}),
    }),
  )
  const all = [...accounts, ...tombstones]
  const own = all.find(({ issuer = '', subject }) => accountKey({ issuer, subject }) === key)
  if (!own) {
    throw new CountersignError('not_found', 'there is no such person', {
      hint: '`countersign people list` lists all people; `--json` has those who were removed.',
    })
  }
  const address = own.email && foldAddress(own.email)
  const others = all.filter(
    (one) => one !== own && one.email !== undefined && foldAddress(one.email) === address,
  )
  return [own, ...others]
}

async function assertFree(store: Store, logins: readonly PersonName[]): Promise<void> {
  const holds = await readHolds(store)
  const hold = logins.map((one) => holdOnPerson(holds, one)).find((one) => one !== undefined)
  if (!hold) return
  throw new CountersignError('on_hold', `a legal hold names this person: ${hold.reason}`, {
    hint: '`countersign audit hold list` shows it; an admin releases it when its matter is over.',
  })
}

interface Theirs {
  isNamed(name: PersonName | undefined): boolean
  isIn(text: string): boolean
}

/** Surely them: in doubt it is of another person, and stays. */
function theirs(logins: readonly PersonName[]): Theirs {
  const words = logins
    .flatMap(({ email, subject }) => [email, subject])
    .flatMap((word) => (word?.includes('@') ? [foldAddress(word)] : []))
  const escaped = [...new Set(words)].map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  // Not as the end of a longer name, nor as the beginning of a longer host.
  const address =
    escaped.length === 0
      ? undefined
      : new RegExp(`(?<![\\w.%+-])(?:${escaped.join('|')})(?![\\w-]|\\.\\w)`, 'i')
  return {
    isNamed(name) {
      if (!name) return false
      const { issuer, subject, email } = name
      if (email !== undefined && words.includes(foldAddress(email))) return true
      if (issuer === undefined) return words.includes(foldAddress(subject))
      return logins.some((one) => samePerson({ issuer: '', ...one }, { issuer, subject }))
    },
    isIn: (text) => address?.test(text) === true,
  }
}

function isPieceOf({ key, kind, text, approval }: ContentPiece, { isNamed, isIn }: Theirs) {
  if (isIn(text)) return true
  if (!approval) return false
  const { call, decisions, talk = [], execution } = approval
  if (isNamed(call.principal) || isNamed(call.requester)) return true
  return (
    decisions.some(({ by, content = [] }) => isNamed(by) && content.includes(key)) ||
    talk.some(({ by, content }) => isNamed(by) && content === key) ||
    (kind === 'note' && isNamed(execution?.resolvedBy))
  )
}

async function eraseGrantsOf({ grants }: Store, { isNamed }: Theirs): Promise<number> {
  let erased = 0
  let after: string | undefined
  do {
    const page = await grants.list({}, after === undefined ? {} : { after })
    for (const { id, by, state, erased: isGone } of page.grants) {
      if (state === 'live' || isGone || !isNamed(by)) continue
      try {
        await grants.apply(id, { type: 'erase', commandId: crypto.randomUUID() })
        erased += 1
      } catch (error) {
        if (!isCountersignError(error, 'on_hold')) throw error
      }
    }
    after = page.next
  } while (after !== undefined)
  return erased
}

type Tombstone = Lock & { readonly target: { readonly person: PersonName } }

async function tombstonesIn({ records }: Store): Promise<readonly Tombstone[]> {
  const locks = (await allRecords(records, LOCK_RECORD)).map(({ value }) => readLock(value))
  return locks.filter((lock): lock is Tombstone => Boolean(lock.removed && 'person' in lock.target))
}

/** Who is out stays out by issuer and subject, which the record names them by as well. */
async function namelessTombstones(
  store: Store,
  logins: readonly PersonName[],
): Promise<RecordChange[]> {
  const keys = logins.map(({ issuer = '', subject }) => accountKey({ issuer, subject }))
  return (await tombstonesIn(store))
    .filter(({ target: { person } }) =>
      keys.includes(accountKey({ issuer: person.issuer ?? '', subject: person.subject })),
    )
    .map((lock) => {
      const { email: _, ...person } = lock.target.person
      const value = { ...lock, target: { person } } as unknown as Json
      const expiresAt = lock.until === undefined ? undefined : lock.until + REMEMBERED_MS
      return { kind: LOCK_RECORD, id: lock.id, value, expect: 'present', expiresAt }
    })
}

async function invitesTo({ records }: Store, { isNamed }: Theirs): Promise<RecordChange[]> {
  const found = await allRecords(records, INVITE_RECORD)
  return found.flatMap(({ id, value }) => {
    const email = isPlainObject(value) && typeof value.email === 'string' ? value.email : ''
    return isNamed({ subject: email }) ? [{ kind: INVITE_RECORD, id }] : []
  })
}
