import {
  AbstractChat,
  type ChatState,
  DirectChatTransport,
  generateText,
  isStepCount,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ModelMessage,
  ToolLoopAgent,
  type ToolSet,
  tool,
  type UIMessage,
} from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { ModelTurn } from '../../src/testing/adapter-harness.ts'
import { scriptedModel, toldBy } from './ai-sdk-harness.ts'
import { inProcess, type OpenWorld, overHttp } from './worlds.ts'

export const AMOUNT = z.object({ amount: z.number() })

/** Both backends, for tables. */
export const WHERE: [string, () => Promise<OpenWorld>][] = [
  ['in process', inProcess],
  ['over HTTP', overHttp],
]

export async function world(open = inProcess): Promise<OpenWorld> {
  const opened = await open()
  onTestFinished(() => opened.close())
  return opened
}

export function tools(ran: number[], more: object = {}): ToolSet {
  return {
    pay: tool({
      inputSchema: AMOUNT,
      execute: async ({ amount }) => {
        ran.push(amount)
        return { paid: amount }
      },
      ...more,
    }),
  }
}

export async function generate(
  guarded: ToolSet,
  messages: ModelMessage[],
  turns: readonly ModelTurn[],
) {
  const model = scriptedModel(turns)
  const result = await generateText({
    model,
    tools: guarded,
    messages,
    stopWhen: isStepCount(5),
  })
  return { messages: [...messages, ...result.responseMessages], told: toldBy(model) }
}

export const GO: ModelMessage[] = [{ role: 'user', content: 'go' }]

/** A chat as a page has it, without a page. */
export class Chat extends AbstractChat<UIMessage> {
  constructor(tools: ToolSet, script: readonly ModelTurn[]) {
    const state: ChatState<UIMessage> = {
      status: 'ready',
      error: undefined,
      messages: [],
      pushMessage: (message) => {
        state.messages = [...state.messages, message]
      },
      popMessage: () => {
        state.messages = state.messages.slice(0, -1)
      },
      replaceMessage: (index, message) => {
        state.messages = state.messages.with(index, message)
      },
      snapshot: (thing) => structuredClone(thing),
    }
    let next = 0
    const model = new MockLanguageModelV4({
      doStream: async () => ({ stream: streamOf(script[next++]) }),
    })
    const agent = new ToolLoopAgent({ model, tools })
    super({
      state,
      transport: new DirectChatTransport({ agent }) as never,
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    })
    this.model = model
  }
  readonly model: MockLanguageModelV4
}

export function streamOf(turn: ModelTurn | undefined) {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  }
  const calls = turn && 'calls' in turn ? turn.calls : []
  const unified = calls.length > 0 ? ('tool-calls' as const) : ('stop' as const)
  return convertArrayToReadableStream([
    { type: 'stream-start' as const, warnings: [] },
    ...calls.map(({ id, tool: toolName, args }) => {
      return {
        type: 'tool-call' as const,
        toolCallId: id,
        toolName,
        input: JSON.stringify(args),
      }
    }),
    { type: 'finish' as const, finishReason: { unified, raw: unified }, usage },
  ])
}

/** The only tool part of the chat, as a page would look at it. */
export function partOf(chat: Chat) {
  const part = chat.messages.flatMap(({ parts }) => parts).find(({ type }) => type === 'tool-pay')
  return part as { state: string; approval?: { id: string }; errorText?: string } | undefined
}
