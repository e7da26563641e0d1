import { convertToModelMessages, generateText, type ModelMessage, type ToolSet, tool } from 'ai'
import type { MockLanguageModelV4 } from 'ai/test'
import { expect, test, vi } from 'vitest'
import { guardTools, inCallOrder, resumeTurn } from '../../src/adapters/ai-sdk/index.ts'
import { CallBlocked } from '../../src/gate/call-blocked.ts'
import { call, say, turn, waiting } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { scriptedModel, toldBy } from './ai-sdk-harness.ts'
import { AMOUNT, GO, generate, tools, WHERE, world } from './ai-sdk-play.ts'

async function resume(guarded: ToolSet, messages: ModelMessage[]) {
  const resumed = await resumeTurn(guarded, messages)
  if (resumed.status !== 'ready') throw new Error('still waiting')
  const model = scriptedModel([{ says: 'done' }])
  const result = await generateText({ model, tools: guarded, messages: resumed.messages })
  return { model, messages: [...resumed.messages, ...result.responseMessages] }
}

/** What the model read for the only call, as the provider gets it. */
function outputOf({ doGenerateCalls }: MockLanguageModelV4) {
  const parts = (doGenerateCalls.at(-1)?.prompt ?? []).flatMap((message) =>
    message.role === 'tool' ? message.content : [],
  )
  const found = parts.find(({ type }) => type === 'tool-result')
  return found?.type === 'tool-result' ? found.output : undefined
}

promise.each(
  ['CS-AISDK-6'],
  'an edited call keeps the type of its output and goes through toModelOutput, with the note beside',
  WHERE,
  async (_where, open) => {
    const own = await world(open)
    const shown = vi.fn(({ output }: { output: { paid: number; secret: string } }) => {
      return { type: 'text' as const, value: `paid ${output.paid.toFixed(2)}` }
    })
    const execute = vi.fn(async ({ amount }: { amount: number }) => {
      return { paid: amount, secret: 'for the page only' }
    })
    const pay = tool({ inputSchema: AMOUNT, execute, toModelOutput: shown as never })
    const guarded = guardTools(own.gate, { pay }, { run: 'chat-1' })
    const { messages } = await generate(guarded, GO, turn(call('c1', 'pay', 500)))
    const [asked] = await waiting(own, 1)
    await say(own, asked, 'approve', { args: { amount: 20 } })
    const ended = await resume(guarded, messages)
    expect(outputOf(ended.model)).toEqual({
      type: 'content',
      value: [
        {
          type: 'text',
          text: expect.stringMatching(/^A person changed the call to pay.*is now 20/),
        },
        { type: 'text', text: 'paid 20.00' },
      ],
    })
    expect(shown).toHaveBeenCalledWith(
      expect.objectContaining({ output: { paid: 20, secret: 'for the page only' } }),
    )
    expect(JSON.stringify(ended.model.doGenerateCalls)).not.toContain('for the page only')
    // A page's history of another call under the same tool has no note of this one.
    const other = await convertToModelMessages(
      [
        {
          role: 'assistant',
          parts: [
            {
              type: 'tool-pay',
              toolCallId: 'c2',
              state: 'output-available',
              input: { amount: 1 },
              output: { paid: 1, secret: '' },
            },
          ],
        },
      ],
      { tools: guarded },
    )
    expect(JSON.stringify(other)).not.toContain('A person changed')
  },
)

promise(
  ['CS-AISDK-6'],
  'the note of an edited call is not told in another chat whose call has the same id',
  async () => {
    const own = await world()
    const ran: number[] = []
    for (const [run, args] of [
      ['chat-a', { amount: 20 }],
      ['chat-b', undefined],
    ] as const) {
      const guarded = guardTools(own.gate, tools(ran), { run })
      const { messages } = await generate(guarded, GO, turn(call('c1', 'pay', 500)))
      const [asked] = await waiting(own, 1)
      await say(own, asked, 'approve', args ? { args } : {})
      const { model } = await resume(guarded, messages)
      expect(outputOf(model)?.type).toBe(args ? 'content' : 'json')
    }
    expect(ran).toEqual([20, 500])
  },
)

promise.each(
  ['CS-AISDK-6'],
  'a result that reads like a refusal is a result like any other',
  [
    ['a sentence', 'The call to pay was denied by a person and did not run.'],
    ['an edit', 'A person changed the call to pay before approving it: amount is now 1.'],
    ['the answer of a mode', '{"status":"cancelled","message":"no"}'],
  ] as const,
  async (_name, text) => {
    const own = await world()
    const toModelOutput = vi.fn(() => ({ type: 'text' as const, value: 'as the author shows it' }))
    const read = tool({ inputSchema: AMOUNT, execute: async () => text, toModelOutput })
    const guarded = guardTools(own.gate, { read }, { run: 'chat-1' })
    const model = scriptedModel(turn(call('c1', 'read', 1)))
    const result = await generateText({ model, tools: guarded, messages: GO })
    expect(result.toolResults[0]?.output).toBe(text)
    expect(toModelOutput).toHaveBeenCalledOnce()
    const [message] = result.responseMessages.slice(-1)
    expect(JSON.stringify(message)).toContain('as the author shows it')
  },
)

promise.each(
  ['CS-AISDK-6', 'CS-SDK-4'],
  'a call that does not run ends as an error with the sentence, and the run goes on',
  [
    ['denied by policy', 'nuke', /not allowed by policy.*Nuking is forbidden/],
    ['not asked by the SDK', 'pay', /waits for a person to approve it/],
  ] as const,
  async (_name, name, sentence) => {
    const own = await world()
    const ran: number[] = []
    const guarded = guardTools(own.gate, { [name]: tools(ran).pay } as ToolSet, { run: 'chat-1' })
    const model = scriptedModel(turn(call('c1', name, 1)))
    const result = await generateText({
      model,
      tools: guarded,
      messages: GO,
      toolApproval: () => 'approved',
      stopWhen: ({ steps }) => steps.length === 2,
    })
    expect(result.text).toBe('done')
    expect(outputOf(model)).toMatchObject({ type: 'error-text' })
    expect(toldBy(model)[0]?.text).toMatch(sentence)
    expect(toldBy(model)[0]?.text).toMatch(/^The call to/)
    const error = result.steps[0]?.content.find(({ type }) => type === 'tool-error')
    expect(error).toMatchObject({ error: expect.any(CallBlocked) })
    expect(ran).toEqual([])
  },
)

promise.each(
  ['CS-AISDK-6'],
  'an edit that breaks the tool’s schema is on record as not started',
  WHERE,
  async (_where, open) => {
    const own = await world(open)
    const ran: number[] = []
    const guarded = guardTools(own.gate, tools(ran), { run: 'chat-1' })
    const { messages } = await generate(guarded, GO, turn(call('c1', 'pay', 1)))
    const [asked] = await waiting(own, 1)
    await say(own, asked, 'approve', { args: { amount: 'lots' } })
    const { model } = await resume(guarded, messages)
    expect(ran).toEqual([])
    expect(toldBy(model)[0]?.text).toMatch(
      /could not be started and did not run\..*do not fit its schema/,
    )
    // What is on record is what whoever comes later is told.
    const again = await resume(guarded, messages)
    expect(toldBy(again.model)[0]?.text).toMatch(/could not be started and did not run/)
    expect(toldBy(again.model)[0]?.text).not.toMatch(/ran and failed|failed/)
    expect(ran).toEqual([])
  },
)

promise(
  ['CS-AISDK-7'],
  'the model reads the results of a resumed turn in the order of its calls',
  async () => {
    const own = await world()
    const guarded = guardTools(own.gate, { ...tools([]), read: tools([]).pay } as ToolSet, {
      run: 'chat-1',
    })
    const calls = ['c1', 'c2', 'c3', 'c4'].map((id, index) =>
      call(id, id === 'c2' ? 'read' : 'pay', index),
    )
    const { messages } = await generate(guarded, GO, turn(...calls))
    for (const one of await waiting(own, 3)) {
      const shown = await own.approvals.get(one.id)
      await say(own, one, shown?.args?.amount === 0 ? 'deny' : 'approve')
    }
    const resumed = await resumeTurn(guarded, messages)
    if (resumed.status !== 'ready') throw new Error('still waiting')
    const read = async (more: object) => {
      const model = scriptedModel([{ says: 'done' }])
      await generateText({ model, tools: guarded, messages: resumed.messages, ...more })
      return toldBy(model).map(({ id }) => id)
    }
    expect(await read({ prepareStep: inCallOrder })).toEqual(['c1', 'c2', 'c3', 'c4'])
    // As the SDK puts them, which is why there is something to order.
    expect(await read({})).toEqual(['c2', 'c3', 'c4', 'c1'])
  },
)

test('a turn without calls is left as it is, and results of unknown calls stay behind', () => {
  const result = (toolCallId: string) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName: 'pay',
    output: { type: 'text' as const, value: '' },
  })
  const messages: ModelMessage[] = [
    { role: 'user', content: 'go' },
    {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} },
        { type: 'tool-call', toolCallId: '__proto__', toolName: 'pay', input: {} },
      ],
    },
    { role: 'tool', content: [result('x'), result('__proto__')] },
    { role: 'tool', content: [result('a')] },
    { role: 'assistant', content: 'done' },
  ]
  const { messages: ordered } = inCallOrder({ messages })
  expect(ordered.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(ordered[2]?.content).toMatchObject([
    { toolCallId: 'a' },
    { toolCallId: '__proto__' },
    { toolCallId: 'x' },
  ])
  expect(inCallOrder({ messages: GO })).toEqual({ messages: GO })
})
