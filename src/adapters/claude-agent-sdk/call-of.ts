import type { Call } from '../../base/call.ts'
import { delegation } from '../../gate/delegate.ts'
import type { HookInput } from '../claude-code/hook-input.ts'

/** What Claude Code calls handing work to a sub-agent, now and before. */
const DELEGATING = ['Agent', 'Task']
/** Who gets the work where the model names nobody. */
const ANYBODY = 'general-purpose'

/** The call as policies know it. Its id is the SDK's, so that it is the same one when it comes again. */
export function callOf(input: HookInput, run: string | undefined): Call {
  const { tool, server, args, session, attempt, subAgent } = input
  const { subagent_type: alias = ANYBODY } = args
  const isDelegation = server === undefined && DELEGATING.includes(tool)
  const call: Call = isDelegation
    ? delegation(typeof alias === 'string' ? alias : '', args, undefined)
    : { tool, args, ...(server === undefined ? {} : { server }) }
  return {
    ...call,
    run: run ?? session,
    key: attempt,
    ...(subAgent ? { context: { says: `The sub-agent ${subAgent.type} makes this call.` } } : {}),
  }
}
