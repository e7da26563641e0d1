import type { ModelMessage, ToolSet } from 'ai'
import type { Answer } from '../ai-sdk/answers.ts'
import {
  type ResumeOptions,
  resumeTurn as resumeSdkTurn,
  type Waiting,
} from '../ai-sdk/resume-turn.ts'
import { sdkToolBehind } from './guard-tools.ts'
import type { VoltTool, VoltToolkit } from './sdk-types.ts'

export type Resumed<M> =
  /** Every gated call of the turn is decided: hand these to the agent. */
  | { readonly status: 'ready'; readonly messages: M[]; readonly answers: readonly Answer[] }
  /** Some are not. Resuming now would lose the results of the others. */
  | { readonly status: 'waiting'; readonly waiting: readonly Waiting[] }

/**
 * Looks up how the paused calls of the last turn stand, and writes the answers from that. `messages`
 * are model messages; what they say of a call that people were asked about here is replaced.
 */
export async function resumeTurn<M>(
  tools: readonly (VoltTool | VoltToolkit)[],
  messages: readonly M[],
  options: ResumeOptions = {},
): Promise<Resumed<M>> {
  const turn = await resumeSdkTurn(
    Object.fromEntries(sdkTools(tools)) as ToolSet,
    messages as readonly unknown[] as readonly ModelMessage[],
    options,
  )
  return turn as Resumed<M>
}

function sdkTools(tools: readonly unknown[]): [string, unknown][] {
  return tools.flatMap((one): [string, unknown][] => {
    const { name, tools: inner } = one as VoltToolkit
    if (Array.isArray(inner)) return sdkTools(inner)
    const tool = sdkToolBehind(one)
    return tool ? [[name, tool]] : []
  })
}
