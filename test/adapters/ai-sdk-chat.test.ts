import {
  convertToModelMessages,
  isStepCount,
  streamText,
  type ToolSet,
  tool,
  toUIMessageStream,
  type UIMessage,
  validateUIMessages,
} from 'ai'
import { MockLanguageModelV4 } from 'ai/test'
import { expect } from 'vitest'
import { z } from 'zod'
import {
  blockedText,
  completeApprovals,
  guardTools,
  resumeTurn,
  withAnswers,
} from '../../src/adapters/ai-sdk/index.ts'
import type { ModelTurn } from '../../src/testing/adapter-harness.ts'
import { call, say, turn, uma, waiting } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { AMOUNT, Chat, partOf, streamOf, WHERE, world } from './ai-sdk-play.ts'
import type { OpenWorld } from './worlds.ts'

const PAID = z.object({ receipt: z.string() })

/** Tools whose output is typed and validated, as a page that reads it needs it. */
function typed(ran: number[]): ToolSet {
  const pay = tool({
    inputSchema: AMOUNT,
    outputSchema: PAID,
    execute: async ({ amount }) => {
      ran.push(amount)
      return { receipt: `r-${amount}` }
    },
  })
  return { pay, nuke: pay }
}

const ASK: UIMessage[] = [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'pay' }] }]

/** What the guide's route does: resume, stream, and keep the chat. */
async function route(tools: ToolSet, chat: UIMessage[], script: readonly ModelTurn[]) {
  let next = 0
  const model = new MockLanguageModelV4({
    doStream: async () => ({ stream: streamOf(script[next++]) }),
  })
  const resumed = await resumeTurn(tools, await convertToModelMessages(chat, { tools }))
  if (resumed.status !== 'ready') throw new Error('still waiting')
  const { messages } = resumed
  const result = streamText({ model, tools, messages, stopWhen: isStepCount(5) })
  let saved: UIMessage[] = []
  const stream = toUIMessageStream({
    stream: withAnswers(resumed, result.stream),
    originalMessages: chat,
    onError: blockedText,
    onEnd({ messages: all }) {
      saved = all
    },
  })
  for await (const _ of stream as unknown as AsyncIterable<unknown>);
  return saved
}

function payIn(chat: readonly UIMessage[]) {
  const part = chat.flatMap(({ parts }) => parts).find(({ type }) => /^tool-/.test(type))
  return part as { state: string; approval?: object; output?: unknown; errorText?: string }
}

/** The chat as a database gives it back. */
function loaded(chat: readonly UIMessage[], tools: ToolSet): Promise<UIMessage[]> {
  return validateUIMessages({ messages: JSON.parse(JSON.stringify(chat)), tools: tools as never })
}

const PATHS: Readonly<
  Record<string, { answer(own: OpenWorld): Promise<void>; ends: object; ran: readonly number[] }>
> = {
  approved: {
    answer: async (own) => say(own, (await waiting(own, 1))[0], 'approve'),
    ends: {
      state: 'output-available',
      output: { receipt: 'r-5' },
      approval: { id: expect.any(String), approved: true },
    },
    ran: [5],
  },
  edited: {
    answer: async (own) => {
      const [asked] = await waiting(own, 1)
      await say(own, asked, 'approve', { args: { amount: 3 } })
    },
    ends: {
      state: 'output-available',
      output: { receipt: 'r-3' },
      approval: { id: expect.any(String), approved: true },
    },
    ran: [3],
  },
  denied: {
    answer: async (own) => say(own, (await waiting(own, 1))[0], 'deny', { reason: 'No' }),
    ends: {
      state: 'output-denied',
      approval: {
        id: expect.any(String),
        approved: false,
        reason: expect.stringMatching(/denied by a person and did not run\. Reason: No\./),
      },
    },
    ran: [],
  },
  expired: {
    answer: (own) => own.pass(2 * 3_600_000),
    ends: {
      state: 'output-denied',
      approval: {
        id: expect.any(String),
        approved: false,
        reason: expect.stringMatching(/not answered by anyone in time/),
      },
    },
    ran: [],
  },
  'edited so that it fits no more': {
    answer: async (own) => {
      const [asked] = await waiting(own, 1)
      await say(own, asked, 'approve', { args: { amount: 'lots' } })
    },
    ends: {
      state: 'output-error',
      errorText: expect.stringMatching(/could not be started and did not run/),
      approval: { id: expect.any(String), approved: true },
    },
    ran: [],
  },
}

promise.each(
  ['CS-AISDK-5', 'CS-AISDK-6'],
  'a chat can be loaded again after a call that was',
  Object.entries(PATHS).flatMap(([name, path]) =>
    WHERE.map(([where, open]): [string, typeof path, typeof open] => [
      `${name}, ${where}`,
      path,
      open,
    ]),
  ),
  async (_name, { answer, ends, ran: expected }, open) => {
    const own = await world(open)
    const ran: number[] = []
    const tools = guardTools(own.gate, typed(ran), { run: 'chat-1' })
    const paused = await route(tools, ASK, turn(call('c1', 'pay', 5)))
    expect(payIn(paused)).toMatchObject({ state: 'approval-requested' })
    await loaded(paused, tools)
    await answer(own)
    const ended = await route(tools, await loaded(paused, tools), [{ says: 'done' }])
    expect(payIn(ended)).toMatchObject(ends)
    expect(ran).toEqual(expected)
    expect(payIn(await loaded(ended, tools))).toMatchObject(ends)
  },
)

promise(
  ['CS-AISDK-5', 'CS-AISDK-6'],
  'a chat with a call that policy denies can be loaded, and says why',
  async () => {
    const own = await world()
    const ran: number[] = []
    const tools = guardTools(own.gate, typed(ran), { run: 'chat-1' })
    const chat = await route(tools, ASK, turn(call('c1', 'nuke', 5)))
    const ends = {
      state: 'output-error',
      errorText: expect.stringMatching(/^The call to nuke is not allowed by policy/),
    }
    expect(payIn(chat)).toMatchObject(ends)
    expect(payIn(await loaded(chat, tools))).toMatchObject(ends)
    expect(ran).toEqual([])
  },
)

promise.each(
  ['CS-AISDK-5'],
  'an answer in the page itself leaves a chat that can be loaded',
  [
    ['yes', true],
    ['no', false],
  ] as const,
  async (_name, approved) => {
    const own = await world()
    const ran: number[] = []
    const tools = guardTools(own.gate, typed(ran), { run: 'chat-1' })
    const chat = new Chat(tools, turn(call('c1', 'pay', 5)))
    await chat.sendMessage({ text: 'pay' })
    const id = partOf(chat)?.approval?.id ?? ''
    const answered = chat.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        part.type === 'tool-pay'
          ? { ...part, state: 'approval-responded', approval: { id, approved } }
          : part,
      ),
    })) as UIMessage[]
    const { approvals } = own
    const messages = await convertToModelMessages(answered, { tools })
    await resumeTurn(tools, messages, { by: uma, approvals })
    const ended = await route(tools, answered, [{ says: 'done' }])
    expect(payIn(await loaded(ended, tools))).toMatchObject({
      state: approved ? 'output-available' : 'output-denied',
      approval: { id, approved },
    })
  },
)

promise(
  ['CS-AISDK-5', 'CF-27'],
  'an output that a page wrote is not said to be approved, and the chat can be loaded',
  async () => {
    const own = await world()
    const tools = guardTools(own.gate, typed([]), { run: 'chat-1' })
    const chat = new Chat(tools, turn(call('c1', 'pay', 5)))
    await chat.sendMessage({ text: 'pay' })
    await chat.addToolOutput({ tool: 'pay', toolCallId: 'c1', output: { receipt: 'by hand' } })
    const part = payIn(await loaded(chat.messages, tools))
    expect(part).toMatchObject({ state: 'output-available', output: { receipt: 'by hand' } })
    expect(part).not.toHaveProperty('approval')
  },
)

promise.each(
  ['CS-AISDK-5'],
  'a part that was stored without its answer can be completed',
  [
    ['approved', { state: 'output-available', output: { receipt: 'r' } }, true, { approved: true }],
    ['failed', { state: 'output-error', errorText: 'no' }, true, { approved: true }],
    [
      'denied',
      { state: 'output-denied' },
      false,
      { approved: false, reason: 'The call to pay was denied.' },
    ],
    ['denied before', { state: 'output-denied' }, undefined, { approved: false }],
    [
      'of unknown answer',
      { state: 'output-available', output: { receipt: 'r' } },
      undefined,
      undefined,
    ],
  ] as [string, object, boolean | undefined, object | undefined][],
  async (_name, ended, approved, approval) => {
    const own = await world()
    const tools = guardTools(own.gate, typed([]), { run: 'chat-1' })
    const part = {
      type: 'tool-pay',
      toolCallId: 'c1',
      input: { amount: 5 },
      approval: { id: 'a1' },
    }
    const stored = [
      ...ASK,
      { id: 'a1', role: 'assistant', parts: [{ ...part, ...ended }] },
    ] as UIMessage[]
    await expect(loaded(stored, tools)).rejects.toThrow()
    const reason = approved === false ? { reason: 'The call to pay was denied.' } : {}
    const type = 'tool-approval-response'
    const answers =
      approved === undefined ? [] : [{ type, approvalId: 'a1', approved, ...reason } as const]
    const complete = stored.map((message) => completeApprovals(message, { answers }))
    const found = payIn(await loaded(complete, tools))
    expect(found).toMatchObject(ended)
    expect(found.approval).toEqual(approval && { id: 'a1', ...approval })
  },
)
