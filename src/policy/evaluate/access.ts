import { type Call, READ_METHODS, type Risk, riskRank } from '../../base/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { Policy } from '../policy.ts'
import { declaredRisk } from './declared.ts'
import { governs, judge, type Looked } from './judge.ts'
import { ANNOTATED, DENIED_BY_MODE, type Mode } from './mode.ts'

/** What a server has besides tools. `other` belongs to neither: only governance speaks of it. */
export type AccessKind = 'resources' | 'prompts' | 'other'

/** A request to a server that runs no tool. */
export interface Access {
  readonly server: string
  readonly kind: AccessKind
  /** As the protocol calls it: `resources/read`. Stands where rules look for the tool. */
  readonly method: string
  /** Which one: an address, or the name of a prompt. */
  readonly name: string
  /** What rules read, and people see where it asks; `{ name }` where absent. */
  readonly args?: JsonObject
  /** What the server declares: above L0, that it does more than give something. */
  readonly risk?: Risk | undefined
}

export type AccessVerdict =
  | { readonly verdict: 'allow' | 'ask' }
  | { readonly verdict: 'deny'; readonly why: string }

/**
 * What the policy says of it. `ask` means that it is a call from here on: the gate judges it whole,
 * and may still allow or deny it.
 */
export function accessVerdict(
  policy: Policy,
  access: Access,
  mode: Mode,
  agent: Call['agent'],
): AccessVerdict {
  if (mode.kind === 'denyAll') return { verdict: 'deny', why: DENIED_BY_MODE.message }
  const isEnforced = mode.kind !== 'observe' && mode.kind !== 'allowAll'
  const governance = governed(policy, access, agent)
  const denying = governance.find(({ level }) => level === 3)
  const why =
    (isEnforced ? deniedByOwner(policy, access) : undefined) ??
    (denying && (denying.why ?? denying.rule))
  if (why !== undefined) return { verdict: 'deny', why }
  // Neither a resource nor a prompt: it can be denied, and people are never asked.
  if (access.kind === 'other') return { verdict: 'allow' }
  if (governance.some(({ level }) => level > 0)) return { verdict: 'ask' }
  if (mode.kind === 'allowAll') return { verdict: 'allow' }
  // A function decides, or what the rules would have said is recorded: both happen in the gate.
  const isCall = READ_METHODS.has(access.method)
  if (mode.kind === 'observe' && !isCall) return { verdict: 'allow' }
  const isAsked = asksOwner(policy, access) || (mode.kind === 'custom' && isCall)
  return { verdict: isAsked ? 'ask' : 'allow' }
}

function deniedByOwner({ owner }: Policy, { server, kind }: Access): string | undefined {
  if (kind === 'other') return undefined
  const said = owner.servers.get(server)?.[kind]
  if (said === 'deny') return `mcp_servers.${server}.${kind} is deny.`
  if (said !== undefined) return undefined
  return owner.defaults.gateway === 'deny'
    ? `Server '${server}' says nothing about ${kind}, and defaults.gateway is deny.`
    : undefined
}

/** A declaration of the server counts where the file says nothing; it can only make this ask. */
function asksOwner(policy: Policy, access: Access): boolean {
  const { server, kind, risk = 'L0' } = access
  if (kind === 'other') return false
  const said = policy.owner.servers.get(server)?.[kind]
  if (said !== undefined) return said !== 'allow'
  if (riskRank(risk) === 0) return false
  const method = kind === 'prompts' ? 'prompts/get' : 'resources/read'
  const { looked } = judge(policy, { ...callOf(access), tool: method }, ANNOTATED)
  return looked.some(({ layer, level }) => layer === 'owner' && level > 0)
}

/** Rules of governance that match: by the method, the server, the agent and the risk. */
function governed(policy: Policy, access: Access, agent: Call['agent']): Looked[] {
  const call: Call = { ...callOf(access), ...(agent === undefined ? {} : { agent }) }
  const rated = declaredRisk(policy, call) ?? 'L0'
  const governance = policy.governance.filter(({ rule }) => governs(rule, call, rated))
  const { looked } = judge({ ...policy, governance }, call, { kind: 'allowAll' })
  return looked.filter(({ layer }) => layer === 'governance')
}

function callOf({ server, method, name, args = { name }, risk }: Access): Call {
  return { server, tool: method, args, ...(risk === undefined ? {} : { risk }) }
}
