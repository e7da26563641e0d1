import { Agent, tool } from '@openai/agents'
import { assistantMessage, ScriptedModel } from '@openai/agents/testing'
import { expect, vi } from 'vitest'
import { guardTools } from '../../src/adapters/openai-agents/guard-tools.ts'
import { promise } from '../support/promise.ts'
import { toldBy } from './openai-agents-harness.ts'
import {
  AMOUNT,
  approve,
  type Ctx,
  call,
  open,
  PATIENT,
  pending,
  runner,
  type User,
} from './openai-agents-hostile-world.ts'

/** A tool no file speaks of, that asks as its author wrote it. */
function noteTool(ran: number[], needsApproval: unknown) {
  return tool({
    name: 'note',
    description: 'notes',
    parameters: AMOUNT,
    needsApproval: needsApproval as never,
    execute: ({ amount }) => {
      ran.push(amount)
      return 'noted'
    },
  })
}

const UNTRUSTED = (ctx: Ctx) => ctx.context?.user?.trusted === false

promise.each(
  ['CF-31'],
  'needsApproval of a tool gets the context of the run, as the plain SDK gives it',
  [
    ['plain SDK, not trusted', false, false, 1],
    ['guarded, not trusted', true, false, 1],
    ['guarded, trusted', true, true, 0],
  ] as [string, boolean, boolean, number][],
  async (_which, isGuarded, trusted, interruptions) => {
    const gate = open()
    const ran: number[] = []
    const plain = noteTool(ran, UNTRUSTED)
    const tools = isGuarded ? guardTools(gate, [plain], { run: 'r' }) : [plain]
    const model = new ScriptedModel([[call('c1', 'note', { amount: 1 })], [assistantMessage('ok')]])
    const agent = new Agent<User>({ name: 'a', model, tools: tools as never })
    const result = await runner.run(agent, 'go', { context: { user: { trusted } } })
    expect(result.interruptions).toHaveLength(interruptions)
    expect(ran).toHaveLength(1 - interruptions)
    expect(await pending(gate)).toHaveLength(isGuarded ? interruptions : 0)
  },
)

promise.each(
  ['CF-31', 'CS-SDK-6'],
  'a yes of needsApproval stays, whatever it says when the run goes on',
  [
    ['approved by the SDK alone', (state) => approveAll(state, false)],
    ['approved by the SDK for good', (state) => approveAll(state, true)],
  ] as [string, (state: Interrupted) => void][],
  async (_how, wake) => {
    const gate = open()
    const ran: number[] = []
    const context = { user: { trusted: false } }
    const model = new ScriptedModel([[call('c1', 'note', { amount: 1 })], [assistantMessage('ok')]])
    const tools = guardTools(gate, [noteTool(ran, UNTRUSTED)], { run: 'r' })
    const agent = new Agent<User>({ name: 'a', model, tools: tools as never })
    const { state } = await runner.run(agent, 'go', { context })
    context.user.trusted = true
    wake(state as unknown as Interrupted)
    await runner.run(agent, state)
    expect(ran).toEqual([])
    expect(await pending(gate)).toHaveLength(1)
    expect(toldBy(model)[0]?.text).toMatch(/waits for a person/)
  },
)

interface Interrupted {
  getInterruptions(): unknown[]
  approve(item: unknown, options?: { alwaysApprove: boolean }): void
}

function approveAll(state: Interrupted, alwaysApprove: boolean): void {
  for (const item of state.getInterruptions()) state.approve(item, { alwaysApprove })
}

promise(['CF-31', 'CS-SDK-12'], 'OpenAI: tools of one name ask as each was written', async () => {
  const gate = open()
  const ran: number[] = []
  const [strict] = guardTools(gate, [noteTool(ran, true)], { run: 'guest' })
  const [mild] = guardTools(gate, [noteTool(ran, false)], { run: 'admin' })
  for (const [name, one] of [
    ['guest', strict],
    ['admin', mild],
  ] as const) {
    const model = new ScriptedModel([[call('c1', 'note', { amount: 1 })], [assistantMessage('ok')]])
    const agent = new Agent({ name, model, tools: [one as never] })
    const { interruptions } = await runner.run(agent, 'go')
    expect(interruptions).toHaveLength(name === 'guest' ? 1 : 0)
  }
  expect(ran).toEqual([1])
})

promise.each(
  ['CF-31', 'CS-SDK-5'],
  'OpenAI: needsApproval that fails asks',
  [
    [
      'throws',
      () => {
        throw new Error('no database')
      },
    ],
    ['never answers', () => new Promise(() => {})],
    ['answers nothing', () => undefined],
  ] as [string, () => unknown][],
  async (_how, needsApproval) => {
    const gate = open()
    const ran: number[] = []
    const model = new ScriptedModel([[call('c1', 'note', { amount: 1 })], [assistantMessage('ok')]])
    const tools = guardTools(gate, [noteTool(ran, needsApproval)], { run: 'r' })
    await runner.run(new Agent({ name: 'a', model, tools }), 'go')
    expect(ran).toEqual([])
    expect(await pending(gate)).toHaveLength(1)
  },
)

promise(['CF-31'], 'OpenAI: needsApproval counts where calls wait inside, too', async () => {
  const gate = open()
  const ran: number[] = []
  const model = new ScriptedModel([[call('c1', 'note', { amount: 1 })], [assistantMessage('ok')]])
  const tools = guardTools(gate, [noteTool(ran, UNTRUSTED)], { run: 'r', mode: 'block' })
  const agent = new Agent<User>({ name: 'a', model, tools: tools as never })
  const running = runner.run(agent, 'go', { context: { user: { trusted: false } } })
  await vi.waitFor(async () => expect(await pending(gate)).toHaveLength(1), PATIENT)
  expect(ran).toEqual([])
  await approve(gate)
  await running
  expect(ran).toEqual([1])
})

promise(['CF-31', 'AF-47'], 'OpenAI: needsApproval of an agent as a tool is kept', async () => {
  const gate = open()
  const inner = new ScriptedModel([[assistantMessage('done')]])
  const sub = new Agent({ name: 'sub', model: inner })
  const free = sub.asTool({ toolName: 'free', toolDescription: 'x', needsApproval: true })
  const model = new ScriptedModel([[call('p1', 'free', { input: 'go' })], [assistantMessage('ok')]])
  const top = new Agent({ name: 'top', model, tools: guardTools(gate, [free], { run: 'r' }) })
  const { interruptions } = await runner.run(top, 'go')
  expect(interruptions).toHaveLength(1)
  expect(inner.calls).toHaveLength(0)
  expect((await pending(gate)).map(({ call: asked }) => asked.kind)).toEqual(['agent'])
})
