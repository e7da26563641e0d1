import {
  AgentTool,
  type BaseAgent,
  BaseLlm,
  type BaseLlmConnection,
  type BasePlugin,
  type Context,
  type Event,
  FunctionTool,
  InMemorySessionService,
  LlmAgent,
  type LlmRequest,
  type LlmResponse,
  LogLevel,
  Runner,
  setLogLevel,
} from '@google/adk'
import { answerContent, REQUEST_CONFIRMATION } from '../../src/adapters/google-adk/confirmation.ts'
import { guardAgent, guardTools } from '../../src/adapters/google-adk/guard-tools.ts'
import { openQuestions, settleSession } from '../../src/adapters/google-adk/settle-session.ts'
import type {
  AdapterHarness,
  AgentSetup,
  Claim,
  HandOver,
  HandOverSetup,
  ModelTurn,
  Turned,
} from '../../src/testing/adapter-harness.ts'
import { uma } from '../../src/testing/adapter-play.ts'

setLogLevel(LogLevel.ERROR)

type Content = LlmRequest['contents'][number]

/** Says what it is told to, and remembers what it read. */
export class ScriptedLlm extends BaseLlm {
  readonly read: Content[][] = []
  readonly #turns: ModelTurn[]

  constructor(turns: readonly ModelTurn[]) {
    super({ model: 'scripted' })
    this.#turns = [...turns]
  }

  override async *generateContentAsync(request: LlmRequest): AsyncGenerator<LlmResponse, void> {
    this.read.push(structuredClone(request.contents))
    const turn = this.#turns.shift() ?? { says: 'done' }
    const parts =
      'calls' in turn
        ? turn.calls.map(({ id, tool: name, args }) => ({ functionCall: { id, name, args } }))
        : [{ text: turn.says }]
    yield { content: { role: 'model', parts } }
  }

  override connect(): Promise<BaseLlmConnection> {
    throw new Error('it only answers in text')
  }
}

/** What the model read for each call, from the last request it was given. */
export function toldBy({ read }: ScriptedLlm): Turned['told'] {
  const parts = (read.at(-1) ?? []).flatMap((content) => content.parts ?? [])
  return parts.flatMap(({ functionResponse }) =>
    functionResponse
      ? [{ id: functionResponse.id ?? '', text: JSON.stringify(functionResponse.response) }]
      : [],
  )
}

const unlessAdmin = (_args: unknown, context?: Context) => context?.state.get('user') !== 'admin'

function sdkTools({ tools, native = {}, nativeByUser }: AgentSetup): FunctionTool[] {
  return Object.entries(tools).map(
    ([name, { description, schema, run }]) =>
      new FunctionTool({
        name,
        description,
        parameters: schema as never,
        execute: async (args) => run(args as never),
        ...(native[name] === undefined ? {} : { requireConfirmation: native[name] }),
        ...(nativeByUser?.tool === name ? { requireConfirmation: unlessAdmin as never } : {}),
      }) as unknown as FunctionTool,
  )
}

export const WHO = { userId: 'uma', sessionId: 'chat-1' }

interface Opened {
  readonly events?: readonly Event[]
  readonly plugins?: BasePlugin[]
  readonly state?: Record<string, unknown>
}

/** An agent of the application `app` in a session of its own, from events where there are some. */
export async function sessionOf(
  agent: BaseAgent,
  { events = [], plugins = [], state = {} }: Opened = {},
) {
  const sessionService = new InMemorySessionService()
  const session = await sessionService.createSession({ appName: 'app', ...WHO, state })
  for (const event of events) await sessionService.appendEvent({ session, event })
  const runner = new Runner({ appName: 'app', agent, sessionService, plugins })
  return {
    runner,
    async send(newMessage: Content, abortSignal?: AbortSignal): Promise<Event[]> {
      const seen: Event[] = []
      const signal = abortSignal ? { abortSignal } : {}
      for await (const event of runner.runAsync({ ...WHO, newMessage, ...signal })) {
        seen.push(event)
      }
      return seen
    },
    async events(): Promise<Event[]> {
      const now = await sessionService.getSession({ appName: 'app', ...WHO })
      return now?.events ?? []
    },
  }
}

export const GO: Content = { role: 'user', parts: [{ text: 'go' }] }

export const googleAdkHarness: AdapterHarness = {
  name: 'Google ADK 2',
  supports: {
    suspend: true,
    elsewhere: true,
    nestedPause: false,
    inBand: true,
    partial: false,
    ordered: true,
  },
  tries: { anyName: true, guardsAgain: true, native: true, nativeByUser: true, handsOver: true },
  handOver,
  agent(setup) {
    const { gate, run, mode, nestedAs, approvals, guardedFor } = setup
    let model = new ScriptedLlm(setup.state ? [] : setup.turns)
    const own = sdkTools(setup)
    const tools = guardedFor === undefined ? own : guardTools(gate, own, { run: guardedFor, mode })
    let agent = new LlmAgent({ name: nestedAs ?? 'biller', model, tools })
    const { previews = {} } = setup
    if (nestedAs === undefined) agent.tools = guardTools(gate, tools, { run, mode, previews })
    else {
      // Only the outer tool is guarded here: that covers what the agent behind it can call.
      const inner = guardTools(gate, [new AgentTool({ agent })], { run, mode })
      const outer: ModelTurn = { calls: [{ id: 'n1', tool: nestedAs, args: { request: 'go' } }] }
      model = new ScriptedLlm([outer, { says: 'done' }])
      agent = new LlmAgent({ name: 'top', model, tools: inner })
    }
    const { user } = setup.nativeByUser ?? {}
    const state = user ? { user } : {}
    let saved: Event[] = setup.state ? JSON.parse(setup.state) : []
    let opened: ReturnType<typeof sessionOf> | undefined

    async function go(message: Content, signal?: AbortSignal): Promise<Turned> {
      opened ??= sessionOf(agent, { events: saved, state })
      const session = await opened
      await session.send(message, signal)
      saved = await session.events()
      const isPaused = openQuestions(saved).length > 0
      return { status: isPaused ? 'paused' : 'done', told: toldBy(model) }
    }

    async function resume(message?: Content, by?: typeof uma): Promise<Turned> {
      opened ??= sessionOf(agent, { events: saved, state })
      const { runner } = await opened
      const settled = await settleSession(runner, {
        ...WHO,
        ...(message ? { message } : {}),
        ...(by ? { by } : {}),
        ...(approvals ? { approvals } : {}),
      })
      return settled.status === 'ready'
        ? go(settled.newMessage as Content)
        : { status: 'paused', told: [] }
    }

    return {
      start: ({ signal } = {}) => go(GO, signal),
      resume: () => resume(),
      async force(claims) {
        const session = await opened
        saved = claims.reduce(claimed, await (session?.events() ?? []))
        opened = undefined
        const said = claims.map(({ call, approved }) => [call.id, { confirmed: approved }] as const)
        const isUma = claims.some(({ by }) => by === uma.subject)
        if (isUma) return resume(answerContent(said) as Content, uma)
        // Straight to the ADK, under the ids it has given to its own requests.
        const answers = openQuestions(saved).map(({ id, call }) => {
          return [id, { confirmed: new Map(said).get(call.id)?.confirmed ?? false }] as const
        })
        return go(answerContent(answers) as Content)
      },
      state: () => JSON.stringify(saved),
    }
  },
}

/** A transfer of the conversation. Nothing of it can be changed: it is one name. */
function handOver({ gate, run, ids }: HandOverSetup): HandOver {
  const taken: string[] = []
  class Deputy extends ScriptedLlm {
    override async *generateContentAsync(request: LlmRequest): AsyncGenerator<LlmResponse, void> {
      taken.push('the conversation')
      yield* super.generateContentAsync(request)
    }
  }
  const transfer = (id: string, agentName: string): ModelTurn => ({
    calls: [{ id, tool: 'transfer_to_agent', args: { agentName } }],
  })
  // The deputy hands it back, so that the first agent can repeat itself.
  const deputy = new LlmAgent({
    name: 'deputy',
    model: new Deputy(ids.map((_, index) => transfer(`back-${index}`, 'top'))),
  })
  const model = new ScriptedLlm(ids.map((id) => transfer(id, 'deputy')))
  const top = guardAgent(gate, new LlmAgent({ name: 'top', model, subAgents: [deputy] }), { run })
  const start = async (): Promise<Turned> => {
    await (await sessionOf(top)).send(GO)
    return { status: 'done', told: toldBy(model) }
  }
  return {
    agent: { start, resume: start, state: () => '' },
    waits: 'block',
    taken,
    edit: { args: { agentName: 'top' }, takes: undefined },
  }
}

/** The session as somebody would rewrite it who wants this call to have been asked about. */
function claimed(events: Event[], { call, invented }: Claim): Event[] {
  const { id, tool: name, args } = call
  return structuredClone(events).map((event) => {
    for (const { functionCall } of event.content?.parts ?? []) {
      if (!functionCall) continue
      if (functionCall.name === REQUEST_CONFIRMATION) {
        const { originalFunctionCall: original } = functionCall.args as {
          originalFunctionCall: { id: string; name: string; args: object }
        }
        if (invented || original.id === id) Object.assign(original, { id, name, args })
      } else if (invented || functionCall.id === id) Object.assign(functionCall, { id, name, args })
    }
    return event
  })
}
