import { Mastra } from '@mastra/core'
import { Agent } from '@mastra/core/agent'
import { RequestContext } from '@mastra/core/request-context'
import { InMemoryStore } from '@mastra/core/storage'
import { createTool } from '@mastra/core/tools'
import type { MockLanguageModelV4 } from 'ai/test'
import { guardDelegation } from '../../src/adapters/mastra/guard-delegation.ts'
import { guardTools } from '../../src/adapters/mastra/guard-tools.ts'
import { resumeRun } from '../../src/adapters/mastra/resume-run.ts'
import type {
  AdapterHarness,
  AgentSetup,
  Claim,
  HandOver,
  HandOverSetup,
  Turned,
} from '../../src/testing/adapter-harness.ts'
import { uma } from '../../src/testing/adapter-play.ts'
import { scriptedModel, toldBy } from './ai-sdk-harness.ts'

// Mastra would tell its makers that somebody runs it.
process.env.MASTRA_TELEMETRY_DISABLED = 'true'

type Setup = Pick<AgentSetup, 'tools' | 'native' | 'nativeByUser'>

interface Asked {
  readonly requestContext?: { readonly user?: string }
}

const unlessAdmin = (_args: unknown, context?: Asked) => context?.requestContext?.user !== 'admin'

type Tools = Record<string, ReturnType<typeof createTool>>

function sdkTools({ tools, native = {}, nativeByUser }: Setup): Tools {
  return Object.fromEntries(
    Object.entries(tools).map(([id, { description, schema, run }]) => [
      id,
      createTool({
        id,
        description,
        inputSchema: schema as never,
        execute: async (args) => run(args as never) as never,
        ...(native[id] === undefined ? {} : { requireApproval: native[id] }),
        ...(nativeByUser?.tool === id ? { requireApproval: unlessAdmin } : {}),
      }),
    ]),
  ) as unknown as Tools
}

export function agentOf(id: string, model: MockLanguageModelV4, more: object): Agent {
  return new Agent({ id, name: id, description: id, instructions: 'x', model, ...more } as never)
}

/** What holds the agent's suspended runs, and the agent in it. */
export function hosted(agent: Agent, storage: InMemoryStore): Agent {
  new Mastra({ agents: { [agent.id]: agent } as never, storage, logger: false })
  return agent
}

export const mastraHarness: AdapterHarness = {
  name: 'Mastra 1.71',
  supports: {
    suspend: true,
    elsewhere: true,
    nestedPause: true,
    inBand: true,
    partial: true,
    ordered: true,
  },
  tries: { anyName: true, guardsAgain: true, native: true, nativeByUser: true, handsOver: true },
  handOver,
  agent(setup) {
    const { gate, run, mode, nestedAs, approvals, guardedFor } = setup
    let saved = savedFrom(setup.state)
    let storage = storageFrom(saved.runs)
    const inner = scriptedModel(setup.state ? setup.turns.slice(1) : setup.turns)
    const own = sdkTools(setup)
    const given = guardedFor === undefined ? own : guardTools(gate, own, { run: guardedFor, mode })
    const { previews = {} } = setup
    const tools = guardTools(gate, given, { run, mode, previews })
    const model = nestedAs === undefined ? inner : scriptedModel(outerTurns(nestedAs))

    function open(): Agent {
      if (nestedAs === undefined) return hosted(agentOf('biller', model, { tools }), storage)
      const agents = { [nestedAs]: agentOf(nestedAs, inner, { tools }) }
      return hosted(agentOf('top', model, { agents }), storage)
    }

    let agent = open()

    async function turned(): Promise<Turned> {
      const { runs } = await agent.listSuspendedRuns()
      const isPaused = runs.some(({ runId }) => runId === saved.runId)
      if (isPaused) saved = { runId: saved.runId, runs: runsOf(storage) }
      return { status: isPaused ? 'paused' : 'done', told: toldBy(model) }
    }

    return {
      async start({ signal } = {}) {
        const { user } = setup.nativeByUser ?? {}
        const { runId } = await agent.generate('go', {
          ...(signal ? { abortSignal: signal } : {}),
          ...(user ? { requestContext: new RequestContext([['user', user]]) } : {}),
        } as never)
        saved = { ...saved, runId: runId ?? '' }
        return turned()
      },
      async resume() {
        await resumeRun(agent, saved.runId)
        return turned()
      },
      async force(claims) {
        storage = storageFrom(claims.reduce(claimed, saved.runs))
        agent = open()
        const by = claims.some((claim) => claim.by === uma.subject)
        if (by && approvals) {
          const answers = claims.map(({ call, approved }) => ({ callId: call.id, approved }))
          await resumeRun(agent, saved.runId, { answers, by: uma, approvals })
        } else {
          const approved = { approved: true, answers: 'all', countersign: 'wake' }
          await agent.resumeGenerate(approved, { runId: saved.runId })
        }
        return turned()
      },
      state: () => JSON.stringify(saved),
    }
  },
}

/** The outer agent hands work to a sub-agent, which Mastra waits for inside. */
function handOver({ gate, run, ids }: HandOverSetup): HandOver {
  const taken: string[] = []
  const inner = scriptedModel(ids.map(() => ({ says: 'worked' })))
  const doGenerate = inner.doGenerate.bind(inner)
  inner.doGenerate = async (options) => {
    taken.push(textIn(options.prompt))
    return doGenerate(options)
  }
  const turns = ids.map((id) => ({
    calls: [{ id, tool: 'agent-deputy', args: { prompt: 'work' } }],
  }))
  const model = scriptedModel([...turns, { says: 'done' }])
  const agents = { deputy: agentOf('deputy', inner, {}) }
  const defaultOptions = { delegation: guardDelegation(gate, { run }), maxSteps: 10 }
  const agent = hosted(agentOf('top', model, { agents, defaultOptions }), new InMemoryStore())
  const start = async (): Promise<Turned> => {
    await agent.generate('go')
    return { status: 'done', told: toldBy(model) }
  }
  return {
    agent: { start, resume: start, state: () => '' },
    waits: 'block',
    taken,
    edit: { args: { prompt: 'work, politely' }, takes: 'work, politely' },
  }
}

/** What the sub-agent was asked to do. */
function textIn(prompt: readonly { readonly role: string; readonly content: unknown }[]): string {
  const { content } = prompt.findLast(({ role }) => role === 'user') ?? {}
  return ((content ?? []) as { readonly text?: string }[]).map(({ text }) => text ?? '').join('')
}

function outerTurns(name: string) {
  return [
    { calls: [{ id: 'n1', tool: `agent-${name}`, args: { prompt: 'go' } }] },
    { says: 'done' },
  ]
}

interface Saved {
  readonly runId: string
  /** Everything the storage holds of suspended runs, as JSON. */
  readonly runs: string
}

function savedFrom(state: string | undefined): Saved {
  return state === undefined ? { runId: '', runs: '[]' } : (JSON.parse(state) as Saved)
}

interface Database {
  readonly workflows: Map<string, { createdAt: Date; updatedAt: Date }>
}

function databaseOf(storage: InMemoryStore): Database {
  const { stores } = storage as unknown as { stores: { workflows: { db: Database } } }
  return stores.workflows.db
}

export function runsOf(storage: InMemoryStore): string {
  return JSON.stringify([...databaseOf(storage).workflows])
}

export function storageFrom(runs: string): InMemoryStore {
  const storage = new InMemoryStore()
  const { workflows } = databaseOf(storage)
  for (const [name, row] of JSON.parse(runs) as [string, { createdAt: Date; updatedAt: Date }][]) {
    const { createdAt, updatedAt } = row
    workflows.set(name, {
      ...row,
      createdAt: new Date(createdAt),
      updatedAt: new Date(updatedAt),
    })
  }
  return storage
}

/** The run as somebody would rewrite it who wants this call to have been asked about. */
function claimed(runs: string, { call, invented }: Claim): string {
  const renamed = invented ? runs.replaceAll('"c1"', `"${call.id}"`) : runs
  return renamed.replaceAll('{"amount":5}', JSON.stringify(call.args))
}
