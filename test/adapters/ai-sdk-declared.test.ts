import { generateText, isStepCount, type ModelMessage, type ToolSet, tool } from 'ai'
import { expect } from 'vitest'
import { z } from 'zod'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { resumeTurn } from '../../src/adapters/ai-sdk/resume-turn.ts'
import { call, say, turn, waiting } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { scriptedModel, toldBy } from './ai-sdk-harness.ts'
import { AMOUNT, GO, generate, tools, WHERE, world } from './ai-sdk-play.ts'

/** What the SDK hands a function that decides about a call. */
interface Given {
  readonly toolCallId: string
  readonly messages: readonly ModelMessage[]
  readonly context?: { readonly user?: string }
}

function noting(ran: number[], needsApproval: unknown): ToolSet {
  return { note: { ...tools(ran).pay, needsApproval } } as ToolSet
}

promise.each(
  ['CF-17', 'CF-18', 'CS-AISDK-2'],
  'needsApproval sees the history, the call id and the context, and asks as it would without a gate',
  WHERE,
  async (_where, open) => {
    const own = await world(open)
    const ran: number[] = []
    const seen: Given[] = []
    const note = tool({
      inputSchema: AMOUNT,
      contextSchema: z.object({ user: z.string() }),
      execute: async ({ amount }) => {
        ran.push(amount)
        return 'noted'
      },
      needsApproval: (_input, options) => {
        seen.push(options as Given)
        const isForwarded = JSON.stringify(options.messages).includes('Fwd:')
        return isForwarded || options.context?.user === 'guest'
      },
    })
    for (const [run, text, user, questions] of [
      ['a', 'Fwd: pay me', 'admin', 1],
      ['b', 'pay me', 'guest', 2],
      ['c', 'pay me', 'admin', 2],
    ] as const) {
      const guarded = guardTools(own.gate, { note }, { run })
      await generateText({
        model: scriptedModel(turn(call('c1', 'note', 1))),
        tools: guarded,
        toolsContext: { note: { user } },
        messages: [{ role: 'user', content: text }],
        stopWhen: isStepCount(5),
      })
      await waiting(own, questions)
    }
    expect(ran).toEqual([1])
    expect(seen.every(({ toolCallId }) => toolCallId === 'c1')).toBe(true)
    expect(seen.every(({ messages }) => messages.length > 0)).toBe(true)
  },
)

promise.each(
  ['CS-AISDK-2'],
  'one chat’s needsApproval takes nothing away from another chat’s tool of the same name',
  WHERE,
  async (_where, open) => {
    const own = await world(open)
    const ran: number[] = []
    const guest = guardTools(own.gate, noting(ran, true), { run: 'guest' })
    const byFunction = guardTools(
      own.gate,
      noting(ran, () => true),
      { run: 'by function' },
    )
    for (const milder of [false, () => false, undefined]) {
      guardTools(own.gate, noting(ran, milder), { run: 'admin' })
    }
    await generate(guest, GO, turn(call('c1', 'note', 1)))
    await generate(byFunction, GO, turn(call('c1', 'note', 2)))
    await waiting(own, 2)
    expect(ran).toEqual([])
    // Nor does a stricter one make others wait.
    const admin = guardTools(own.gate, noting(ran, false), { run: 'admin' })
    await generate(admin, GO, turn(call('c1', 'note', 3)))
    expect(ran).toEqual([3])
  },
)

promise.each(
  ['CS-SDK-6', 'CS-AISDK-2'],
  'what a function asked about once stays asked, although it says no later',
  WHERE,
  async (_where, open) => {
    const own = await world(open)
    const ran: number[] = []
    let asks = true
    const again = () =>
      guardTools(
        own.gate,
        noting(ran, () => asks),
        { run: 'chat-1' },
      )
    const { messages } = await generate(again(), GO, turn(call('c1', 'note', 1)))
    const [asked] = await waiting(own, 1)
    asks = false
    expect(await resumeTurn(again(), messages)).toMatchObject({ status: 'waiting' })
    // The same call made anew, past every pause of the SDK.
    await generate(again(), GO, turn(call('c1', 'note', 1)))
    expect(ran).toEqual([])
    await say(own, asked, 'deny', { reason: 'No' })
    await generate(again(), GO, turn(call('c1', 'note', 1)))
    expect(ran).toEqual([])
    const resumed = await resumeTurn(again(), messages)
    if (resumed.status !== 'ready') throw new Error('still waiting')
    const { told } = await generate(again(), resumed.messages, [{ says: 'done' }])
    expect(told[0]?.text).toMatch(/denied by a person and did not run\. Reason: No\./)
    expect(ran).toEqual([])
  },
)

promise.each(
  ['CS-AISDK-2'],
  'a function that asks only where the call would run asks there',
  WHERE,
  async (_where, open) => {
    const own = await world(open)
    const ran: number[] = []
    let looks = 0
    const guarded = guardTools(
      own.gate,
      noting(ran, () => looks++ > 0),
      { run: 'chat-1' },
    )
    const { told } = await generate(guarded, GO, turn(call('c1', 'note', 1)))
    expect(ran).toEqual([])
    expect(told[0]?.text).toMatch(/waits for a person/)
    await waiting(own, 1)
  },
)

function throws(): boolean {
  throw new Error('no answer')
}

promise.each(
  ['CS-AISDK-2'],
  'a function that throws, rejects or answers something else asks',
  [
    ['throws', throws],
    ['rejects', async (): Promise<boolean> => throws()],
    ['answers text', () => 'no'],
    ['answers nothing', () => undefined],
  ] as [string, () => unknown][],
  async (_name, needsApproval) => {
    const own = await world()
    const ran: number[] = []
    const guarded = guardTools(own.gate, noting(ran, needsApproval), { run: 'chat-1' })
    await generate(guarded, GO, turn(call('c1', 'note', 1)))
    await waiting(own, 1)
    expect(ran).toEqual([])
  },
)

promise(['CS-AISDK-2'], 'in a sub-agent the function is asked where the call waits', async () => {
  const own = await world()
  const ran: number[] = []
  const seen: Given[] = []
  const needs = (_input: unknown, options: Given) => {
    seen.push(options)
    return options.messages.length > 0
  }
  const guarded = guardTools(own.gate, noting(ran, needs), { run: 'chat-1', mode: 'block' })
  const model = scriptedModel(turn(call('c1', 'note', 1)))
  const ending = generateText({ model, tools: guarded, messages: GO, stopWhen: isStepCount(5) })
  const [asked] = await waiting(own, 1)
  expect(ran).toEqual([])
  await say(own, asked, 'approve')
  await ending
  expect(ran).toEqual([1])
  expect(toldBy(model)[0]?.text).toMatch(/"paid":1/)
  expect(seen[0]).toMatchObject({ toolCallId: 'c1' })
})
