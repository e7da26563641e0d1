import { convertToModelMessages, type ModelMessage, type ToolSet, tool, type UIMessage } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { resumeTurn } from '../../src/adapters/ai-sdk/resume-turn.ts'
import { showTurn } from '../../src/adapters/ai-sdk/show-turn.ts'
import { call, say, turn, uma, waiting } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { Chat, GO, generate, partOf, tools, world } from './ai-sdk-play.ts'
import { overHttp } from './worlds.ts'

promise(['CS-SDK-3'], 'what a page sends back counts with an authenticated person', async () => {
  const own = await world()
  const ran: number[] = []
  const guarded = guardTools(own.gate, tools(ran), { run: 'chat-1' })
  const chat = new Chat(guarded, [{ calls: [call('c1', 'pay', 1)] }])
  await chat.sendMessage({ text: 'pay' })
  const [message] = chat.messages.slice(-1)
  const parts = message?.parts.map((part) =>
    part.type === 'tool-pay'
      ? {
          ...part,
          state: 'approval-responded',
          approval: { id: partOf(chat)?.approval?.id, approved: true },
        }
      : part,
  )
  const sent = [...chat.messages.slice(0, -1), { ...message, parts }] as UIMessage[]
  const messages = await convertToModelMessages(sent)
  expect(await resumeTurn(guarded, messages)).toMatchObject({ status: 'waiting' })
  const { approvals } = own
  expect(
    await resumeTurn(guarded, messages, { by: { ...uma, subject: 'eve' }, approvals }),
  ).toMatchObject({
    status: 'waiting',
  })
  const ready = await resumeTurn(guarded, messages, { by: uma, approvals })
  if (ready.status !== 'ready') throw new Error('still waiting')
  await generate(guarded, ready.messages, [{ says: 'done' }])
  expect(ran).toEqual([1])
})

promise.each(
  ['CF-21', 'CS-SDK-3'],
  'an answer in the chat counts for what the card showed, and for nothing else',
  [
    ['what was shown', (digest: string) => ({ c1: digest }), [1]],
    ['another digest', () => ({ c1: '0'.repeat(64) }), []],
    ['of another call', (digest: string) => ({ c2: digest }), []],
    ['nothing', () => ({}), []],
    ['no text', () => ({ c1: 1 }), []],
    ['an inherited name', () => Object.create({ c1: 'x' }), []],
  ] as [string, (digest: string) => Record<string, string>, number[]][],
  async (_name, seenOf, expected) => {
    const own = await world()
    const { approvals } = own
    const ran: number[] = []
    const guarded = guardTools(own.gate, tools(ran), { run: 'chat-1' })
    const messages = await answeredIn(guarded, true)
    const [shown] = await showTurn(guarded, messages, { by: uma, approvals })
    expect(shown).toMatchObject({ here: true, digest: expect.any(String) })
    const seen = seenOf(shown?.digest ?? '')
    const turned = await resumeTurn(guarded, messages, { by: uma, approvals, seen })
    if (turned.status === 'ready') await generate(guarded, turned.messages, [{ says: 'done' }])
    expect(ran).toEqual(expected)
    await waiting(own, expected.length === 0 ? 1 : 0)
  },
)

promise(['CF-21'], 'over HTTP too a page is told the digest of what it shows', async () => {
  const own = await world(overHttp)
  const guarded = guardTools(own.gate, tools([]), { run: 'chat-1' })
  const { messages } = await generate(guarded, GO, turn(call('c1', 'pay', 1)))
  const [asked] = await waiting(own, 1)
  expect(await showTurn(guarded, messages)).toMatchObject([{ digest: asked?.digest }])
})

/** A chat's history in which somebody answered the only call that waits. */
async function answeredIn(guarded: ToolSet, approved: boolean): Promise<ModelMessage[]> {
  const chat = new Chat(guarded, [{ calls: [call('c1', 'pay', 1)] }])
  await chat.sendMessage({ text: 'pay' })
  const parts = chat.lastMessage?.parts.map((part) =>
    part.type === 'tool-pay'
      ? {
          ...part,
          state: 'approval-responded',
          approval: { id: partOf(chat)?.approval?.id, approved },
        }
      : part,
  )
  const messages = [...chat.messages.slice(0, -1), { ...chat.lastMessage, parts }] as UIMessage[]
  return convertToModelMessages(messages)
}

promise(
  ['CF-24', 'CS-SDK-3'],
  'a no in the chat is written down for whoever may say it',
  async () => {
    const own = await world()
    const { approvals } = own
    const guarded = guardTools(own.gate, tools([]), { run: 'chat-1' })
    const messages = await answeredIn(guarded, false)
    // Of somebody nobody knows it ends the call here, and the question stays.
    const unknown = await resumeTurn(guarded, messages)
    if (unknown.status !== 'ready') throw new Error('still waiting')
    await waiting(own, 1)
    const denied = await resumeTurn(guarded, messages, { by: uma, approvals })
    if (denied.status !== 'ready') throw new Error('still waiting')
    await waiting(own, 0)
    const { told } = await generate(guarded, denied.messages, [{ says: 'ok' }])
    expect(told).toEqual([{ id: 'c1', text: expect.stringMatching(/denied by a person/) }])
  },
)

test('what a page is shown of a call over HTTP is masked, and nothing can be answered there', async () => {
  const own = await world(overHttp)
  const SECRET = 'sk-live-0123456789abcdef'
  const guarded = guardTools(
    own.gate,
    { pay: tool({ inputSchema: z.looseObject({}), execute: async () => 'paid' }) },
    { run: 'chat-1' },
  )
  const args = { amount: 1, api_key: SECRET }
  const { messages } = await generate(guarded, GO, [{ calls: [{ id: 'c1', tool: 'pay', args }] }])
  const shown = await showTurn(guarded, messages, { by: uma, inbox: 'https://sign.example' })
  expect(shown).toMatchObject([
    {
      toolCallId: 'c1',
      status: 'waiting',
      here: false,
      question: 'Run pay with these arguments?',
      inbox: expect.stringMatching(/^https:\/\/sign\.example\/approvals\/\w+$/),
    },
  ])
  expect(JSON.stringify(shown)).not.toContain(SECRET)
  const [asked] = await waiting(own, 1)
  await say(own, asked, 'approve')
  expect(await showTurn(guarded, messages)).toMatchObject([{ status: 'approved' }])
})
