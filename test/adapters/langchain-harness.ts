import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { type StructuredToolInterface, tool } from '@langchain/core/tools'
import {
  Command,
  END,
  MemorySaver,
  MessagesAnnotation,
  START,
  StateGraph,
} from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { createAgent, fakeModel } from 'langchain'
import { guardMiddleware } from '../../src/adapters/langchain/guard-middleware.ts'
import { guardTools } from '../../src/adapters/langchain/guard-tools.ts'
import { settleThread } from '../../src/adapters/langchain/settle-thread.ts'
import type {
  AdapterHarness,
  AgentSetup,
  CaseTool,
  Claim,
  HandOver,
  HandOverSetup,
  ModelTurn,
  Turned,
} from '../../src/testing/adapter-harness.ts'
import { uma } from '../../src/testing/adapter-play.ts'

export function scriptedModel(turns: readonly ModelTurn[]): ReturnType<typeof fakeModel> {
  let model = fakeModel()
  for (const turn of turns) {
    model =
      'calls' in turn
        ? model.respondWithTools(
            turn.calls.map(({ id, tool: name, args }) => ({ id, name, args: { ...args } })),
          )
        : model.respond(new AIMessage(turn.says))
  }
  return model
}

type Model = ReturnType<typeof scriptedModel>

/** What the model read for each call, from the last request it was given. */
export function toldBy(model: Model): Turned['told'] {
  const messages: readonly BaseMessage[] = model.calls.at(-1)?.messages ?? []
  return messages.flatMap((message) =>
    ToolMessage.isInstance(message) ? [{ id: message.tool_call_id, text: message.text }] : [],
  )
}

export function sdkTools(tools: AgentSetup['tools']): StructuredToolInterface[] {
  return Object.entries(tools).map(([name, { description, schema, run }]) =>
    tool(async (args) => run(args as never), { name, description, schema: schema as never }),
  )
}

export interface Graph {
  invoke(input: never, config: never): Promise<unknown>
  getState(config: never): unknown
}

type Checkpointer = MemorySaver | undefined

interface GraphSetup extends AgentSetup {
  readonly agents?: readonly string[]
}

/** An agent of LangChain: each call is a task of its own. */
function agentOf(setup: GraphSetup, model: Model, checkpointer: Checkpointer): Graph {
  const { gate, mode, run, tools, agents = [], previews = {} } = setup
  return createAgent({
    model,
    tools: sdkTools(tools),
    middleware: [guardMiddleware(gate, { run, mode, agents, previews })],
    ...(checkpointer ? { checkpointer } : {}),
  })
}

/** A graph with a ToolNode: all calls of a message are one task. */
function toolNodeOf(setup: GraphSetup, model: Model, checkpointer: Checkpointer): Graph {
  const { gate, mode, run, guardedFor, agents = [], previews = {} } = setup
  const own = sdkTools(setup.tools)
  const given = guardedFor === undefined ? own : guardTools(gate, own, { run: guardedFor, mode })
  const tools = guardTools(gate, given, { run, mode, agents, previews })
  return nodeGraph(model, tools, checkpointer)
}

export function nodeGraph(
  model: Model,
  tools: ConstructorParameters<typeof ToolNode>[0],
  checkpointer: Checkpointer,
): Graph {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }) => ({ messages: [await model.invoke(messages)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', ({ messages }) =>
      (messages.at(-1) as AIMessage).tool_calls?.length ? 'tools' : END,
    )
    .addEdge('tools', 'model')
    .compile(checkpointer ? { checkpointer } : {}) as unknown as Graph
}

type Build = typeof agentOf

const NO_NATIVE = 'LangChain’s tools have no approval setting of their own.'
const NO_GUARDED_TOOLS =
  'The middleware guards calls and not tools, so there is nothing to guard twice.'

/** A tool that hands work over, as a delegation to `deputy`. */
function handOver({ gate, run, mode, ids }: HandOverSetup, build: Build): HandOver {
  const taken: string[] = []
  const deputy: CaseTool = {
    description: 'a sub-agent',
    schema: { type: 'object', properties: { amount: { type: 'number' } } },
    run(args) {
      taken.push(JSON.stringify(args))
      return 'taken'
    },
  }
  const calls = ids.map((id) => ({ calls: [{ id, tool: 'deputy', args: { amount: 5 } }] }))
  const turns = [...calls, { says: 'done' }]
  const agent = harness('', (setup, ...rest) => build({ ...setup, agents: ['deputy'] }, ...rest))
  return {
    agent: agent.agent({ gate, run, mode, tools: { deputy }, turns }),
    waits: mode,
    taken,
    edit: { args: { amount: 7 }, takes: '{"amount":7}' },
  }
}

function harness(name: string, build: Build): AdapterHarness {
  return {
    name,
    supports: {
      suspend: true,
      elsewhere: true,
      nestedPause: true,
      inBand: true,
      partial: true,
      ordered: true,
    },
    tries: {
      anyName: true,
      guardsAgain: build === toolNodeOf || NO_GUARDED_TOOLS,
      native: NO_NATIVE,
      nativeByUser: NO_NATIVE,
      handsOver: true,
    },
    handOver: (setup) => handOver(setup, build),
    agent(setup) {
      const { run, nestedAs, approvals, state, turns } = setup
      let model = scriptedModel(state ? turns.slice(1) : turns)
      let saver = saverFrom(state)
      const inner = (checkpointer: Checkpointer) => build(setup, model, checkpointer)
      const open =
        nestedAs === undefined
          ? inner
          : (checkpointer: Checkpointer) => nested(setup, nestedAs, inner(undefined), checkpointer)
      if (nestedAs !== undefined) {
        const outer = scriptedModel([
          { calls: [{ id: 'n1', tool: nestedAs, args: { task: 'go' } }] },
          { says: 'done' },
        ])
        outerModels.set(setup, outer)
      }
      let graph = open(saver)
      model = outerModels.get(setup) ?? model
      const config = { configurable: { thread_id: run } }

      async function go(input: unknown, more: object = config): Promise<Turned> {
        const end = (await graph.invoke(input as never, more as never)) as object
        const isPaused = '__interrupt__' in end
        return { status: isPaused ? 'paused' : 'done', told: toldBy(model) }
      }

      return {
        start: ({ signal } = {}) =>
          go({ messages: [new HumanMessage('go')] }, signal ? { ...config, signal } : config),
        async resume() {
          const { command, config: settled } = await settleThread(graph, config)
          return go(command, settled)
        },
        async force(claims) {
          saver = saverFrom(claims.reduce(claimed, textOf(saver)))
          graph = open(saver)
          const by = claims.some((claim) => claim.by === uma.subject)
          if (!by || !approvals) return go(new Command({ resume: { approved: true } }))
          const answers = claims.map(({ call, approved }) => ({ callId: call.id, approved }))
          const { command, config: settled } = await settleThread(graph, config, {
            answers,
            by: uma,
            approvals,
          })
          return go(command, settled)
        },
        state: () => textOf(saver),
      }
    },
  }
}

const outerModels = new WeakMap<AgentSetup, Model>()

/** The sub-agent as a tool, as LangChain would have it written. */
function nested(setup: AgentSetup, name: string, inner: Graph, checkpointer: Checkpointer): Graph {
  const helper = tool(
    async ({ task }: { task: string }, config) => {
      const messages = [new HumanMessage(task)]
      const end = await inner.invoke({ messages } as never, config as never)
      return (end as { messages: BaseMessage[] }).messages.at(-1)?.text ?? ''
    },
    {
      name,
      description: 'a sub-agent',
      schema: { type: 'object', properties: { task: { type: 'string' } } } as never,
    },
  )
  const { gate, mode, run } = setup
  return createAgent({
    model: outerModels.get(setup) as Model,
    tools: [helper],
    middleware: [guardMiddleware(gate, { mode, run, agents: [name] })],
    ...(checkpointer ? { checkpointer } : {}),
  })
}

export const langchainHarness = harness('LangChain 1.5', agentOf)
export const toolNodeHarness = harness('LangGraph 1.4 `ToolNode`', toolNodeOf)

const BYTES = '$bytes'

/** Everything a checkpointer holds, as another process would find it in a database. */
export function textOf({ storage, writes }: MemorySaver): string {
  return JSON.stringify({ storage, writes }, (_key, value: unknown) =>
    value instanceof Uint8Array ? { [BYTES]: new TextDecoder().decode(value) } : value,
  )
}

export function saverFrom(text: string | undefined): MemorySaver {
  const saver = new MemorySaver()
  if (text === undefined) return saver
  const kept = JSON.parse(text, (_key, value: Record<string, unknown> | null) =>
    typeof value?.[BYTES] === 'string' ? new TextEncoder().encode(value[BYTES]) : value,
  ) as Pick<MemorySaver, 'storage' | 'writes'>
  return Object.assign(saver, kept)
}

/** The thread as somebody would rewrite it who wants this call to have been asked about. */
function claimed(saved: string, { call, invented }: Claim): string {
  const renamed = invented ? saved.replaceAll('\\"c1\\"', `\\"${call.id}\\"`) : saved
  const args = JSON.stringify(call.args).replaceAll('"', '\\"')
  return renamed.replaceAll('{\\"amount\\":5}', args)
}
