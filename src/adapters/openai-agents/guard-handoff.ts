import type { Handoff } from '@openai/agents'
import type { JsonObject } from '../../base/json.ts'
import type { AnyGate } from '../../gate/any-gate.ts'
import { delegation } from '../../gate/delegate.ts'
import { type Asking, checkAsking } from '../asking.ts'
import { failureOf } from '../failure.ts'
import { argsOf } from './guard-tools.ts'
import type { AnyAgent } from './resume-run.ts'

export interface HandoffAsking extends Omit<Asking, 'mode'> {
  /** As the policy knows the other agent; the name of its agent unless set. */
  readonly alias?: string
  /** Who goes on when nobody is handed anything: the agent that has this handoff. */
  readonly from: () => AnyAgent
}

/**
 * A handoff that asks first, as a delegation. The SDK has no pause for handoffs, so the question is
 * waited for inside. Refused, the run stays with the agent that asked, and its model reads why.
 */
export function guardHandoff<H extends Handoff<never, never>>(
  gate: AnyGate,
  handoff: H,
  asking: HandoffAsking,
): H {
  checkAsking(gate, { ...asking, mode: 'block' })
  const { alias = handoff.agentName, run, waitFor, from } = asking
  const other = handoff.onInvokeHandoff
  handoff.onInvokeHandoff = async (context, input) => {
    const read = argsOf(input)
    const args: JsonObject = read.ok ? read.args : {}
    const outcome = await gate.run(
      { ...delegation(alias, args, undefined), run },
      { name: alias, run: () => other(context, input) },
      { waitFor },
    )
    if (outcome.status === 'succeeded' && outcome.replayed !== true) return outcome.result
    if (outcome.status === 'failed') throw failureOf(outcome)
    return staying(from(), outcome.message ?? '') as unknown as Awaited<ReturnType<typeof other>>
  }
  return handoff
}

/** The agent itself, with the sentence among its instructions. */
function staying(agent: AnyAgent, sentence: string): AnyAgent {
  const { instructions } = agent
  if (typeof instructions !== 'function') {
    return agent.clone({ instructions: `${instructions}\n\n${sentence}` })
  }
  return agent.clone({
    instructions: async (context, self) => `${await instructions(context, self)}\n\n${sentence}`,
  })
}
