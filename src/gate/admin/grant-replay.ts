import type { Approval } from '../../approval/approval.ts'
import { type GrantLimits, type GrantScope, inScope } from '../../approval/grants/grant.ts'
import type { Content } from '../../approval/transition.ts'
import type { Policy } from '../../policy/policy.ts'
import type { Store } from '../../store/store.ts'
import { meetsCondition } from '../pipeline/use-grant.ts'
import { recordedCall } from './recorded-calls.ts'

/** Calls that are looked at: enough to see what a rule is like. */
const MOST = 50

export interface ReplayedRule {
  readonly scope: GrantScope
  readonly limits: GrantLimits
}

export interface ReplayedGrant {
  readonly calls: number
  /** Would have run without asking. */
  readonly covered: number
  /** Of those, what people denied or edited. */
  readonly refused: number
}

/**
 * How many recorded calls of the same agent and tool a grant would have covered, its uses, end and
 * budget aside. Arguments are judged as people see them: by what is masked there, no condition can
 * be used to guess it.
 */
export async function replayGrant(
  { store, policy }: { readonly store: Store; readonly policy: Policy },
  { scope, limits }: ReplayedRule,
  not: string,
): Promise<ReplayedGrant> {
  const { agent, tool, server } = scope
  const filter = { agent, tool, ...(server === undefined ? {} : { server }) }
  const { approvals } = await store.list(filter, { order: 'newest', limit: MOST + 1 })
  const others = approvals
    .filter(({ id, call, grant }) => id !== not && call.server === server && !grant)
    .slice(0, MOST)
  const ids = others.map(({ id }) => id)
  const contents = await store.contentOf(ids, ['arguments', 'question', 'definition'])
  const isCovered = await Promise.all(others.map((one) => covers(one, contents.get(one.id) ?? [])))
  const covered = others.filter((_, nth) => isCovered[nth])
  return {
    calls: others.length,
    covered: covered.length,
    refused: covered.filter(
      ({ status, digest, askedDigest }) => status === 'denied' || digest !== askedDigest,
    ).length,
  }

  async function covers(approval: Approval, content: readonly Content[]): Promise<boolean> {
    const { call, askedDigest } = approval
    if (!inScope({ scope, tenant: store.tenant }, call, store.tenant)) return false
    if (limits.digest !== undefined) return limits.digest === askedDigest
    if (limits.condition === undefined) return false
    const recorded = await recordedCall(policy, approval, content)
    return recorded !== undefined && meetsCondition(limits.condition, recorded.call)
  }
}
