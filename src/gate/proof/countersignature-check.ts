import { ASSURANCES } from '../../approval/people/person.ts'
import type { Requirement, Terms } from '../../approval/people/requirement.ts'
import type { Store } from '../../store/store.ts'
import { type Countersignature, requirementDigest } from './countersignature.ts'
import {
  type CountersignedCall,
  type Verified,
  verifyCountersignature,
} from './countersignature-verify.ts'
import { issuerOf, publishedKeys } from './keys.ts'

const DEFAULT_TENANT = 'default'

type Asking<R> = { readonly requirements: readonly R[]; readonly terms: Terms }

export interface Checking {
  readonly store: Pick<Store, 'vault' | 'records' | 'now'>
  readonly call: CountersignedCall
  /** Name of this gate towards others; see `audienceOf`. */
  readonly audience: string
  /** Keys of other installations that this one believes, as JSON Web Keys. */
  readonly trust?: readonly unknown[] | undefined
}

/** Whether a countersignature speaks for this call, by the store's clock and the store's keys. */
export async function checkCountersignature(
  token: unknown,
  { store, call, audience, trust = [] }: Checking,
): Promise<Verified> {
  const keys = [...(await publishedKeys(store)), ...trust]
  return verifyCountersignature(token, { keys, call, audience, now: await store.now() })
}

/**
 * Gates that share a database accept each other's countersignatures under this name. Tenants of one
 * database may sign with one key, so each is an audience of its own.
 */
export function audienceOf(store: Pick<Store, 'vault' | 'tenant'>): string {
  const { tenant } = store
  const issuer = issuerOf(store)
  return tenant === DEFAULT_TENANT ? issuer : `${issuer}:${encodeURIComponent(tenant)}`
}

/**
 * Uses a countersignature up, right before its call starts. False: it was used before, so the call
 * must be asked about like any other. Throws when the store cannot say, and then nothing starts.
 */
export function spendCountersignature(
  { vault }: Pick<Store, 'vault'>,
  { iss, jti, exp }: Pick<Countersignature, 'iss' | 'jti' | 'exp'>,
): Promise<boolean> {
  return vault.spend(`${iss} ${jti}`, exp * 1_000)
}

/**
 * The requirements that are still to be asked about. Nothing is taken on trust that this policy
 * words differently: other people, other places, a surer answer, a reason.
 */
export async function uncovered<R extends Omit<Requirement, 'source'>>(
  { met }: Pick<Countersignature, 'met'>,
  { requirements, terms }: Asking<R>,
): Promise<readonly R[]> {
  const isSure = ASSURANCES.indexOf(met.assurance) >= ASSURANCES.indexOf(terms.minAssurance)
  const isReasoned = terms.reason !== 'required_always' || met.reasoned
  const isAsked = !met.grant || terms.grants
  if (!isSure || !isReasoned || !isAsked) return requirements
  const digests = await Promise.all(requirements.map(requirementDigest))
  return requirements.filter((requirement, index) => {
    const { approvers, quorum } = requirement
    const namesNobody = quorum.length === 0 && approvers.every((one) => one === '*')
    // One signed-in person is enough for it, and at least one has said yes at either level.
    if (requirement.level === 'confirm' && namesNobody) return false
    return !met.requirements.includes(digests[index] ?? '')
  })
}
