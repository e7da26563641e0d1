import type { Handoff, RunContext } from '@openai/agents'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { delegation } from '../../gate/delegate.ts'
import { blocked, type Outcome } from '../../gate/outcome.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { type Asking, checkAsking, type ParentInput, parentInput } from '../asking.ts'
import { checkEdited } from '../edited-args.ts'
import { failureOf } from '../failure.ts'
import { argsOf } from './guard-tools.ts'
import type { AnyAgent } from './resume-run.ts'

export interface HandoffAsking extends Omit<Asking, 'mode'> {
  /** As the policy knows the other agent; the name of its agent unless set. */
  readonly alias?: string
  /** Who goes on when the handoff does not happen: the agent that has this handoff. */
  readonly from: () => AnyAgent
  /** What the agent that hands over was given itself. */
  readonly parent?: ParentInput<RunContext<unknown>>
}

type AnyHandoff = Handoff<never, never>
type Invoke = (context: RunContext<unknown>, input: string) => Promise<AnyAgent>

/** By each guarded handoff, what it did before. */
const originals = new WeakMap<object, Invoke>()

/**
 * A handoff that asks first, as a delegation. The SDK has no pause for handoffs, so the question is
 * waited for inside. Blocked, the run stays with the agent that asked, and its model reads why.
 * A new handoff each time: one that is guarded again belongs to the new run.
 */
export function guardHandoff<H extends AnyHandoff>(
  gate: ToolGate,
  handoff: H,
  asking: HandoffAsking,
): H {
  checkAsking(gate, { ...asking, mode: 'block' })
  const { alias = handoff.agentName, run, waitFor, from, parent } = asking
  const invoke = originals.get(handoff) ?? (handoff.onInvokeHandoff as unknown as Invoke)
  const { toolDescription: description, inputJsonSchema } = handoff
  const definition: ToolDefinition = {
    description,
    inputSchema: inputJsonSchema as unknown as Json,
  }

  async function guardedInvoke(context: RunContext<unknown>, input: string): Promise<AnyAgent> {
    const stay = (sentence: string) => noted(from(), sentence)
    const read = argsOf(input)
    // What cannot be read cannot be shown to a person, and the SDK reads it in another way.
    if (!read.ok) {
      return stay(blocked('invalid_call', { tool: alias, reason: read.problem }).modelMessage)
    }
    const start = async (
      args: JsonObject,
      { edited }: { readonly edited: boolean },
    ): Promise<AnyAgent> => {
      if (!edited) return invoke(context, input)
      await checkEdited(definition, args)
      return invoke(context, JSON.stringify(args))
    }
    const outcome: Outcome<AnyAgent> = await gate.run(
      { ...delegation(alias, read.args, parentInput(parent, context)), run },
      { name: alias, definition, run: start },
      { waitFor },
    )
    if (outcome.status === 'failed') throw failureOf(outcome)
    if (outcome.status !== 'succeeded' || outcome.replayed) return stay(outcome.modelMessage ?? '')
    // The call as the model wrote it stays in the history, so the other one is told what changed.
    const { modelMessage: message, result } = outcome
    return message === undefined ? result : noted(result, message)
  }

  const guarded = handoff.clone({ onInvokeHandoff: guardedInvoke as never })
  originals.set(guarded, invoke)
  return guarded as H
}

/** The agent itself, with the sentence among its instructions. */
function noted(agent: AnyAgent, sentence: string): AnyAgent {
  const { instructions } = agent
  if (typeof instructions !== 'function') {
    return agent.clone({ instructions: `${instructions}\n\n${sentence}` })
  }
  return agent.clone({
    instructions: async (context, self) => `${await instructions(context, self)}\n\n${sentence}`,
  })
}
