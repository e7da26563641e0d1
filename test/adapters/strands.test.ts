import { Agent, FunctionTool, type ToolContext, ToolStreamEvent } from '@strands-agents/sdk'
import { HumanInTheLoop } from '@strands-agents/sdk/vended-interventions/hitl'
import { expect, vi } from 'vitest'
import { guardTools } from '../../src/adapters/strands/guard-tools.ts'
import { resumeAgent } from '../../src/adapters/strands/resume-agent.ts'
import { promise } from '../support/promise.ts'
import { decide, open, pending } from './adapter-gate.ts'
import { agentOf, ScriptedModel, toldBy } from './strands-model.ts'

const SCHEMA = {
  type: 'object',
  properties: { amount: { type: 'number' } },
  required: ['amount'],
  additionalProperties: false,
} as const

function toolOf(name: string, callback: (input: unknown, context: ToolContext) => unknown) {
  const inputSchema = SCHEMA as never
  return new FunctionTool({ name, description: name, inputSchema, callback: callback as never })
}

const calls = (...names: readonly string[]) =>
  new ScriptedModel([
    { calls: names.map((tool, n) => ({ id: `c${n + 1}`, tool, args: { amount: n + 1 } })) },
    { says: 'done' },
  ])

promise(
  ['CS-STRANDS-1'],
  'a Strands tool that interrupts the agent itself is answered by its own answer and never by ours; approved, it is not started twice',
  async () => {
    const gate = open()
    const answers: unknown[] = []
    const ask = (_: unknown, context: ToolContext) => {
      const answer = context.interrupt({ name: 'colour', reason: 'which colour?' })
      answers.push(answer)
      return `painted ${String(answer)}`
    }
    let wiped = 0
    const wipe = (_: unknown, context: ToolContext) => {
      wiped += 1
      return context.interrupt({ name: 'sure', reason: 'sure?' })
    }
    const model = calls('paint', 'wipe')
    const tools = guardTools(gate, [toolOf('paint', ask), toolOf('wipe', wipe)], { run: 'r' })
    const agent = agentOf(model, tools)
    const paused = await agent.invoke('go')
    expect(paused.interrupts?.map(({ name }) => name).sort()).toEqual(['colour', 'countersign-1'])
    await decide(gate, 'approve')
    const resumed = await resumeAgent(agent)
    expect(resumed).toMatchObject({ waiting: [], result: { stopReason: 'interrupt' } })
    expect(answers).toEqual([])
    expect(wiped).toBe(1)
    const [own] = resumed.result?.interrupts ?? []
    const interruptResponse = { interruptId: own?.id ?? '', response: 'red' }
    expect((await agent.invoke([{ interruptResponse }])).stopReason).toBe('endTurn')
    expect(answers).toEqual(['red'])
    expect(wiped).toBe(1)
    const [painted, told] = toldBy(model)
    expect(painted?.text).toBe('painted red')
    expect(told?.text).toMatch(/may have taken effect\. Do not call it again\./)
  },
)

promise(
  ['CS-STRANDS-1'],
  'an intervention of Strands asks beside the gate: neither yes stands in for the other',
  async () => {
    const gate = open()
    const ran: unknown[] = []
    const pay = toolOf('pay', (input) => {
      ran.push(input)
      return 'paid'
    })
    const tools = guardTools(gate, [pay], { run: 'r' })
    const interventions = [new HumanInTheLoop()]
    const model = calls('pay')
    const agent = new Agent({ model, tools, interventions, printer: false })
    const paused = await agent.invoke('go')
    expect(await pending(gate)).toEqual([])
    // Not ours to answer: it stays open.
    expect(await resumeAgent(agent)).toEqual({ waiting: [], result: undefined })
    const [theirs] = paused.interrupts ?? []
    const interruptResponse = { interruptId: theirs?.id ?? '', response: 'yes' }
    const again = await agent.invoke([{ interruptResponse }])
    expect(again.stopReason).toBe('interrupt')
    expect(ran).toEqual([])
    await decide(gate, 'approve')
    expect((await resumeAgent(agent)).result?.stopReason).toBe('endTurn')
    expect(ran).toEqual([{ amount: 1 }])
  },
)

promise(
  ['CS-STRANDS-1'],
  'what a guarded Strands tool streams arrives, its own error is told as its own, and its invoke runs nothing',
  async () => {
    const gate = open()
    async function* steps() {
      yield 'one'
      yield 'two'
      return 'three'
    }
    const broken = () => {
      throw new Error('the printer is on fire')
    }
    const tools = guardTools(gate, [toolOf('count', steps), toolOf('print', broken)], { run: 'r' })
    const model = calls('count', 'print')
    const said: unknown[] = []
    for await (const event of agentOf(model, tools).stream('go')) {
      if (event.type !== 'toolStreamUpdateEvent') continue
      if (event.event instanceof ToolStreamEvent) said.push(event.event.data)
    }
    expect(said).toEqual(['one', 'two'])
    expect(toldBy(model).map(({ text }) => text)).toEqual([
      'three',
      expect.stringContaining('the printer is on fire'),
    ])
    const [count] = tools
    await expect(count?.invoke({} as never)).rejects.toMatchObject({ code: 'usage' })
    let paid = 0
    const pay = toolOf('pay', () => {
      paid += 1
      return 'paid'
    })
    const direct = agentOf(model, guardTools(gate, [pay], { run: 'r' }))
    await expect(direct.tool.pay?.invoke({ amount: 1 })).rejects.toThrow(/Interrupts/)
    expect([paid, (await pending(gate)).length]).toEqual([0, 1])
  },
)

promise(
  ['CS-STRANDS-1'],
  'leaving the stream of a Strands agent withdraws the call that waits inside it',
  async () => {
    const gate = open()
    let ran = 0
    const pay = toolOf('pay', () => {
      ran += 1
      return 'paid'
    })
    const [tool] = guardTools(gate, [pay], { run: 'r', mode: 'block' })
    const leaving = new AbortController()
    const context = {
      toolUse: { name: 'pay', toolUseId: 'c1', input: { amount: 1 } },
      cancelSignal: leaving.signal,
    } as unknown as ToolContext
    const reading = tool?.stream(context).next()
    const asked = await vi.waitFor(async () => {
      const [one] = await pending(gate)
      if (!one) throw new Error('no call waits')
      return one
    }, 15_000)
    leaving.abort()
    await expect(reading).rejects.toThrow(/did not run/)
    expect((await gate.approvals.get(asked.id))?.approval.status).toBe('withdrawn')
    expect(ran).toBe(0)
  },
)

promise(
  ['CS-STRANDS-1'],
  'Strands tools of an MCP server go by its rules, also when they are guarded again',
  async () => {
    const gate = open()
    const look = toolOf('look', () => 'seen')
    const guarded = guardTools(gate, [look], { run: 'r', server: 'files' })
    const again = guardTools(gate, guarded, { run: 'r2' })
    expect(() => guardTools(gate, guarded, { run: 'r', server: 'other' })).toThrow(/server files/)
    expect(() => guardTools(gate, [{} as never], { run: 'r' })).toThrow(/takes the tools/)
    const model = calls('look')
    const agent = agentOf(model, again)
    expect((await agent.invoke('go')).stopReason).toBe('interrupt')
    expect((await pending(gate)).map(({ call }) => [call.server, call.run])).toEqual([
      ['files', 'r2'],
    ])
    await decide(gate, 'deny')
    await resumeAgent(agent)
    expect(toldBy(model)[0]?.text).toMatch(/denied by a person/)
  },
)
