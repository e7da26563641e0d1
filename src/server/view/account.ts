import type { PeopleList, WireAccount, WireMember, WireRemoved } from '../../api/people.ts'
import { type Lock, lockOnPerson } from '../../approval/locks/lock.ts'
import { samePerson } from '../../approval/people/person.ts'
import { given } from '../../base/json/json.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { type Account, accountKey, wirePerson } from '../identity/people.ts'
import type { SignIns } from '../identity/sessions.ts'

/** What is known about all people, at one moment. */
export interface PeopleSnapshot {
  readonly accounts: readonly Account[]
  readonly groupsOf: (account: Account) => readonly string[]
  readonly groups: readonly string[]
  readonly signIns: ReadonlyMap<string, SignIns>
  /** Channels that tell each person, by account key. */
  readonly told: ReadonlyMap<string, readonly string[]>
  /** By account key. */
  readonly decisions: ReadonlyMap<string, number>
  readonly locks: readonly Lock[]
  readonly now: number
}

/** For one reader. Readers who are not admins see who decides here, not when they come and go. */
export function peopleList(
  snapshot: PeopleSnapshot,
  { account, person }: PersonCaller,
): PeopleList {
  const { accounts, groups, locks, now } = snapshot
  const isAdmin = person.roles.includes('admin')
  const people = accounts.map((one): WireMember => {
    const member = memberOf(one, snapshot)
    return {
      ...(isAdmin ? member : publicOf(one, member)),
      ...(samePerson(one, account) ? YOU : {}),
    }
  })
  return {
    people,
    groups,
    now,
    can: isAdmin ? ['change'] : [],
    ...(isAdmin ? { removed: locks.flatMap(removedOf) } : {}),
  }
}

const YOU = { you: true } as const

export function wireAccount(account: Account): WireAccount {
  const { issuer, subject, name, email, emailVerified, roles, claims } = account
  const known = given({ name, email, emailVerified, claims })
  return { id: accountKey(account), issuer, subject, ...known, roles }
}

function memberOf(account: Account, snapshot: PeopleSnapshot): WireMember {
  const { signIns, groupsOf, accounts, told, decisions } = snapshot
  const key = accountKey(account)
  const { invitedBy: by, wanted } = account
  const maker = by && accounts.find((one) => samePerson(one, by))
  const { lastAt, sessions = 0 } = signIns.get(key) ?? {}
  return {
    ...wireAccount(account),
    groups: groupsOf(account),
    ...(isLocked(account, snapshot) ? { locked: true as const } : {}),
    ...given({ lastSignInAt: lastAt, lastDecisionAt: decisions.get(key) }),
    told: told.get(key) ?? [],
    ...(by ? { invited: { by: wirePerson(by, maker), ...given({ wanted }) } } : {}),
    sessions,
  }
}

function publicOf(account: Account, { id, roles, groups, locked }: WireMember): WireMember {
  return { id, ...wirePerson(account, account), roles, groups, ...given({ locked }) }
}

function isLocked(account: Account, { locks, now }: PeopleSnapshot): boolean {
  const person = { ...account, groups: [], assurance: 'chat' } as const
  return account.locked === true || lockOnPerson(locks, person, now) !== undefined
}

function removedOf({ target, removed, at, until }: Lock): WireRemoved[] {
  if (!removed || until !== undefined || !('person' in target)) return []
  const { issuer = 'local', subject, email } = target.person
  const id = accountKey({ issuer, subject })
  return [{ issuer, subject, id, ...(email === undefined ? {} : { email }), at }]
}
