import type { Tool, Agent as VoltAgent } from '@voltagent/core'
import type { ModelMessage } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { z } from 'zod'
import { guardTools } from '../../../src/adapters/voltagent/guard-tools.ts'
import { resumeTurn } from '../../../src/adapters/voltagent/resume-turn.ts'
import type { JsonObject } from '../../../src/base/json/json.ts'
import type {
  AdapterHarness,
  AgentSetup,
  ModelTurn,
  Turned,
} from '../../../src/testing/adapter-harness.ts'
import { uma } from '../../../src/testing/adapter-play.ts'
import { claimed } from '../ai-sdk-harness.ts'
import { Agent, createTool } from './sdk.ts'

type Generated = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>
type VoltTool = Tool<z.ZodType>

function answerOf(turn: ModelTurn | undefined): Generated {
  const isCalling = turn !== undefined && 'calls' in turn
  const unified = isCalling ? ('tool-calls' as const) : ('stop' as const)
  return {
    content: isCalling
      ? turn.calls.map(({ id, tool: toolName, args }) => {
          return { type: 'tool-call', toolCallId: id, toolName, input: JSON.stringify(args) }
        })
      : [{ type: 'text', text: turn?.says ?? 'done' }],
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  }
}

/** Says what it is told to, and remembers what it read. */
export function scriptedModel(turns: readonly ModelTurn[]): MockLanguageModelV3 {
  let next = 0
  return new MockLanguageModelV3({ doGenerate: async () => answerOf(turns[next++]) })
}

export function toldBy({ doGenerateCalls }: MockLanguageModelV3): Turned['told'] {
  const prompt = doGenerateCalls.at(-1)?.prompt ?? []
  return prompt.flatMap((message) => {
    if (message.role !== 'tool') return []
    return message.content.flatMap((part) => {
      if (part.type !== 'tool-result') return []
      const { output } = part
      const value = 'value' in output ? output.value : 'reason' in output ? output.reason : ''
      return [
        { id: part.toolCallId, text: typeof value === 'string' ? value : JSON.stringify(value) },
      ]
    })
  })
}

export function agentOf(model: MockLanguageModelV3, tools: VoltTool[], name = 'biller'): VoltAgent {
  return new Agent({ name, instructions: 'You pay invoices.', model, tools, memory: false })
}

function sdkTools({ tools, native = {} }: AgentSetup): VoltTool[] {
  return Object.entries(tools).map(([name, { description, schema, run }]) =>
    createTool({
      name,
      description,
      parameters: z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]),
      execute: async (args) => run(args as JsonObject),
      ...(native[name] === undefined ? {} : { needsApproval: native[name] }),
    }),
  ) as VoltTool[]
}

/** Another agent as a tool, as `toTool` of VoltAgent makes it. */
function subAgent(name: string, inner: VoltTool[], turns: readonly ModelTurn[]): VoltTool {
  return createTool({
    name,
    description: 'a sub-agent',
    parameters: z.object({}),
    async execute(_args, options) {
      const { text } = await agentOf(scriptedModel(turns), inner, 'helper').generateText('go', {
        ...(options?.toolContext?.abortSignal
          ? { abortSignal: options.toolContext.abortSignal }
          : {}),
      })
      return text
    },
  }) as VoltTool
}

const NO_CONTEXT = 'VoltAgent gives `needsApproval` no context.'

export const voltagentHarness: AdapterHarness = {
  name: 'VoltAgent 2.10',
  note: 'What did not run reaches the model as VoltAgent shows errors: an object with the sentence as its `message`.',
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
    nativeByUser: NO_CONTEXT,
    handsOver:
      'VoltAgent makes the tool that delegates by itself, for each run; an agent as a tool is asked about as a tool.',
  },
  agent(setup) {
    const { gate, run, mode, turns, nestedAs, approvals, guardedFor, previews = {} } = setup
    const own = sdkTools(setup)
    const given = guardedFor === undefined ? own : guardTools(gate, own, { run: guardedFor, mode })
    const inner = guardTools(gate, given, { run, mode, previews })
    const tools = nestedAs === undefined ? inner : [subAgent(nestedAs, inner, turns)]
    const script: readonly ModelTurn[] =
      nestedAs === undefined
        ? turns
        : [{ calls: [{ id: 'n1', tool: nestedAs, args: {} }] }, { says: 'done' }]
    let messages: ModelMessage[] = setup.state
      ? (JSON.parse(setup.state) as ModelMessage[])
      : [{ role: 'user', content: 'go' }]

    async function generate(from: readonly ModelTurn[], signal?: AbortSignal): Promise<Turned> {
      const model = scriptedModel(from)
      const result = await agentOf(model, tools).generateText(messages, {
        maxSteps: 5,
        ...(signal ? { abortSignal: signal } : {}),
      })
      messages = [...messages, ...result.response.messages]
      const isPaused = result.content.some(({ type }) => type === 'tool-approval-request')
      return { status: isPaused ? 'paused' : 'done', told: toldBy(model) }
    }

    async function resume(by?: string): Promise<Turned> {
      const resumed = await resumeTurn(tools, messages, {
        ...(by === uma.subject ? { by: uma } : {}),
        ...(approvals ? { approvals } : {}),
      })
      if (resumed.status === 'waiting') return { status: 'paused', told: [] }
      messages = resumed.messages
      return generate([{ says: 'done' }])
    }

    return {
      start: ({ signal } = {}) => generate(script, signal),
      resume: () => resume(),
      async force(claims) {
        messages = claims.reduce(claimed as never, messages)
        const by = claims.find((claim) => claim.by)?.by
        return by === undefined ? generate([{ says: 'done' }]) : resume(by)
      },
      state: () => JSON.stringify(messages),
    }
  },
}
