import type { Call } from '../../base/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { delegation } from '../../gate/delegate.ts'
import { type ParentInput, parentInput } from '../asking.ts'
import type { HookInput } from '../claude-code/hook-input.ts'

/** What Claude Code calls handing work to a sub-agent, now and before. */
const DELEGATING = ['Agent', 'Task']
/** Who gets the work where the model names no sub-agent. */
const DEFAULT_SUB_AGENT = 'general-purpose'

/** What is known of the agent that hands work over. */
export interface Delegating {
  readonly session: string
  /** The sub-agent that does it; undefined for the main agent. */
  readonly subAgent: string | undefined
}

export interface CallAsking {
  readonly run?: string | undefined
  readonly parent?: ParentInput<Delegating>
}

/** Rules were asked about one agent: changed arguments must not hand the work to another one. */
export function isSameAgent({ kind, tool }: Call, args: JsonObject): boolean {
  return kind !== 'agent' || aliasIn(args) === tool
}

function aliasIn({ subagent_type: alias = DEFAULT_SUB_AGENT }: JsonObject): string {
  return typeof alias === 'string' ? alias : ''
}

/** The call as policies know it. Its id is the SDK's, so that it is the same one when it comes again. */
export function callOf(input: HookInput, { run, parent }: CallAsking): Call {
  const { tool, server, args, session, attempt, subAgent } = input
  const isDelegation = server === undefined && DELEGATING.includes(tool)
  const call: Call = isDelegation
    ? delegation(aliasIn(args), args, parentInput(parent, { session, subAgent: subAgent?.type }))
    : { tool, args, ...(server === undefined ? {} : { server }) }
  return {
    ...call,
    run: run ?? session,
    key: attempt,
    ...(subAgent ? { context: { says: `The sub-agent ${subAgent.type} makes this call.` } } : {}),
  }
}
