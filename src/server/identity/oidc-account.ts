import { ROLES, type Role } from '../../approval/people/person.ts'
import { foldAddress } from '../../base/address.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import type { Membership } from './membership.ts'
import type { Claims, OidcOptions } from './oidc.ts'
import type { Account, Accounts } from './people.ts'

const MOST_GROUPS = 200
const LONGEST = 256

export interface SigningIn {
  readonly accounts: Accounts
  readonly membership: Membership
  readonly options: OidcOptions
  /** Whether the policy names this verified address somewhere. */
  readonly isNamed: (account: Account) => boolean
}

/**
 * The account of a person an issuer vouches for, brought up to date. Signing in is not enough to
 * see anything: a role comes from the issuer's groups, from an admin, or from being named by the
 * policy.
 */
export async function oidcAccount(claims: Claims, signing: SigningIn): Promise<Account> {
  const { accounts, membership, options, isNamed } = signing
  const before = await accounts.get(claims)
  const said = accountOf(claims, options)
  const mapped = mappedRoles(said.claims ?? [], options)
  const same = said.emailVerified ? await withAddress(said.email, accounts) : []
  if (await membership.isRemoved(said)) {
    throw new CountersignError('not_permitted', 'you were removed here', {
      hint: 'Ask an admin of this Countersign to add you again.',
    })
  }
  if ([before, ...same].some((one) => one?.locked)) {
    throw new CountersignError('not_permitted', 'this account is locked', {
      hint: 'Ask an admin of this Countersign.',
    })
  }
  // An account that a person let in under this address belongs to the same person.
  const invited = same.flatMap((one) => one.roles)
  // What an admin gave stays; what the issuer gave goes with its reason.
  const kept = (before?.roles ?? []).filter((role) => !before?.mapped?.includes(role))
  const named: readonly Role[] = isNamed(said) ? ['viewer'] : []
  const roles = ROLES.filter((role) => [kept, mapped, invited, named].flat().includes(role))
  if (roles.length === 0) {
    throw new CountersignError('not_permitted', 'you have no role here yet', {
      hint: 'Ask an admin of this Countersign to add your address, or your group.',
    })
  }
  const account = { ...said, roles, mapped: roles.filter((role) => !kept.includes(role)) }
  // Changed meanwhile, perhaps removed: look at everything again.
  return (await membership.enter(account)) ? account : oidcAccount(claims, signing)
}

function accountOf(claims: Claims, { groupsClaim = 'groups' }: OidcOptions): Account {
  const { issuer, subject, email, name } = claims
  const groups = groupsIn(Object.hasOwn(claims, groupsClaim) ? claims[groupsClaim] : undefined)
  return {
    issuer,
    subject,
    ...(isText(name) ? { name } : {}),
    // An unverified address lets no person in. It is kept because it may keep one out: two logins
    // with one address are one person.
    ...(isText(email)
      ? { email: foldAddress(email), emailVerified: claims.email_verified === true }
      : {}),
    claims: groups,
    roles: [],
  }
}

/** One text, or a list of texts; anything else in it is no group. */
function groupsIn(value: Json | undefined): readonly string[] {
  const all = Array.isArray(value) ? value : [value]
  return [...new Set(all.filter(isText))].slice(0, MOST_GROUPS)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST
}

function mappedRoles(groups: readonly string[], { roles = {} }: OidcOptions): readonly Role[] {
  return ROLES.filter((role) =>
    roles[role]?.some((group) => group === '*' || groups.includes(group)),
  )
}

async function withAddress(email: string | undefined, accounts: Accounts): Promise<Account[]> {
  return (await accounts.list()).filter(
    (one) => one.issuer === 'local' && one.emailVerified === true && one.email === email,
  )
}
