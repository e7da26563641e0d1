import type { InviteBody } from '../../api/people/invites.ts'
import { lockOnPerson } from '../../approval/locks/lock.ts'
import { type PersonId, personId, type Role } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import { PERSON_RECORD } from '../../store/audit/audited-records.ts'
import { INVITE_RECORD } from '../../store/records/invite-record.ts'
import { allRecords, type StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { readAddress } from '../identity/address.ts'
import type { Membership } from '../identity/membership.ts'
import { type Account, accountKey, listAccounts } from '../identity/people.ts'
import { hashSecret, newSecret, SECRET } from '../identity/secret.ts'

/** A person who was asked in, as it is kept. */
interface Invite {
  readonly email: string
  readonly name: string
  readonly roles: readonly Role[]
  readonly by: PersonId
  readonly at: number
  readonly until: number
  readonly usedAt?: number
  readonly revokedAt?: number
}

export interface StoredInvite extends Invite {
  readonly id: string
  readonly state: 'open' | 'used' | 'revoked' | 'ended'
}

/**
 * Links that make an account, once. Its maker could use a link, so an account that came by one
 * starts as a viewer under an address that is not vouched for: another admin gives it more.
 */
interface Invites {
  make(by: PersonId, wish: InviteBody): Promise<{ secret: string; invite: StoredInvite }>
  list(): Promise<readonly StoredInvite[]>
  /** False when it is not open. */
  revoke(by: PersonId, id: string): Promise<boolean>
  /** Throws `signin_expired` for every use but the first, saying why. */
  accept(secret: string): Promise<Account>
}

const DAY_MS = 86_400_000
const USUAL_DAYS = 3
/** How long an invitation that is over stays in the list. */
const REMEMBERED_MS = 30 * DAY_MS
const MOST_OPEN = 100

export function createInvites(store: Store, membership: Membership): Invites {
  const { records } = store

  const read = ({ id, value }: StoredRecord, now: number): StoredInvite => {
    const invite = value as unknown as Invite
    return { ...invite, id, state: stateOf(invite, now) }
  }

  /** A link is worth no more than the admin who made it. */
  async function mayInvite(by: PersonId): Promise<boolean> {
    const found = await records.get(PERSON_RECORD, accountKey(by))
    const account = found?.value as unknown as Account | undefined
    if (!account?.roles.includes('admin') || account.locked) return false
    const copy = lockCopy(store)
    const person = { ...account, groups: [], assurance: 'chat' } as const
    return lockOnPerson(await copy.current(), person, copy.now()) === undefined
  }

  async function amend(
    event: { type: 'invite.made' | 'invite.revoked'; by: PersonId; roles: readonly Role[] },
    id: string,
    { invite, expect }: { invite: Invite; expect: number | 'absent' },
  ): Promise<boolean> {
    const { type, by, roles } = event
    return store.amend({
      commandId: crypto.randomUUID(),
      event: { type, by: { person: by }, facts: { invite: id, roles: [...roles] } },
      changes: [
        {
          kind: INVITE_RECORD,
          id,
          value: invite as unknown as Json,
          expect,
          expiresAt: invite.until + REMEMBERED_MS,
        },
      ],
    })
  }

  return {
    async make(by, { email: typed, name: called, roles, days = USUAL_DAYS }) {
      const email = readAddress(typed, 'email')
      const name = called.trim()
      if (name === '') throw new CountersignError('invalid_value', 'name: it is empty')
      const at = await store.now()
      if ((await listAccounts(records)).some((one) => isAddressOf(one, email))) {
        throw new CountersignError('usage', 'a person with this address is here already', {
          hint: 'Change their roles instead.',
        })
      }
      const open = (await allRecords(records, INVITE_RECORD)).filter(
        (one) => read(one, at).state === 'open',
      )
      if (open.length >= MOST_OPEN) {
        throw new CountersignError('usage', `at most ${MOST_OPEN} invitations are open at once`, {
          hint: 'Revoke those that are no longer needed.',
        })
      }
      const secret = newSecret()
      const id = hashSecret('invite', secret)
      const invite: Invite = {
        email,
        name,
        roles: [...new Set(roles)],
        by: personId(by),
        at,
        until: at + days * DAY_MS,
      }
      await amend({ type: 'invite.made', by: invite.by, roles: invite.roles }, id, {
        invite,
        expect: 'absent',
      })
      return { secret, invite: { ...invite, id, state: 'open' } }
    },
    async list() {
      const now = await store.now()
      const all = (await allRecords(records, INVITE_RECORD)).map((one) => read(one, now))
      return all.toSorted((one, two) => two.at - one.at)
    },
    async revoke(by, id) {
      const found = await records.get(INVITE_RECORD, id)
      const now = await store.now()
      if (!found || read(found, now).state !== 'open') return false
      const invite = { ...(found.value as unknown as Invite), revokedAt: now }
      const { roles } = invite
      const wanted = { type: 'invite.revoked', by: personId(by), roles } as const
      return amend(wanted, id, { invite, expect: found.revision })
    },
    async accept(secret) {
      const id = hashSecret('invite', secret)
      const found = SECRET.test(secret) ? await records.get(INVITE_RECORD, id) : undefined
      const now = await store.now()
      const state = found ? read(found, now).state : 'unknown'
      if (!found || state !== 'open') throw new CountersignError('signin_expired', SAYS[state])
      const invite = found.value as unknown as Invite
      const account = accountFor(invite)
      // Another admin must have removed, or added, this person since.
      if (await membership.isRemoved({ ...account, emailVerified: true })) {
        throw new CountersignError('not_permitted', 'you were removed here', {
          hint: 'Ask an admin of this Countersign to add you again.',
        })
      }
      const isInviterThere = await mayInvite(invite.by)
      if (!isInviterThere) throw new CountersignError('signin_expired', SAYS.orphaned)
      const used: Invite = { ...invite, usedAt: now }
      const isFirst = await membership.join(account, {
        kind: INVITE_RECORD,
        id,
        value: used as unknown as Json,
        expect: found.revision,
        expiresAt: invite.until + REMEMBERED_MS,
      })
      if (isFirst) return account
      const left = await records.get(INVITE_RECORD, id)
      throw new CountersignError('signin_expired', SAYS[left ? read(left, now).state : 'unknown'])
    },
  }
}

const SAYS = {
  used: 'this invitation was used already',
  revoked: 'this invitation was revoked',
  ended: 'this invitation has ended',
  // Open, and yet not to be used.
  open: 'this person was added in another way meanwhile',
  orphaned: 'the admin who made this invitation is locked, or no longer an admin here',
  unknown: 'there is no such invitation',
} as const

function stateOf({ usedAt, revokedAt, until }: Invite, now: number): StoredInvite['state'] {
  if (usedAt !== undefined) return 'used'
  if (revokedAt !== undefined) return 'revoked'
  return now < until ? 'open' : 'ended'
}

function accountFor({ email, name, roles, by }: Invite): Account {
  return {
    issuer: 'local',
    subject: email,
    name,
    email,
    emailVerified: false,
    roles: ['viewer'],
    invitedBy: by,
    ...(roles.some((role) => role !== 'viewer') ? { wanted: roles } : {}),
  }
}

function isAddressOf({ issuer, subject, email }: Account, address: string): boolean {
  return email === address || (issuer === 'local' && subject === address)
}
