import type { JsonObject } from './json/json.ts'

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
  readonly context?: CallContext
  /**
   * JSON Schema of what an approver fills in with their yes. Part of what is approved; never read by
   * a rule, so it cannot make a call ask less.
   */
  readonly form?: JsonObject
}

/**
 * Requests of MCP that give what is no tool. As a call, such a request names its method in the place
 * of the tool: no tool is called so, because names of tools have no slash. The value is the key of a
 * server's entry that speaks of it.
 */
export const READ_METHODS: ReadonlyMap<string, 'resources' | 'prompts'> = new Map([
  ['resources/read', 'resources'],
  ['resources/subscribe', 'resources'],
  ['prompts/get', 'prompts'],
] as const)

const READ = Symbol('read')

/** Marks a call as such a request. Only the gateway makes them: a tool of that name is none. */
export function asRead(call: Call): Call {
  return { ...call, [READ]: true } as Call
}

/** Whether a name that belongs to such requests stands in a call that is none. */
export function isFalseRead(call: Call): boolean {
  return READ_METHODS.has(call.tool) && !(READ in call)
}

/** What is read, where this call is such a request. */
export function readKind({
  kind = 'tool',
  server,
  tool,
}: Pick<Call, 'kind' | 'server' | 'tool'>): 'resources' | 'prompts' | undefined {
  return kind === 'tool' && server ? READ_METHODS.get(tool) : undefined
}

export interface CallContext {
  readonly says?: string
  readonly links?: readonly string[]
  readonly workflow?: WorkflowContext
}

/** The workflow that asks, in its own words. */
export interface WorkflowContext {
  readonly name: string
  /** The step that waits for this answer. */
  readonly step?: string
  readonly done?: readonly string[]
  readonly next?: readonly string[]
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

/** L0 is harmless, L5 cannot be undone. Advice for people; policy turns it into rules. */
export const RISKS = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5'] as const

export type Risk = (typeof RISKS)[number]

export function isRisk(value: unknown): value is Risk {
  return RISKS.includes(value as Risk)
}

export function riskRank(risk: Risk): number {
  return RISKS.indexOf(risk)
}

/** The higher of the two; an unknown one is ignored. */
export function higherRisk(a: Risk | undefined, b: Risk | undefined): Risk | undefined {
  if (a === undefined) return b
  if (b === undefined) return a
  return riskRank(a) >= riskRank(b) ? a : b
}

/** An unrated call is not harmless, so it ranks in the middle. */
export const UNRATED: Risk = 'L3'

export interface ShownRisk {
  readonly risk?: Risk
  /** Not rated, but guessed from the tool. */
  readonly riskGuessed?: true
}

/**
 * The risk that people are shown. How a tool looks can only raise it: its server chose the name,
 * and a harmless one must not make a call look safer than an unrated one.
 */
export function shownRisk({
  risk,
  looks,
}: {
  readonly risk?: Risk
  readonly looks?: Risk
}): ShownRisk {
  if (looks !== undefined && riskRank(looks) > riskRank(risk ?? UNRATED)) {
    return { risk: looks, riskGuessed: true }
  }
  return risk === undefined ? {} : { risk }
}
