import {
  generateText,
  isStepCount,
  type ModelMessage,
  streamText,
  ToolLoopAgent,
  type ToolSet,
  tool,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import type { ModelTurn } from '../../src/testing/adapter-harness.ts'
import { scriptedModel, toldBy } from './ai-sdk-harness.ts'
import { AMOUNT, streamOf } from './ai-sdk-play.ts'

/** `note` is allowed by the policy, `pay` asks. */
export function both(ran: string[]): ToolSet {
  const does = (name: string) =>
    tool({
      inputSchema: AMOUNT,
      execute: async ({ amount }) => {
        ran.push(`${name} ${amount}`)
        return { paid: amount }
      },
    })
  return { note: does('note'), pay: does('pay') }
}

export type Options = Pick<Parameters<typeof generateText>[0], 'toolApproval'>

/** One turn of the SDK, however it is started, and the messages after it. */
export const WAYS = {
  async generateText(guarded: ToolSet, messages: ModelMessage[], turns: ModelTurn[], own: Options) {
    const model = scriptedModel(turns)
    const stopWhen = isStepCount(5)
    const result = await generateText({ model, tools: guarded, messages, stopWhen, ...own })
    return { messages: [...messages, ...result.responseMessages], told: toldBy(model) }
  },
  async streamText(guarded: ToolSet, messages: ModelMessage[], turns: ModelTurn[], own: Options) {
    const model = streamed(turns)
    const stopWhen = isStepCount(5)
    const result = streamText({ model, tools: guarded, messages, stopWhen, ...own })
    await result.consumeStream()
    return { messages: [...messages, ...(await result.responseMessages)], told: toldBy(model) }
  },
  async ToolLoopAgent(
    guarded: ToolSet,
    messages: ModelMessage[],
    turns: ModelTurn[],
    own: Options,
  ) {
    const model = scriptedModel(turns)
    const result = await new ToolLoopAgent({ model, tools: guarded, ...own }).generate({ messages })
    return { messages: [...messages, ...result.responseMessages], told: toldBy(model) }
  },
}

export function streamed(turns: readonly ModelTurn[]): MockLanguageModelV4 {
  let next = 0
  return new MockLanguageModelV4({ doStream: async () => ({ stream: streamOf(turns[next++]) }) })
}

export const way = Object.entries(WAYS)

export function requestIn(messages: readonly ModelMessage[]): string {
  const parts = messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  )
  const found = parts.find(({ type }) => type === 'tool-approval-request')
  if (found?.type !== 'tool-approval-request') throw new Error('the SDK did not ask')
  return found.approvalId
}

export function answered(messages: readonly ModelMessage[], approved: boolean): ModelMessage[] {
  const approvalId = requestIn(messages)
  const content = [{ type: 'tool-approval-response' as const, approvalId, approved }]
  return [...messages, { role: 'tool', content }]
}

export const OWN: Options = {
  toolApproval: { note: 'user-approval', pay: 'user-approval' } as never,
}

export const DONE: ModelTurn[] = [{ says: 'done' }]
