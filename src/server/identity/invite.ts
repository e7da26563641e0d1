import { userInfo } from 'node:os'
import type { Role } from '../../approval/people/person.ts'
import { OPERATOR } from '../../approval/transition.ts'
import { PERSON_RECORD } from '../../store/audit/audited-records.ts'
import type { Store } from '../../store/store.ts'
import { readAddress } from './address.ts'
import { createMembership } from './membership.ts'
import { type Account, accountKey } from './people.ts'
import { createSignInLinks } from './sign-in.ts'

/** A person whose address the inviter vouches for. */
export interface Invited {
  readonly email: string
  readonly name?: string
  readonly roles: readonly Role[]
}

/**
 * The secret of a new sign-in link. Without a person it signs in the operator: the user who can
 * reach the database from a terminal of this machine.
 */
export async function signInSecret(store: Store, invited: Invited | undefined): Promise<string> {
  const account = invited ? invitedAccount(invited) : await knownOperator(store)
  if (invited) await createMembership(store).set(OPERATOR, account)
  return createSignInLinks(store.records, () => store.now()).create(account)
}

/** Gives the operator, who runs this on their machine, an account and no link. */
export async function knownOperator(store: Store): Promise<Account> {
  const account = localOperator()
  // What was made of the operator's roles since stays as it is.
  const isKept = (await store.records.get(PERSON_RECORD, accountKey(account))) !== undefined
  if (!isKept) await createMembership(store).set(OPERATOR, account)
  return account
}

export function invitedAccount({ email, name, roles }: Invited): Account {
  const subject = readAddress(email, 'email')
  return {
    issuer: 'local',
    subject,
    ...(name === undefined ? {} : { name }),
    email: subject,
    emailVerified: true,
    roles: [...new Set(roles)],
  }
}

/** The operator: the user who runs this on their machine. */
export function localOperator(): Account {
  return {
    issuer: 'local',
    subject: userName() ?? 'operator',
    roles: ['viewer', 'approver', 'admin'],
  }
}

function userName(): string | undefined {
  try {
    return userInfo().username || undefined
  } catch {
    // A container may run under a number that has no name.
    return undefined
  }
}
