import { Agent, handoff, Runner, type Tool, tool } from '@openai/agents'
import { assistantMessage, functionCall, ScriptedModel } from '@openai/agents/testing'
import { z } from 'zod'
import { inCallOrder } from '../../src/adapters/openai-agents/call-order.ts'
import { guardHandoff } from '../../src/adapters/openai-agents/guard-handoff.ts'
import { guardTools } from '../../src/adapters/openai-agents/guard-tools.ts'
import { loadRun, saveRun, settleRun } from '../../src/adapters/openai-agents/resume-run.ts'
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

const VERSION = '1'
const runner = new Runner({ tracingDisabled: true, callModelInputFilter: inCallOrder })

export function scriptedModel(turns: readonly ModelTurn[]): ScriptedModel {
  return new ScriptedModel(
    turns.map((turn) =>
      'calls' in turn
        ? turn.calls.map(({ id, tool: name, args }) => functionCall(name, args, { callId: id }))
        : [assistantMessage(turn.says)],
    ),
  )
}

interface ResultItem {
  readonly type?: string
  readonly callId?: string
  readonly output?: unknown
}

/** What the model read for each call, from the last request it was given. */
export function toldBy(model: ScriptedModel): Turned['told'] {
  const input = model.calls.at(-1)?.request.input ?? []
  if (typeof input === 'string') return []
  return (input as ResultItem[])
    .filter(({ type }) => type === 'function_call_result')
    .map(({ callId = '', output }) => {
      const text = (output as { readonly text?: string })?.text ?? output
      return { id: callId, text: typeof text === 'string' ? text : JSON.stringify(text) }
    })
}

type Tools = Tool<unknown>[]

interface Asked {
  readonly context?: { readonly user?: string }
}

const unlessAdmin = async (run: Asked) => run.context?.user !== 'admin'

export function sdkTools(
  tools: AgentSetup['tools'],
  { native = {}, nativeByUser }: Pick<AgentSetup, 'native' | 'nativeByUser'> = {},
): Tools {
  return Object.entries(tools).map(
    ([name, { description, schema, run }]) =>
      tool({
        name,
        description,
        parameters: schema as never,
        execute: async (args) => run(args as never),
        ...(native[name] === undefined ? {} : { needsApproval: native[name] }),
        ...(nativeByUser?.tool === name ? { needsApproval: unlessAdmin as never } : {}),
      }) as Tool<unknown>,
  )
}

export const openaiAgentsHarness: AdapterHarness = {
  name: 'OpenAI Agents SDK 0.20',
  note: 'Results come in the order of the calls with `callModelInputFilter: inCallOrder`; the SDK alone appends what waited for a person.',
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
    const own = sdkTools(setup.tools, setup)
    const given = guardedFor === undefined ? own : guardTools(gate, own, { run: guardedFor, mode })
    let model = scriptedModel(setup.state ? setup.turns.slice(1) : setup.turns)
    const asking = { run, mode, previews: setup.previews ?? {} }
    const inner = new Agent({
      name: nestedAs ?? 'biller',
      model,
      tools: guardTools(gate, given, asking),
    })
    let agent = inner
    if (nestedAs !== undefined) {
      model = scriptedModel([
        { calls: [{ id: 'n1', tool: nestedAs, args: { input: 'go' } }] },
        { says: 'done' },
      ])
      const asTool = inner.asTool({ toolName: nestedAs, toolDescription: 'a sub-agent' })
      agent = new Agent({ name: 'top', model, tools: guardTools(gate, [asTool], asking) })
    }
    type State = Awaited<ReturnType<typeof loadRun<typeof agent>>>
    let state: State | undefined
    let saved = setup.state

    async function go(input: string | State, signal?: AbortSignal): Promise<Turned> {
      const { user } = setup.nativeByUser ?? {}
      const result = await runner.run(agent, input, {
        ...(signal ? { signal } : {}),
        ...(user && typeof input === 'string' ? { context: { user } } : {}),
      } as object)
      state = result.state as State
      const isPaused = result.interruptions.length > 0
      if (isPaused) saved = saveRun(state, VERSION)
      return { status: isPaused ? 'paused' : 'done', told: toldBy(model) }
    }

    async function current(): Promise<State> {
      state ??= await loadRun(agent, saved ?? '', VERSION)
      return state
    }

    return {
      start: ({ signal } = {}) => go('go', signal),
      async resume() {
        const paused = await current()
        await settleRun(paused)
        return go(paused)
      },
      async force(claims) {
        const paused = await loadRun(agent, claims.reduce(claimed, saved ?? ''), VERSION)
        const by = claims.some((claim) => claim.by === uma.subject)
        if (by && approvals) {
          const answers = claims.map(({ call, approved }) => ({ callId: call.id, approved }))
          await settleRun(paused, { answers, by: uma, approvals })
        } else for (const item of paused.getInterruptions()) paused.approve(item)
        return go(paused)
      },
      state: () => saved ?? '',
    }
  },
}

/** A handoff with arguments: they reach `onHandoff`, and the SDK gives it no id. */
function handOver({ gate, run, ids }: HandOverSetup): HandOver {
  const taken: string[] = []
  const calls = ids.map((id) => ({
    calls: [{ id, tool: 'transfer_to_deputy', args: { amount: 5 } }],
  }))
  const model = scriptedModel([...calls, { says: 'done' }])
  const back = new Agent({ name: 'back', model })
  // It hands the run back, so that the first agent can repeat itself.
  const deputy = new Agent({
    name: 'deputy',
    model: scriptedModel(
      ids.map((id) => ({ calls: [{ id, tool: 'transfer_to_back', args: {} }] })),
    ),
    handoffs: [back],
  })
  const made = handoff(deputy, {
    inputType: z.object({ amount: z.number() }),
    onHandoff: (_context, input) => void taken.push(JSON.stringify(input)),
  })
  const guarded = guardHandoff(gate, made as never, { run, from: () => back })
  back.handoffs = [guarded]
  const start = async (): Promise<Turned> => {
    await runner.run(back, 'go')
    return { status: 'done', told: [] }
  }
  return {
    agent: { start, resume: start, state: () => '' },
    waits: 'block',
    taken,
    edit: { args: { amount: 7 }, takes: '{"amount":7}' },
  }
}

/** The saved run as somebody would rewrite it who wants this call to have been asked about. */
function claimed(saved: string, { call, invented }: Claim): string {
  const run = JSON.parse(saved) as { state: string }
  const before = /"callId":"c1"/g
  const renamed = invented ? run.state.replaceAll(before, `"callId":"${call.id}"`) : run.state
  const args = JSON.stringify(JSON.stringify(call.args))
  const state = renamed.replaceAll(/"arguments":"(?:[^"\\]|\\.)*"/g, `"arguments":${args}`)
  return JSON.stringify({ ...run, state })
}
