import type { Call } from '../../base/call.ts'
import type { Policy } from '../policy.ts'
import { declaredRisk } from './declared.ts'
import { governs, judge } from './judge.ts'
import { DENIED_BY_MODE, type Mode } from './mode.ts'

/** What a server has besides tools. `other` belongs to neither: only governance speaks of it. */
export type AccessKind = 'resources' | 'prompts' | 'other'

/** A request to a server that runs no tool. It can be allowed or denied, but not asked about. */
export interface Access {
  readonly server: string
  readonly kind: AccessKind
  /** As the protocol calls it: `resources/read`. Stands where rules look for the tool. */
  readonly method: string
  /** Which one: an address, or the name of a prompt. */
  readonly name: string
}

/** Why the policy refuses it; undefined where it does not. */
export function accessDenied(
  policy: Policy,
  access: Access,
  mode: Mode,
  agent: Call['agent'],
): string | undefined {
  if (mode.kind === 'denyAll') return DENIED_BY_MODE.message
  const isEnforced = mode.kind !== 'observe' && mode.kind !== 'allowAll'
  return (isEnforced ? deniedByOwner(policy, access) : undefined) ?? governed(policy, access, agent)
}

function deniedByOwner({ owner }: Policy, { server, kind }: Access): string | undefined {
  if (kind === 'other') return undefined
  const said = owner.servers.get(server)?.[kind]
  if (said === 'allow') return undefined
  if (said === 'deny') return `mcp_servers.${server}.${kind} is deny.`
  return owner.defaults.gateway === 'deny'
    ? `Server '${server}' says nothing about ${kind}, and defaults.gateway is deny.`
    : undefined
}

/** A rule that denies counts for everything of a server that it matches; one that asks, for calls. */
function governed(
  policy: Policy,
  { server, method, name }: Access,
  agent: Call['agent'],
): string | undefined {
  const call: Call = {
    server,
    tool: method,
    args: { name },
    ...(agent === undefined ? {} : { agent }),
  }
  // Our rating, not a claim: reading changes nothing, and a risk in the server's entry raises it.
  const rated = declaredRisk(policy, call) ?? 'L0'
  const governance = policy.governance.filter(({ rule }) => governs(rule, call, rated))
  const { looked } = judge({ ...policy, governance }, call, { kind: 'allowAll' })
  const denying = looked.find(({ layer, level }) => layer === 'governance' && level === 3)
  return denying && (denying.why ?? denying.rule)
}
