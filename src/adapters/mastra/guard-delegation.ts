import type { Call } from '../../base/call.ts'
import type { JsonObject } from '../../base/json.ts'
import type { AnyGate } from '../../gate/any-gate.ts'
import { delegation } from '../../gate/delegate.ts'
import { refusal } from '../../gate/outcome.ts'
import { checkAsking } from '../asking.ts'

export interface DelegationAsking {
  /** The `runId` of the agent's run, unless set. */
  readonly run?: string
  /** How long the hand-over waits: `'2m'`, or milliseconds. Then the question is withdrawn. */
  readonly waitFor?: string | number
}

/** As much of what Mastra tells about a hand-over as is looked at. */
interface Handover {
  readonly primitiveId: string
  readonly prompt: string
  readonly params: { readonly instructions?: string; readonly maxSteps?: number }
  readonly runId: string
  readonly toolCallId: string
}

interface Answer {
  proceed: boolean
  rejectionReason?: string
  modifiedPrompt?: string
  modifiedInstructions?: string
  modifiedMaxSteps?: number
}

/**
 * For `delegation` in the `defaultOptions` of an agent that has sub-agents: handing work to one of
 * them asks first. Mastra has no pause there, so the question is waited for inside.
 */
export function guardDelegation(gate: AnyGate, { run, waitFor }: DelegationAsking = {}) {
  checkAsking(gate, { run: run ?? 'the run of the agent', mode: 'block' })

  async function onDelegationStart(handover: Handover): Promise<Answer> {
    const { primitiveId: alias, prompt, params, runId, toolCallId } = handover
    const { instructions, maxSteps } = params
    const args: JsonObject = {
      prompt,
      ...(instructions === undefined ? {} : { instructions }),
      ...(maxSteps === undefined ? {} : { maxSteps }),
    }
    const call: Call = { ...delegation(alias, args, undefined), run: run ?? runId, key: toolCallId }
    let changed: JsonObject = {}
    // The sub-agent works when this is over, and what it calls is asked about by itself.
    const start = (given: JsonObject, { edited }: { readonly edited: boolean }) => {
      if (edited) changed = given
      return null
    }
    try {
      const outcome = await gate.run(call, { name: alias, run: start }, { waitFor })
      // One that ran before is a sub-agent that paused inside, and goes on.
      if (outcome.status !== 'succeeded') {
        return { proceed: false, rejectionReason: outcome.message }
      }
    } catch {
      const { message } = refusal('unavailable', { tool: alias })
      return { proceed: false, rejectionReason: message }
    }
    return { proceed: true, ...modified(changed) }
  }

  // A hook that throws would otherwise let the sub-agent work.
  return { onDelegationStart, hookErrorStrategy: 'throw' as const }
}

function modified({ prompt, instructions, maxSteps }: JsonObject): Omit<Answer, 'proceed'> {
  return {
    ...(typeof prompt === 'string' ? { modifiedPrompt: prompt } : {}),
    ...(typeof instructions === 'string' ? { modifiedInstructions: instructions } : {}),
    ...(typeof maxSteps === 'number' ? { modifiedMaxSteps: maxSteps } : {}),
  }
}
