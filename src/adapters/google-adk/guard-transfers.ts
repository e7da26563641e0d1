import type { LlmAgent, SingleBeforeToolCallback } from '@google/adk'
import type { JsonObject } from '../../base/json/json.ts'
import { delegation } from '../../gate/delegate.ts'
import { blocked, type Outcome } from '../../gate/outcome.ts'
import { NotStarted } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { parentInput } from '../asking.ts'
import { type AdkAsking, runOf } from './asking.ts'
import { sessionOf } from './guard-tool.ts'
import { responseOf } from './told.ts'

const TRANSFER = 'transfer_to_agent'

/** By each agent, what asks there. */
const asked = new WeakMap<object, SingleBeforeToolCallback>()

/**
 * Handing the conversation to another agent asks as a delegation. The ADK makes the tool for it by
 * itself and cannot pause there, so the question is waited for inside.
 */
export function guardTransfers(gate: ToolGate, agent: LlmAgent, asking: AdkAsking): void {
  const ask: SingleBeforeToolCallback = async ({ tool, args, context }) => {
    if (tool.name !== TRANSFER) return undefined
    const { agentName: alias } = args as { readonly agentName?: unknown }
    if (typeof alias !== 'string') {
      const reason = 'agentName must be the name of an agent'
      return { error: blocked('invalid_call', { tool: TRANSFER, reason }).modelMessage }
    }
    const { functionCallId: key, abortSignal: signal } = context
    const session = sessionOf(context)
    const outcome = await gate.run(
      {
        ...delegation(alias, args as JsonObject, parentInput(asking.parent, session)),
        run: runOf(asking, session),
        ...(key === undefined ? {} : { key }),
      },
      { name: alias, run: start },
      { signal, waitFor: asking.waitFor },
    )
    return leave(alias, outcome)
  }
  const before = asked.get(agent)
  const others = agent.canonicalBeforeToolCallbacks.filter((callback) => callback !== before)
  asked.set(agent, ask)
  // Last: callbacks of the application may change the arguments, and those are what is asked about.
  agent.beforeToolCallback = [...others, ask]
}

/** Rules were asked about this agent and no other, so there is nothing in it that could change. */
function start(_args: JsonObject, { edited }: { readonly edited: boolean }): null {
  if (!edited) return null
  throw new NotStarted('a transfer cannot be changed; deny it and say which agent is wanted')
}

/** The ADK transfers when nothing is answered here. What ran before is no leave to do it again. */
function leave(alias: string, outcome: Outcome): JsonObject | undefined {
  if (outcome.status !== 'succeeded') return responseOf(outcome) as JsonObject
  if (!outcome.replayed) return undefined
  const error = `The conversation was already transferred to ${alias} under this id and is not transferred again.`
  return { error }
}
