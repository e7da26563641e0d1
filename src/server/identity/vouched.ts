import type { Person, PersonId } from '../../approval/people/person.ts'
import { foldAddress } from '../../base/address.ts'
import { TOKEN_RECORD } from '../../store/audit/audited-records.ts'
import type { Records } from '../../store/records.ts'
import type { Account } from './people.ts'
import type { AgentToken } from './tokens.ts'

/*
 * A person whom an application has signed in and vouches for. Their issuer names the token, so that
 * the record says who vouched. They have no role and no group: all they can do is confirm what an
 * agent does for them.
 */

/**
 * The door of calls that are asked with a token that vouches. A digest binds the door, so such a call
 * is never the same as one of a token that is bound to the person, under the same agent and key.
 */
export const VOUCHED_DOOR = 'vouched'

const ISSUER = /^vouched:([0-9a-f]{12})$/

export function vouchedPerson({ prefix }: AgentToken, address: string): Person {
  return {
    issuer: `vouched:${prefix}`,
    subject: address,
    email: address,
    emailVerified: true,
    groups: [],
    roles: [],
    assurance: 'chat',
  }
}

/** As they are now: gone with the token, and locked with any account under their address. */
export async function vouchedNow(
  records: Records,
  accounts: readonly Account[],
  { issuer, subject }: PersonId,
): Promise<Person | undefined> {
  const [, prefix] = ISSUER.exec(issuer) ?? []
  const found = prefix === undefined ? undefined : await records.get(TOKEN_RECORD, prefix)
  const token = found?.value as unknown as AgentToken | undefined
  if (token?.vouches !== true) return undefined
  const isLocked = accounts.some(
    (one) => one.locked && one.emailVerified && foldAddress(one.email ?? '') === subject,
  )
  return { ...vouchedPerson(token, subject), ...(isLocked ? { locked: true } : {}) }
}

export function isVouched({ issuer }: PersonId): boolean {
  return ISSUER.test(issuer)
}
