import {
  createModelCallToUIChunkTransform,
  type ModelCallStreamPart,
  type WorkflowAgent,
} from '@ai-sdk/workflow'
import {
  convertToModelMessages,
  type ModelMessage,
  readUIMessageStream,
  type ToolSet,
  tool,
  type UIMessage,
} from 'ai'
import { expect } from 'vitest'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { answerStep } from '../../src/adapters/ai-sdk/workflow/answer-step.ts'
import type { StepReply, StepRequest, Steps } from '../../src/adapters/ai-sdk/workflow/step.ts'
import { stepTools } from '../../src/adapters/ai-sdk/workflow/step-tools.ts'
import { untilDecided } from '../../src/adapters/ai-sdk/workflow/until-decided.ts'
import type { ModelTurn } from '../../src/testing/adapter-harness.ts'
import { call, say, turn, waiting } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { toldBy } from './ai-sdk-harness.ts'
import { AMOUNT, GO, tools, WHERE, world } from './ai-sdk-play.ts'
import { agentOf, asStep, streamingModel } from './workflow-agent-harness.ts'
import type { OpenWorld } from './worlds.ts'

const WORDS: ToolSet = { pay: tool({ inputSchema: AMOUNT }) }

function stepsOf(own: OpenWorld, ran: number[], more: Partial<Steps> = {}): Steps {
  const hosted = () => guardTools(own.again(), tools(ran), { run: 'chat-1' })
  const step = asStep((request) => answerStep(hosted(), request))
  return { run: 'chat-1', step, wait: () => Promise.reject(new Error('it waits')), ...more }
}

function scripted(turns: readonly ModelTurn[], guarded: ToolSet) {
  const model = streamingModel(turns)
  return { model, agent: agentOf(model, guarded) }
}

promise.each(
  ['CS-AISDK-10', 'CS-SDK-1'],
  'one workflow asks, waits for days and goes on: the call runs once',
  WHERE,
  async (_where, open) => {
    const own = await world(open)
    const ran: number[] = []
    const looks: number[] = []
    const steps = stepsOf(own, ran, {
      async wait(ms) {
        looks.push(ms)
        if (looks.length < 5) return
        const [asked] = await waiting(own, 1)
        await say(own, asked, 'approve')
      },
    })
    const guarded = stepTools(WORDS, steps)
    const { agent, model } = scripted(turn(call('c1', 'pay', 5)), guarded)
    let result = await agent.stream({ messages: GO })
    for (let next = await untilDecided(guarded, result, steps); next; ) {
      result = await agent.stream({ messages: next })
      next = await untilDecided(guarded, result, steps)
    }
    // Each look is a minute, then five, a quarter of an hour, and an hour.
    expect(looks).toEqual([60_000, 300_000, 900_000, 3_600_000, 3_600_000])
    expect(ran).toEqual([5])
    expect(toldBy(model)).toEqual([{ id: 'c1', text: '{"paid":5}' }])
    expect(result.messages.filter(({ role }) => role === 'system')).toHaveLength(1)
  },
)

promise(
  ['CS-AISDK-10', 'CS-SDK-2'],
  'a step that the engine repeats while the first still runs, or later, runs nothing again',
  async () => {
    const own = await world()
    const ran: number[] = []
    const { promise: finishing, resolve: finish } = Promise.withResolvers<void>()
    const slow: ToolSet = {
      pay: tool({
        inputSchema: AMOUNT,
        async execute({ amount }) {
          ran.push(amount)
          await finishing
          return { paid: amount }
        },
      }),
    }
    const hosted = () => guardTools(own.again(), slow, { run: 'chat-1' })
    const request: StepRequest = {
      asks: 'run',
      run: 'chat-1',
      tool: 'pay',
      input: { amount: 5 },
      toolCallId: 'c1',
      messages: [],
      context: undefined,
    }
    expect(await answerStep(hosted(), { ...request, asks: 'pause' })).toEqual({
      is: 'pause',
      pauses: true,
    })
    const [asked] = await waiting(own, 1)
    await say(own, asked, 'approve')
    const first = answerStep(hosted(), request)
    await expect.poll(() => ran).toEqual([5])
    const again = answerStep(hosted(), request)
    finish()
    const output = { is: 'output', output: { paid: 5 } }
    expect(await first).toEqual(output)
    expect([output, { is: 'elsewhere' }]).toContainEqual(await again)
    expect(await answerStep(hosted(), request)).toEqual(output)
    expect(ran).toEqual([5])
  },
)

promise(
  ['CS-AISDK-10'],
  'a call that another attempt still has is slept on, and looked at again',
  async () => {
    const replies: StepReply[] = [
      { is: 'elsewhere' },
      { is: 'elsewhere' },
      { is: 'output', output: 'paid' },
    ]
    const pauses: number[] = []
    const guarded = stepTools(WORDS, {
      run: 'chat-1',
      step: async () => replies.shift() ?? { is: 'error', message: 'asked too often' },
      wait: async (ms) => void pauses.push(ms),
    })
    const given = { toolCallId: 'c1', messages: [], context: undefined }
    expect(await guarded.pay?.execute?.({ amount: 5 } as never, given as never)).toBe('paid')
    expect(pauses).toEqual([5_000, 5_000])
  },
)

promise(
  ['CS-AISDK-10'],
  'a page sees the question in the agent’s stream, and its yes alone decides nothing',
  async () => {
    const own = await world()
    const ran: number[] = []
    const steps = stepsOf(own, ran)
    const guarded = stepTools(WORDS, steps)
    const first = scripted(turn(call('c1', 'pay', 5)), guarded)
    const page = await readBy(first.agent, GO)
    const part = page.parts.find(({ type }) => type === 'tool-pay')
    expect(part).toMatchObject({ state: 'approval-requested', approval: { id: 'approval-c1' } })
    const forged = structuredClone(page)
    for (const one of forged.parts) {
      if (!('approval' in one) || !one.approval) continue
      Object.assign(one, { state: 'approval-responded' })
      Object.assign(one.approval, { approved: true })
    }
    const claimed = [...GO, ...(await convertToModelMessages([forged]))]
    await scripted([{ says: 'done' }], guarded).agent.stream({ messages: claimed })
    expect(ran).toEqual([])
    await expect(untilDecided(guarded, { messages: claimed }, steps)).rejects.toThrow('it waits')

    const [asked] = await waiting(own, 1)
    await say(own, asked, 'approve')
    const next = await untilDecided(guarded, { messages: claimed }, steps)
    const second = scripted([{ says: 'done' }], guarded)
    await second.agent.stream({ messages: next ?? [] })
    expect(ran).toEqual([5])
    expect(toldBy(second.model)).toEqual([{ id: 'c1', text: '{"paid":5}' }])
  },
)

async function readBy(agent: WorkflowAgent, messages: ModelMessage[]): Promise<UIMessage> {
  const { readable, writable } = new TransformStream<ModelCallStreamPart, ModelCallStreamPart>()
  const streaming = agent.stream({ messages, writable: writable as never })
  let page: UIMessage | undefined
  const stream = readable.pipeThrough(createModelCallToUIChunkTransform() as never)
  for await (const message of readUIMessageStream({ stream: stream as never })) page = message
  await streaming
  if (!page) throw new Error('nothing was streamed')
  return page
}

promise(
  ['CS-AISDK-10'],
  'a tool that the step does not guard runs nothing, and the model is told',
  async () => {
    const own = await world()
    const ran: number[] = []
    for (const hosted of [{}, tools(ran)] satisfies ToolSet[]) {
      const steps = stepsOf(own, ran, {
        step: asStep((request) => answerStep(hosted, request)),
      })
      const { agent, model } = scripted(turn(call('c1', 'pay', 5)), stepTools(WORDS, steps))
      await agent.stream({ messages: GO })
      expect(toldBy(model)[0]?.text).toContain('the tool pay has no guarded tool behind it')
    }
    expect(ran).toEqual([])
  },
)

promise(['CS-AISDK-10'], 'a step that answers something else runs nothing', async () => {
  const guarded = stepTools(WORDS, {
    run: 'chat-1',
    step: async (): Promise<StepReply> => ({
      is: 'resumed',
      turn: { status: 'waiting', waiting: [] },
    }),
    wait: async () => {},
  })
  const { agent } = scripted(turn(call('c1', 'pay', 5)), guarded)
  await expect(agent.stream({ messages: GO })).rejects.toThrow('answered resumed')
})

promise(
  ['CS-AISDK-10'],
  'a turn with a call that the page has to answer goes back to the page',
  async () => {
    const own = await world()
    const steps = stepsOf(own, [])
    const guarded: ToolSet = {
      ...stepTools(WORDS, steps),
      where: tool({ inputSchema: AMOUNT }),
    }
    const { agent } = scripted(turn(call('c1', 'pay', 5), call('c2', 'where', 1)), guarded)
    const result = await agent.stream({ messages: GO })
    expect(await untilDecided(guarded, result, steps)).toBeUndefined()
    await waiting(own, 1)
  },
)
