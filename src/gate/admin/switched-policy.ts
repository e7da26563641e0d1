import { combinePolicy } from '../../policy/load/combine.ts'
import type { Policy } from '../../policy/policy.ts'

type Switched = { readonly switches: ReadonlyMap<string, boolean>; readonly policy: Policy }

const made = new WeakMap<Policy, Switched>()

/** The policy with what operators switched in the inbox. Combined again only when either changed. */
export function switchedPolicy(policy: Policy, switches: ReadonlyMap<string, boolean>): Policy {
  if (switches.size === 0) return policy
  const known = made.get(policy)
  if (known?.switches === switches) return known.policy
  const combined = combinePolicy({
    ...policy,
    governance: policy.outside,
    switches: new Map([...policy.switches, ...switches]),
  })
  made.set(policy, { switches, policy: combined })
  return combined
}
