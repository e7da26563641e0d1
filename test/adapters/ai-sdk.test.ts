import { convertToModelMessages, generateText, type ModelMessage, type ToolSet, tool } from 'ai'
import { expect, test, vi } from 'vitest'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { resumeTurn } from '../../src/adapters/ai-sdk/resume-turn.ts'
import { isTurnStepCount } from '../../src/adapters/ai-sdk/turn-steps.ts'
import type { ModelTurn } from '../../src/testing/adapter-harness.ts'
import { call, say, turn, waiting } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { scriptedModel } from './ai-sdk-harness.ts'
import { AMOUNT, Chat, GO, generate, partOf, tools, world } from './ai-sdk-play.ts'
import { inProcess, overHttp } from './worlds.ts'

promise(['CS-SDK-8'], 'a partly decided turn does not go on', async () => {
  const { gate, ...rest } = await world()
  const ran: number[] = []
  const guarded = guardTools(gate, tools(ran), { run: 'chat-1' })
  const script = turn(call('c1', 'pay', 1), call('c2', 'pay', 2))
  const { messages } = await generate(guarded, GO, script)
  const [one, two] = await waiting({ gate, ...rest }, 2)
  await say({ gate, ...rest }, one, 'approve')
  const early = await resumeTurn(guarded, messages)
  expect(early).toMatchObject({ status: 'waiting', waiting: [{ toolName: 'pay' }] })
  expect(ran).toEqual([])
  await say({ gate, ...rest }, two, 'approve')
  const ready = await resumeTurn(guarded, messages)
  if (ready.status !== 'ready') throw new Error('still waiting')
  await generate(guarded, ready.messages, [{ says: 'done' }])
  expect(ran.toSorted()).toEqual([1, 2])
})

promise(['CF-17', 'CS-SDK-5'], 'needsApproval of the tool is a declaration', async () => {
  const { gate, ...rest } = await world()
  const ran: number[] = []
  const note = (needsApproval: unknown) => ({
    note: { ...tools(ran).pay, needsApproval },
  })
  const asks = vi.fn(({ amount }: { amount: number }) => amount > 100)
  for (const [name, needsApproval, amount, questions] of [
    ['a', true, 1, 1],
    ['b', asks, 100, 0],
    ['c', asks, 101, 1],
    ['d', undefined, 101, 0],
  ] as const) {
    const own = await world()
    const guarded = guardTools(own.gate, note(needsApproval) as ToolSet, { run: name })
    await generate(guarded, GO, turn(call('c1', 'note', amount)))
    await waiting(own, questions)
  }
  expect(ran).toEqual([100, 101])
  expect(asks).toHaveBeenCalledWith({ amount: 101 }, expect.anything())
  // A file that asks is not undone by code that does not.
  const guarded = guardTools(gate, tools(ran, { needsApproval: false }), { run: 'e' })
  await generate(guarded, GO, turn(call('c1', 'pay', 7)))
  await waiting({ gate, ...rest }, 1)
})

promise.each(
  ['CS-SDK-6'],
  'a needsApproval that flips does not release what was denied',
  [
    ['in process', inProcess],
    ['over HTTP', overHttp],
  ],
  async (_where, open) => {
    const own = await world(open)
    let asks = true
    const ran: number[] = []
    const guarded = guardTools(
      own.gate,
      { note: { ...tools(ran).pay, needsApproval: () => asks } } as ToolSet,
      { run: 'chat-1' },
    )
    const { messages } = await generate(guarded, GO, turn(call('c1', 'note', 1)))
    const [one] = await waiting(own, 1)
    await say(own, one, 'deny', { reason: 'No' })
    asks = false
    const resumed = await resumeTurn(guarded, messages)
    if (resumed.status !== 'ready') throw new Error('still waiting')
    const { told } = await generate(guarded, resumed.messages, [{ says: 'done' }])
    expect(ran).toEqual([])
    expect(told[0]?.text).toMatch(/denied by a person and did not run\. Reason: No\./)
  },
)

promise(
  ['CS-SDK-7', 'CF-29'],
  'a tool without execute passes only where it is allowed',
  async () => {
    const { gate } = await world()
    const bare = tool({ inputSchema: AMOUNT })
    expect(() => guardTools(gate, { pay: bare }, { run: 'r' })).toThrow(/has no execute/)
    expect(() => guardTools(gate, { nuke: bare }, { run: 'r' })).toThrow(/has no execute/)
    expect(guardTools(gate, { locate: bare }, { run: 'r' }).locate).toBe(bare)
    const far = await world(overHttp)
    expect(() => guardTools(far.gate, { pay: bare }, { run: 'r' })).toThrow(/has no execute/)
    expect(guardTools(far.gate, { locate: bare }, { run: 'r' }).locate).toBe(bare)
  },
)

test('tools are not guarded without a gate or a run', async () => {
  const { gate } = await world()
  expect(() => guardTools(gate, {}, { run: '' })).toThrow(/none is named/)
  expect(() => guardTools({} as never, {}, { run: 'r' })).toThrow(/without a gate/)
  expect(() => guardTools(gate, {}, { run: 'r', mode: 'hope' as never })).toThrow(/no way to wait/)
})

test('a tool that streams gives its last value, and one that fails says so', async () => {
  const { gate } = await world()
  const guarded = guardTools(
    gate,
    {
      stream: tool({
        inputSchema: AMOUNT,
        async *execute() {
          yield 'half'
          yield 'all'
        },
      }),
      fail: tool({
        inputSchema: AMOUNT,
        execute: async (): Promise<string> => {
          throw new Error('no money')
        },
      }),
    },
    { run: 'chat-1' },
  )
  const script = turn(call('c1', 'stream', 1), call('c2', 'fail', 1))
  const { told } = await generate(guarded, GO, script)
  expect(told.map(({ text }) => text)).toEqual(['all', expect.stringContaining('no money')])
})

test('changed arguments that do not fit the schema are not run', async () => {
  const own = await world()
  const ran: number[] = []
  const guarded = guardTools(own.gate, tools(ran), { run: 'chat-1' })
  const { messages } = await generate(guarded, GO, turn(call('c1', 'pay', 1)))
  const [one] = await waiting(own, 1)
  await say(own, one, 'approve', { args: { amount: 'lots' } })
  const resumed = await resumeTurn(guarded, messages)
  if (resumed.status !== 'ready') throw new Error('still waiting')
  const { told } = await generate(guarded, resumed.messages, [{ says: 'done' }])
  expect(ran).toEqual([])
  expect(told[0]?.text).toMatch(/do not fit its schema/)
})

promise(['CF-19', 'CF-24', 'CS-SDK-1'], 'a yes in the chat alone runs nothing', async () => {
  const own = await world()
  const ran: number[] = []
  const guarded = guardTools(own.gate, tools(ran), { run: 'chat-1' })
  const chat = new Chat(guarded, [{ calls: [call('c1', 'pay', 1)] }, { says: 'ok' }])
  await chat.sendMessage({ text: 'pay' })
  expect(partOf(chat)?.state).toBe('approval-requested')
  await chat.addToolApprovalResponse({ id: partOf(chat)?.approval?.id ?? '', approved: true })
  await vi.waitFor(() => expect(chat.model.doStreamCalls).toHaveLength(2))
  expect(ran).toEqual([])
  await waiting(own, 1)
})

promise(['CF-22', 'CF-26'], 'a denial in the chat ends the call, and so does a text', async () => {
  const own = await world()
  const guarded = guardTools(own.gate, tools([]), { run: 'chat-1' })
  const script: ModelTurn[] = [{ calls: [call('c1', 'pay', 1)] }, { says: 'ok' }]
  const denied = new Chat(guarded, script)
  await denied.sendMessage({ text: 'pay' })
  await denied.addToolApprovalResponse({ id: partOf(denied)?.approval?.id ?? '', approved: false })
  await vi.waitFor(() => expect(denied.model.doStreamCalls).toHaveLength(2))
  expect(partOf(denied)?.state).toBe('output-denied')
  const answered = new Chat(guardTools(own.gate, tools([]), { run: 'chat-2' }), script)
  await answered.sendMessage({ text: 'pay' })
  await answered.addToolOutput({
    tool: 'pay',
    toolCallId: 'c1',
    state: 'output-error',
    errorText: 'Ask my boss first.',
  })
  expect(partOf(answered)).toMatchObject({ state: 'output-error', errorText: 'Ask my boss first.' })
  expect(answered.model.doStreamCalls).toHaveLength(1)
})

promise.each(
  ['CF-27'],
  'a page can end a call with an output of its own, the turn goes on with it, and nothing runs by it',
  [
    ['input-available', 'locate'],
    ['approval-requested', 'pay'],
    ['approval-responded', 'pay'],
  ] as const,
  async (state, name) => {
    const own = await world()
    const ran: number[] = []
    const bare = { ...tools(ran), locate: tool({ inputSchema: AMOUNT }) }
    const guarded = guardTools(own.gate, bare, { run: 'chat-1' })
    // A second one that stays open, so that the page does not go on by itself.
    const chat = new Chat(guarded, [{ calls: [call('c1', name, 1), call('c2', 'pay', 2)] }])
    await chat.sendMessage({ text: 'pay' })
    const part = () => {
      const parts = chat.messages.flatMap((message) => message.parts)
      return parts.find((one) => 'toolCallId' in one && one.toolCallId === 'c1') as {
        readonly state: string
        readonly approval?: { readonly id: string }
      }
    }
    if (state === 'approval-responded') {
      await chat.addToolApprovalResponse({ id: part().approval?.id ?? '', approved: true })
    }
    expect(part().state).toBe(state)
    await chat.addToolOutput({ tool: name, toolCallId: 'c1', output: 'done by hand' })
    expect(part()).toMatchObject({ state: 'output-available', output: 'done by hand' })
    expect(ran).toEqual([])
    // The other call keeps the turn waiting, and the one that was ended does not.
    const sent = await convertToModelMessages(chat.messages, { tools: guarded })
    expect(await resumeTurn(guarded, sent)).toMatchObject({
      status: 'waiting',
      waiting: [{ toolCallId: 'c2' }],
    })
    // Also when people approve the ended one afterwards, it does not run.
    const { approvals } = await own.approvals.list({ status: ['pending'] })
    for (const one of approvals) await say(own, one, 'approve')
    const ready = await resumeTurn(guarded, sent)
    if (ready.status !== 'ready') throw new Error('still waiting')
    const { told } = await generate(guarded, ready.messages, [{ says: 'done' }])
    expect(ran).toEqual([2])
    expect(told.find(({ id }) => id === 'c1')?.text).toBe('done by hand')
  },
)

promise.each(
  ['CF-28'],
  'a loop of so many steps stays one, also when it waits in between',
  [
    ['counted over the pause', 3, [2, 1], [1, 2, 3]],
    ['of one more step', 4, [2, 2], [1, 2, 3, 4]],
    ['used up at the pause: going on makes one step', 2, [2, 1], [1, 2, 3]],
  ] as [string, number, [number, number], number[]][],
  async (_name, bound, [before, after], expected) => {
    const own = await world()
    const ran: number[] = []
    const guarded = guardTools(own.gate, { ...tools(ran), read: tools(ran).pay } as ToolSet, {
      run: 'chat-1',
    })
    const script: ModelTurn[] = [
      { calls: [call('r1', 'read', 1)] },
      { calls: [call('c1', 'pay', 2)] },
      ...[3, 4, 5, 6].map((n) => ({ calls: [call(`r${n}`, 'read', n)] })),
    ]
    const model = scriptedModel(script)
    const go = (messages: ModelMessage[]) =>
      generateText({
        model,
        tools: guarded,
        messages,
        stopWhen: isTurnStepCount(bound, messages),
      })
    const first = await go(GO)
    expect(first.steps).toHaveLength(before)
    const [one] = await waiting(own, 1)
    await say(own, one, 'approve')
    const resumed = await resumeTurn(guarded, [...GO, ...first.responseMessages])
    if (resumed.status !== 'ready') throw new Error('still waiting')
    const second = await go(resumed.messages)
    expect(second.steps).toHaveLength(after)
    expect(model.doGenerateCalls).toHaveLength(before + after)
    expect(ran).toEqual(expected)
  },
)
