import { WorkflowAgent } from '@ai-sdk/workflow'
import { isStepCount, jsonSchema, type ModelMessage, type ToolSet, tool } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { answerStep } from '../../src/adapters/ai-sdk/workflow/answer-step.ts'
import type { StepRequest, Steps } from '../../src/adapters/ai-sdk/workflow/step.ts'
import { stepTools } from '../../src/adapters/ai-sdk/workflow/step-tools.ts'
import { untilDecided } from '../../src/adapters/ai-sdk/workflow/until-decided.ts'
import type {
  AdapterHarness,
  AgentSetup,
  ModelTurn,
  Turned,
} from '../../src/testing/adapter-harness.ts'
import { uma } from '../../src/testing/adapter-play.ts'
import { claimed, sdkTools, toldBy, USAGE } from './ai-sdk-harness.ts'

/** Streams what it is told to, and remembers what it read. */
export function streamingModel(turns: readonly ModelTurn[]): MockLanguageModelV4 {
  let next = 0
  return new MockLanguageModelV4({
    doStream: async () => {
      const turn = turns[next++] ?? { says: 'done' }
      const unified = 'calls' in turn ? ('tool-calls' as const) : ('stop' as const)
      return {
        stream: convertArrayToReadableStream([
          { type: 'stream-start' as const, warnings: [] },
          ...('calls' in turn ? turn.calls.map(callPart) : textParts(turn.says)),
          { type: 'finish' as const, finishReason: { unified, raw: unified }, usage: USAGE },
        ]),
      }
    },
  })
}

function callPart({ id, tool: toolName, args }: { id: string; tool: string; args: object }) {
  return {
    type: 'tool-call' as const,
    toolCallId: id,
    toolName,
    input: JSON.stringify(args),
  }
}

function textParts(delta: string) {
  return [
    { type: 'text-start' as const, id: 't' },
    { type: 'text-delta' as const, id: 't', delta },
    { type: 'text-end' as const, id: 't' },
  ]
}

/** The package has a copy of the SDK's types, of another version. */
export function agentOf(
  model: MockLanguageModelV4,
  tools: ToolSet,
  more: object = {},
): WorkflowAgent {
  const options = { model, tools, instructions: 'You pay invoices.', ...more }
  return new WorkflowAgent(options as never)
}

/** Nothing but data crosses the border of a step, and signals. */
export function asStep(answer: (request: StepRequest) => ReturnType<Steps['step']>): Steps['step'] {
  return async (request) => {
    const signal = 'abortSignal' in request ? request.abortSignal : undefined
    const data = structuredClone({ ...request, abortSignal: undefined }) as StepRequest
    const given = signal ? ({ ...data, abortSignal: signal } as StepRequest) : data
    return structuredClone(await answer(given))
  }
}

/** As workflow code has them: without anything that runs. */
function declared(tools: ToolSet): ToolSet {
  return Object.fromEntries(
    Object.entries(tools).map(([name, { execute: _, needsApproval: __, ...words }]) => [
      name,
      words as ToolSet[string],
    ]),
  )
}

const STILL = new Error('it still waits')

function stepsOf(setup: AgentSetup, own: ToolSet, by: () => string | undefined): Steps {
  const { gate, run, mode, guardedFor, approvals, previews = {} } = setup
  const given = guardedFor === undefined ? own : guardTools(gate, own, { run: guardedFor, mode })
  const hosted = guardTools(gate, given, { run, mode, previews })
  const step = asStep((request) =>
    answerStep(hosted, request, {
      ...(by() === uma.subject ? { by: uma } : {}),
      ...(approvals ? { approvals } : {}),
    }),
  )
  return {
    run,
    step,
    wait: async () => {
      throw STILL
    },
  }
}

function subAgent(inner: ToolSet, turns: readonly ModelTurn[]): ToolSet[string] {
  return tool({
    description: 'a sub-agent',
    inputSchema: jsonSchema<Record<string, never>>({ type: 'object' }),
    async execute(_input, { abortSignal }) {
      const agent = agentOf(streamingModel(turns), inner)
      const { steps } = await agent.stream({
        messages: [{ role: 'user', content: 'go' }],
        ...(abortSignal ? { abortSignal } : {}),
      })
      return steps.at(-1)?.text
    },
  })
}

export const workflowAgentHarness: AdapterHarness = {
  name: 'WorkflowAgent of AI SDK 7',
  note: 'The agent runs as in workflow code: its tools reach the gate by a step alone, and only data crosses its border.',
  supports: {
    suspend: true,
    elsewhere: true,
    nestedPause: false,
    inBand: true,
    partial: false,
    ordered: false,
  },
  tries: {
    anyName: true,
    guardsAgain: true,
    native: true,
    nativeByUser: true,
    handsOver: 'The SDK has no hand-over: a sub-agent is a tool, and is asked about as one.',
  },
  agent(setup) {
    const { turns, nestedAs, nativeByUser } = setup
    let speaker: string | undefined
    const own = sdkTools(setup)
    const steps = stepsOf(setup, own, () => speaker)
    const inner = stepTools(declared(own), steps)
    const tools = nestedAs === undefined ? inner : { [nestedAs]: subAgent(inner, turns) }
    const script: readonly ModelTurn[] =
      nestedAs === undefined
        ? turns
        : [{ calls: [{ id: 'n1', tool: nestedAs, args: {} }] }, { says: 'done' }]
    let messages: ModelMessage[] = setup.state
      ? (JSON.parse(setup.state) as ModelMessage[])
      : [{ role: 'user', content: 'go' }]

    async function stream(from: readonly ModelTurn[], signal?: AbortSignal): Promise<Turned> {
      const model = streamingModel(from)
      const agent = agentOf(model, tools, {
        ...(nativeByUser
          ? { toolsContext: { [nativeByUser.tool]: { user: nativeByUser.user } } }
          : {}),
      })
      const result = await agent.stream({
        messages,
        stopWhen: isStepCount(5),
        ...(signal ? { abortSignal: signal } : {}),
      })
      messages = paused(result)
      return { status: isPaused(result) ? 'paused' : 'done', told: toldBy(model) }
    }

    async function resume(): Promise<Turned> {
      let next: ModelMessage[] | undefined
      try {
        next = await untilDecided(tools, { messages }, steps)
      } catch (error) {
        if (error !== STILL) throw error
        return { status: 'paused', told: [] }
      }
      if (next) messages = next
      return stream([{ says: 'done' }])
    }

    return {
      start: ({ signal } = {}) => stream(script, signal),
      resume,
      async force(claims) {
        messages = claims.reduce(claimed, messages)
        speaker = claims.find(({ by }) => by)?.by
        return speaker === undefined ? stream([{ says: 'done' }]) : resume()
      },
      state: () => JSON.stringify(messages),
    }
  },
}

interface Ended {
  readonly messages: ModelMessage[]
  readonly toolCalls: readonly { readonly toolCallId: string }[]
  readonly toolResults: readonly { readonly toolCallId: string }[]
}

function isPaused({ toolCalls, toolResults }: Ended): boolean {
  const done = new Set(toolResults.map(({ toolCallId }) => toolCallId))
  return toolCalls.some(({ toolCallId }) => !done.has(toolCallId))
}

/** As a page keeps the chat: with the questions that the agent wrote to its stream. */
function paused({ messages, toolCalls, toolResults }: Ended): ModelMessage[] {
  const done = new Set(toolResults.map(({ toolCallId }) => toolCallId))
  const open = toolCalls.filter(({ toolCallId }) => !done.has(toolCallId))
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const plain = messages.filter(({ role }) => role !== 'system')
  const at = plain.indexOf(messages[last] as ModelMessage)
  const message = plain[at]
  if (message?.role !== 'assistant' || typeof message.content === 'string' || open.length === 0)
    return plain
  const requests = open.map(({ toolCallId }) => ({
    type: 'tool-approval-request' as const,
    approvalId: `approval-${toolCallId}`,
    toolCallId,
  }))
  return plain.with(at, { ...message, content: [...message.content, ...requests] })
}
