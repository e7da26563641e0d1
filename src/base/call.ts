import type { JsonObject } from './json/json.ts'
import type { Risk } from './risk.ts'

export type CallKind = 'tool' | 'agent' | 'skill'

/**
 * What an agent wants to do. `kind: 'agent'` is a delegation (`tool` names the sub-agent),
 * `kind: 'skill'` a remote agent's skill (`server` names the remote agent).
 */
export interface Call {
  readonly kind?: CallKind
  readonly tool: string
  readonly server?: string
  /** The authenticated agent; a plain string is its alias. */
  readonly agent?: string | AgentName
  /** The person the agent works for. */
  readonly principal?: string
  readonly run?: string
  readonly key?: string
  readonly risk?: Risk
  readonly args: JsonObject
  readonly parent?: { readonly input: JsonObject }
  /** Untrusted: shown as claimed by the agent, never read by a rule. */
  readonly context?: { readonly says?: string; readonly links?: readonly string[] }
}

export interface AgentName {
  readonly alias?: string
  readonly id?: string
}

export function agentAlias({ agent }: Call): string | undefined {
  return typeof agent === 'string' ? agent : agent?.alias
}

export function agentId({ agent }: Call): string | undefined {
  return typeof agent === 'string' ? undefined : agent?.id
}
