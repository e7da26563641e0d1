import { foldAddress } from '../../base/address.ts'
import type { Approver } from '../../base/oversight.ts'
import { type Addressee, groupsOf, type PolicyGroups } from '../../gate/people.ts'
import type { Account } from './people.ts'

interface Known {
  readonly to: readonly Approver[]
  readonly accounts: readonly Account[]
  readonly policy: PolicyGroups
}

/** Everyone these names mean, once: people with an account, and addresses of the policy without. */
export function reachable({ to, accounts, policy }: Known): readonly Addressee[] {
  const found = accounts.flatMap((account) => {
    const own = groupsOf(policy, account)
    return to.some((one) => means(one, account, own)) ? [addressee(account, own)] : []
  })
  const known = new Set(accounts.flatMap((account) => addressOf(account) ?? []))
  const listed = to.flatMap((one): readonly string[] => {
    if (one === '*') return []
    if ('email' in one) return [one.email]
    const group = policy.groups.get(one.group)
    return group && 'emails' in group ? group.emails : []
  })
  const strangers = new Set(listed.map(foldAddress).filter((email) => !known.has(email)))
  const groupsWith = (email: string) =>
    [...policy.groups].flatMap(([name, group]) =>
      'emails' in group && group.emails.some((one) => foldAddress(one) === email) ? [name] : [],
    )
  return [
    ...found,
    ...[...strangers].map((email) => ({ subject: email, email, groups: groupsWith(email) })),
  ]
}

function means(one: Approver, account: Account, own: readonly string[]): boolean {
  if (one === '*') return account.roles.includes('approver')
  if ('group' in one) return own.includes(one.group)
  return addressOf(account) === foldAddress(one.email)
}

/** Only an address that is vouched for may be told anything. */
function addressOf({ email, emailVerified }: Account): string | undefined {
  return emailVerified && email ? foldAddress(email) : undefined
}

function addressee(account: Account, groups: readonly string[]): Addressee {
  const { issuer, subject, name } = account
  const email = addressOf(account)
  return {
    issuer,
    subject,
    groups,
    ...(name === undefined ? {} : { name }),
    ...(email === undefined ? {} : { email }),
  }
}
