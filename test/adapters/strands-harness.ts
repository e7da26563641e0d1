import { type Agent, FunctionTool, type Tool } from '@strands-agents/sdk'
import { guardTools } from '../../src/adapters/strands/guard-tools.ts'
import { resumeAgent } from '../../src/adapters/strands/resume-agent.ts'
import type {
  AdapterHarness,
  AgentSetup,
  Claim,
  HandOver,
  HandOverSetup,
  Turned,
} from '../../src/testing/adapter-harness.ts'
import { uma } from '../../src/testing/adapter-play.ts'
import { agentOf, ScriptedModel, toldBy } from './strands-model.ts'

function sdkTools(tools: AgentSetup['tools']): Tool[] {
  return Object.entries(tools).map(
    ([name, { description, schema, run }]) =>
      new FunctionTool({
        name,
        description,
        inputSchema: schema as never,
        callback: async (input) => run(input as never) as never,
      }),
  )
}

export const strandsHarness: AdapterHarness = {
  name: 'Strands Agents 1.19',
  supports: {
    suspend: true,
    elsewhere: true,
    nestedPause: false,
    inBand: true,
    partial: true,
    ordered: true,
  },
  tries: {
    anyName: true,
    guardsAgain: true,
    native: 'Tools of Strands have no approval setting; its interventions ask beside the gate.',
    nativeByUser:
      'Tools of Strands have no approval setting; its interventions ask beside the gate.',
    handsOver: true,
  },
  handOver,
  agent(setup) {
    const { gate, run, mode, nestedAs, approvals, guardedFor, previews = {} } = setup
    const own = sdkTools(setup.tools)
    const given = guardedFor === undefined ? own : guardTools(gate, own, { run: guardedFor, mode })
    const tools = guardTools(gate, given, { run, mode, previews })
    const inner = new ScriptedModel(setup.state ? setup.turns.slice(1) : setup.turns)
    let model = inner
    let saved = setup.state ?? ''

    function open(snapshot?: string): Agent {
      const agent = agentOf(model, nestedAs === undefined ? tools : [helper()])
      if (snapshot) agent.loadSnapshot(JSON.parse(snapshot))
      return agent
    }

    function helper(): Tool {
      return agentOf(inner, tools, nestedAs).asTool()
    }

    if (nestedAs !== undefined) {
      const calls = [{ id: 'n1', tool: nestedAs, args: { input: 'go' } }]
      model = new ScriptedModel([{ calls }, { says: 'done' }])
    }
    let agent = open(setup.state)

    function turned(stopReason: string | undefined): Turned {
      const isPaused = stopReason === 'interrupt'
      if (isPaused) saved = JSON.stringify(agent.takeSnapshot({ preset: 'session' }))
      return { status: isPaused ? 'paused' : 'done', told: toldBy(model) }
    }

    return {
      async start({ signal } = {}) {
        const result = await agent.invoke('go', signal ? { cancelSignal: signal } : {})
        return turned(result.stopReason)
      },
      async resume() {
        const { result } = await resumeAgent(agent)
        return turned(result?.stopReason)
      },
      async force(claims) {
        agent = open(claims.reduce(claimed, saved))
        const by = claims.some((claim) => claim.by === uma.subject)
        if (by && approvals) {
          const answers = claims.map(({ call, approved }) => ({ callId: call.id, approved }))
          const { result } = await resumeAgent(agent, { answers, by: uma, approvals })
          return turned(result?.stopReason)
        }
        const { interrupts } = JSON.parse(claims.reduce(claimed, saved)).data.interrupts
        const approved = { approved: true, answers: 'all', countersign: 'wake' }
        const responses = Object.keys(interrupts).map((interruptId) => ({
          interruptResponse: { interruptId, response: approved },
        }))
        return turned((await agent.invoke(responses as never)).stopReason)
      },
      state: () => saved,
    }
  },
}

/** The outer agent has an agent as a tool. */
function handOver({ gate, run, mode, ids }: HandOverSetup): HandOver {
  const taken: string[] = []
  const inner = new ScriptedModel(ids.map(() => ({ says: 'worked' })))
  const stream = inner.stream.bind(inner)
  inner.stream = (messages) => {
    const asked = messages.at(-1)?.content[0]
    taken.push(asked?.type === 'textBlock' ? asked.text : '')
    return stream(messages)
  }
  const turns = ids.map((id) => ({ calls: [{ id, tool: 'deputy', args: { input: 'work' } }] }))
  const model = new ScriptedModel([...turns, { says: 'done' }])
  const deputy = agentOf(inner, [], 'deputy').asTool()
  const agent = agentOf(model, guardTools(gate, [deputy], { run, mode }))
  const turned = (stopReason: string | undefined): Turned => ({
    status: stopReason === 'interrupt' ? 'paused' : 'done',
    told: toldBy(model),
  })
  return {
    agent: {
      start: async () => turned((await agent.invoke('go')).stopReason),
      resume: async () => turned((await resumeAgent(agent)).result?.stopReason),
      state: () => '',
    },
    waits: mode,
    taken,
    edit: { args: { input: 'work, politely' }, takes: 'work, politely' },
  }
}

/** The snapshot as an attacker would rewrite it who wants this call to have been asked about. */
function claimed(saved: string, { call, invented }: Claim): string {
  const renamed = invented ? saved.replaceAll('c1', call.id) : saved
  return renamed.replaceAll('{"amount":5}', JSON.stringify(call.args))
}
