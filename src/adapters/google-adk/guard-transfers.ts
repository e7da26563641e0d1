import type { LlmAgent, SingleBeforeToolCallback } from '@google/adk'
import type { JsonObject } from '../../base/json.ts'
import type { AnyGate } from '../../gate/any-gate.ts'
import { delegation } from '../../gate/delegate.ts'
import { type AdkAsking, runOf } from './asking.ts'
import { sessionOf } from './guard-tool.ts'
import { responseOf } from './told.ts'

const TRANSFER = 'transfer_to_agent'

const guardedAgents = new WeakSet<object>()

/**
 * Handing the conversation to another agent asks as a delegation. The ADK makes the tool for it by
 * itself and cannot pause there, so the question is waited for inside.
 */
export function guardTransfers(gate: AnyGate, agent: LlmAgent, asking: AdkAsking): void {
  if (guardedAgents.has(agent)) return
  guardedAgents.add(agent)
  const ask: SingleBeforeToolCallback = async ({ tool, args, context }) => {
    if (tool.name !== TRANSFER) return undefined
    const { agentName: alias } = args as { readonly agentName?: unknown }
    if (typeof alias !== 'string') return undefined
    const { functionCallId: key, abortSignal: signal } = context
    const outcome = await gate.run(
      {
        ...delegation(alias, args as JsonObject, undefined),
        run: runOf(asking, sessionOf(context)),
        ...(key === undefined ? {} : { key }),
      },
      { name: alias, run: () => null },
      { signal, waitFor: asking.waitFor },
    )
    return outcome.status === 'succeeded' ? undefined : (responseOf(outcome) as JsonObject)
  }
  agent.beforeToolCallback = [ask, ...agent.canonicalBeforeToolCallbacks]
}
