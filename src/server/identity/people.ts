import { createHash } from 'node:crypto'
import type { WirePerson } from '../../api/common.ts'
import type { Assurance, Person, PersonId, PersonName, Role } from '../../approval/people/person.ts'
import type { Json } from '../../base/json/json.ts'
import { groupsOf, membersIn, onCallIn, type People, type PolicyGroups } from '../../gate/people.ts'
import { PERSON_RECORD } from '../../store/audit/audited-records.ts'
import { allRecords, type Records, type StoredRecord } from '../../store/records.ts'
import type { Schedules } from '../on-call/schedules.ts'
import { reachable } from './reachable.ts'
import { isVouched, vouchedNow } from './vouched.ts'

/** A person who may sign in here. Roles and locks are read anew whenever they matter. */
export interface Account extends PersonId {
  readonly name?: string
  readonly email?: string
  /** Who added the account vouches for the address. */
  readonly emailVerified?: boolean
  readonly roles: readonly Role[]
  readonly locked?: boolean
  /** What the issuer says this person belongs to. */
  readonly claims?: readonly string[]
  /** Those of the roles that came with the last sign-in, and go when their reason goes. */
  readonly mapped?: readonly Role[]
  /** Who made the link that this account came by. They give it no role: it may be their own. */
  readonly invitedBy?: PersonId
  /** Roles that the invitation named, until another admin decides about them. */
  readonly wanted?: readonly Role[]
}

export interface Accounts {
  get(id: PersonId): Promise<Account | undefined>
  list(): Promise<readonly Account[]>
  /** What is true of the person now, for code that judges what they may do. */
  person(account: Account, assurance: Assurance): Person
  /** For the gate: who could answer, and what is true today of a person who answered. */
  readonly people: People
}

export interface AccountParts {
  readonly records: Records
  /** In force now: its groups are those people are in. */
  readonly policy: () => PolicyGroups
  /** Who is on call; as far as the policy itself says it unless set. */
  readonly schedules?: Schedules
}

export function createAccounts({ records, policy, schedules }: AccountParts): Accounts {
  const get = (id: PersonId) => getAccount(records, id)

  function person(account: Account, assurance: Assurance): Person {
    const rules = policy()
    const { issuer, subject, email, emailVerified, roles, locked } = account
    return {
      issuer,
      subject,
      ...(email === undefined ? {} : { email }),
      ...(emailVerified === undefined ? {} : { emailVerified }),
      groups: rules.groups.size === 0 ? [] : groupsOf(rules, account),
      roles,
      assurance,
      ...(locked === undefined ? {} : { locked }),
    }
  }

  const list = () => listAccounts(records)

  return {
    get,
    list,
    person,
    people: {
      async directory() {
        const approvers = (await list()).filter(
          ({ roles, locked }) => !locked && roles.includes('approver'),
        )
        // Without an approver yet, the first one to sign in may be the one who answers.
        return {
          groups: membersIn(policy()),
          approvers: approvers.length > 0 ? approvers.map(named) : 'open',
        }
      },
      async reachable(to) {
        const all = await list()
        return reachable({ to, accounts: all.filter(({ locked }) => !locked), policy: policy() })
      },
      async nameOf(id) {
        const { name, email } = wirePerson(id, await get(id))
        return name ?? email
      },
      onCall: (group, at) =>
        schedules ? schedules.onCall(group, at) : onCallIn(policy(), group, at),
      async admins() {
        const all = await list()
        const able = all.filter(({ roles, locked }) => !locked && roles.includes('admin'))
        // Only an address that is vouched for may be told anything.
        return able.flatMap((one) => (one.emailVerified ? [named(one)] : []))
      },
      async lookup({ issuer, subject, assurance }) {
        if (isVouched({ issuer, subject })) {
          return vouchedNow(records, await list(), { issuer, subject })
        }
        const account = await get({ issuer, subject })
        return account && person(account, assurance)
      },
    },
  }
}

export async function listAccounts(records: Records): Promise<readonly Account[]> {
  return (await allRecords(records, PERSON_RECORD)).map(accountOf)
}

async function getAccount(records: Records, id: PersonId): Promise<Account | undefined> {
  const found = await records.get(PERSON_RECORD, accountKey(id))
  return found && accountOf(found)
}

/** The account as it is afterwards: what is there already stays as it is. */
export async function addAccount(records: Records, account: Account): Promise<Account> {
  const value = account as unknown as Json
  await records.put(PERSON_RECORD, accountKey(account), value, { expect: 'absent' })
  return (await getAccount(records, account)) ?? account
}

/** Adds it, or changes it. */
export async function setAccount(records: Records, account: Account): Promise<Account> {
  await records.put(PERSON_RECORD, accountKey(account), account as unknown as Json)
  return account
}

/** Subjects can be long and strange; a name of a record is neither. */
export function accountKey({ issuer, subject }: PersonId): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
}

function accountOf({ value }: StoredRecord): Account {
  return value as unknown as Account
}

function named({ issuer, subject, email }: Account): PersonName {
  return { issuer, subject, ...(email === undefined ? {} : { email }) }
}

/** How others see a person. An unverified address would be a name that any user can choose. */
export function wirePerson(id: PersonId, account: Account | undefined): WirePerson {
  const { issuer, subject } = id
  const { name, email, emailVerified } = account ?? {}
  return {
    issuer,
    subject,
    ...(name === undefined ? {} : { name }),
    ...(email === undefined || !emailVerified ? {} : { email }),
  }
}
