import { createHash, randomUUID } from 'node:crypto'
import type { PersonId } from '../../approval/people/person.ts'
import type { Actor } from '../../approval/transition.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import type { ChatAccount } from '../../gate/notify/channel-host.ts'
import {
  LINK_RECORD,
  LINKED_ACCOUNT_RECORD,
  linkNames,
  withoutLink,
} from '../../store/records/link-record.ts'
import { LOCK_RECORD, tombstoneId } from '../../store/records/lock-record.ts'
import type { Records, StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { accountKey } from '../identity/people.ts'
import { hashSecret } from '../identity/secret.ts'
import { newLinkCode, readLinkCode } from './link-codes.ts'

/** An account of a chat that answers for a person. */
export interface Link extends ChatAccount {
  readonly link: string
  readonly channel: string
  /** As the chat calls its owner. Any name can be chosen there, so it identifies nothing. */
  readonly name: string
  readonly person: PersonId
  readonly at: number
  readonly until: number
}

/** A code was sent from this account; the person who made the code has not confirmed it yet. */
export type Claim = Omit<Link, 'link' | 'at'> & { readonly claim: string }

/**
 * Which accounts of chats answer for whom. The direction matters: a code is made where the person
 * is signed in, sent from the account, and confirmed where the person is signed in. A code made in
 * the chat would let an account of another person answer for whom it was talked into the inbox of.
 */
export interface Links {
  makeCode(person: PersonId, channel: string): Promise<{ code: string; expiresAt: number }>
  /** Uses the code up. Throws `link_unknown`. */
  claim(channel: string, from: ChatAccount & { readonly name: string }, code: string): Promise<void>
  waiting(person: PersonId): Promise<readonly Claim[]>
  /** Throws `link_unknown`, also for the claim of another person. */
  confirm(person: PersonId, claim: string): Promise<Link>
  decline(person: PersonId, claim: string): Promise<boolean>
  of(person: PersonId): Promise<readonly Link[]>
  /** The person behind the account; undefined: it was never linked, or its link has ended. */
  find(channel: string, from: ChatAccount): Promise<Link | undefined>
  /** False when it was not there. */
  remove(by: Actor, link: string): Promise<boolean>
}

const CODE = 'link code'
const CLAIM = 'link claim'
const CODE_MS = 10 * 60_000
/** Then it is asked for again: accounts of chats outlive jobs. */
export const LINK_MS = 90 * 86_400_000
const MOST = 20

export function createLinks(store: Pick<Store, 'records' | 'now' | 'amend'>): Links {
  const { records } = store

  async function own(kind: string, person: PersonId): Promise<readonly StoredRecord[]> {
    const key = accountKey(person)
    const { records: found } = await records.list(kind, { after: key, limit: MOST + 1 })
    return found.filter(({ id }) => id.startsWith(`${key}.`))
  }

  /** Why a claim that was there a moment ago could not be confirmed. */
  async function refusal(claim: string, account: string): Promise<CountersignError> {
    const known = await records.get(LINKED_ACCOUNT_RECORD, account)
    const { link = claim } = (known?.value ?? {}) as { link?: string }
    return link === claim ? unknown() : taken()
  }

  return {
    async makeCode({ issuer, subject }, channel) {
      const code = newLinkCode()
      const expiresAt = (await store.now()) + CODE_MS
      const value = { channel, person: { issuer, subject } }
      await records.put(CODE, codeId(channel, code), value, { expect: 'absent', expiresAt })
      return { code, expiresAt }
    },
    async claim(channel, { workspace, id, name }, code) {
      const taken = await records.remove(CODE, codeId(channel, code))
      const made = taken?.value as unknown as Pick<Link, 'channel' | 'person'> | undefined
      if (made?.channel !== channel) throw unknown()
      const expiresAt = (await store.now()) + CODE_MS
      const value = { channel, workspace, id, name, person: { ...made.person } }
      await records.put(CLAIM, linkId(made.person, channel, { workspace, id }), value, {
        expiresAt,
      })
    },
    waiting: async (person) => (await own(CLAIM, person)).map(claimOf),
    async confirm(person, claim) {
      const mine = claim.startsWith(`${accountKey(person)}.`)
      const found = mine ? await records.get(CLAIM, claim) : undefined
      if (!found) throw unknown()
      if ((await own(LINK_RECORD, person)).length >= MOST) {
        throw new CountersignError('usage', `a person can link at most ${MOST} accounts`)
      }
      const at = await store.now()
      const { channel, workspace, id, name } = claimOf(found)
      const { issuer, subject } = person
      const value = { channel, workspace, id, name, person: { issuer, subject }, at }
      const { account } = linkNames(claim)
      const known = await records.get(LINKED_ACCOUNT_RECORD, account)
      // One account answers for one person: else its owner would vote as two.
      if (known && (known.value as { link?: string }).link !== claim) throw taken()
      const expiresAt = at + LINK_MS
      const isDone = await store.amend({
        commandId: randomUUID(),
        event: { type: 'channel.linked', ...eventOf({ person: { issuer, subject } }, value) },
        changes: [
          { kind: CLAIM, id: claim, expect: found.revision },
          { kind: LINK_RECORD, id: claim, value, expiresAt },
          {
            kind: LINKED_ACCOUNT_RECORD,
            id: account,
            value: { link: claim },
            expect: known?.revision ?? 'absent',
            expiresAt,
          },
          // Removed at this moment: a link that is left would answer for them once they are back.
          { kind: LOCK_RECORD, id: tombstoneId(accountKey(person)), expect: 'absent' },
        ],
      })
      if (!isDone) throw await refusal(claim, account)
      return { ...value, link: claim, until: expiresAt }
    },
    async decline(person, claim) {
      if (!claim.startsWith(`${accountKey(person)}.`)) return false
      return (await records.remove(CLAIM, claim)) !== undefined
    },
    of: async (person) => (await own(LINK_RECORD, person)).map(linkOf),
    async find(channel, from) {
      const entry = await records.get(LINKED_ACCOUNT_RECORD, accountId(channel, from))
      const { link = '' } = (entry?.value ?? {}) as { link?: string }
      const found = link === '' ? undefined : await records.get(LINK_RECORD, link)
      const known = found && linkOf(found)
      // The entry only points: what the link itself says is what was confirmed and is audited.
      const isIt =
        known?.channel === channel &&
        known.workspace === from.workspace &&
        known.id === from.id &&
        known.link === linkId(known.person, channel, from)
      return isIt ? known : undefined
    },
    async remove(by, link) {
      const found = await records.get(LINK_RECORD, link)
      if (!found) return false
      return store.amend({
        commandId: randomUUID(),
        event: { type: 'channel.unlinked', ...eventOf(by, linkOf(found)) },
        changes: withoutLink(link).map((one) =>
          one.kind === LINK_RECORD ? { ...one, expect: 'present' as const } : one,
        ),
      })
    },
  }
}

/** Links of these people, to be removed together with them. */
export async function linksOf(records: Records, person: PersonId): Promise<readonly string[]> {
  const key = accountKey(person)
  const { records: found } = await records.list(LINK_RECORD, { after: key, limit: MOST + 1 })
  return found.map(({ id }) => id).filter((id) => id.startsWith(`${key}.`))
}

function codeId(channel: string, code: string): string {
  const letters = readLinkCode(code)
  if (letters === undefined) throw unknown()
  return hashSecret('link-code', JSON.stringify([channel, letters]))
}

function accountId(channel: string, { workspace, id }: ChatAccount): string {
  const name = JSON.stringify([channel, workspace, id])
  return createHash('sha256').update(name).digest('hex').slice(0, 40)
}

function linkId(person: PersonId, channel: string, from: ChatAccount): string {
  return `${accountKey(person)}.${accountId(channel, from)}`
}

function linkOf({ id, value, expiresAt = 0 }: StoredRecord): Link {
  return { ...(value as unknown as Omit<Link, 'link' | 'until'>), link: id, until: expiresAt }
}

function claimOf({ id, value, expiresAt = 0 }: StoredRecord): Claim {
  return { ...(value as unknown as Omit<Claim, 'claim' | 'until'>), claim: id, until: expiresAt }
}

/** Ids alone: a name of a chat is chosen by its owner, and what the audit holds is never erased. */
function eventOf(
  by: Actor,
  { person, channel, workspace, id }: ChatAccount & Pick<Link, 'person' | 'channel'>,
) {
  const { issuer, subject } = person
  return { by, facts: { issuer, subject, channel, workspace, account: id } satisfies Json }
}

function unknown(): CountersignError {
  return new CountersignError(
    'link_unknown',
    'this code was used before, is too old, or never was one',
    { hint: 'Make another code in the inbox, under your name.' },
  )
}

function taken(): CountersignError {
  return new CountersignError('link_unknown', 'this account is linked to another person', {
    hint: 'That person ends the link first.',
  })
}
