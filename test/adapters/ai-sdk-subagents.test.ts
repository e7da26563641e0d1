import { generateText, isStepCount, type ToolSet, tool } from 'ai'
import { expect } from 'vitest'
import { z } from 'zod'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { forSubagent } from '../../src/adapters/ai-sdk/subagent.ts'
import type { ModelTurn } from '../../src/testing/adapter-harness.ts'
import { call, say, turn, waiting } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import type { Options } from './ai-sdk-approval-world.ts'
import { scriptedModel, toldBy } from './ai-sdk-harness.ts'
import { tools, WHERE, world } from './ai-sdk-play.ts'
import type { OpenWorld } from './worlds.ts'

/** A chat whose tools are agents with tools. All inner models number their calls alike. */
function chat(own: OpenWorld, ran: number[], inner: Options = {}): ToolSet {
  return {
    helper: tool({
      inputSchema: z.object({ amount: z.number() }),
      async execute({ amount }, { toolCallId, abortSignal }) {
        const asking = await forSubagent({ run: 'chat-1' }, { toolCallId })
        const model = scriptedModel(turn(call('c1', 'pay', amount)))
        await generateText({
          model,
          tools: guardTools(own.gate, tools(ran), asking),
          prompt: 'go',
          stopWhen: isStepCount(5),
          ...(abortSignal ? { abortSignal } : {}),
          ...inner,
        })
        return toldBy(model)
      },
    }),
  }
}

async function played(guarded: ToolSet, turns: readonly ModelTurn[]) {
  const model = scriptedModel(turns)
  await generateText({ model, tools: guarded, prompt: 'go', stopWhen: isStepCount(5) })
  return toldBy(model)
}

promise.each(
  ['CS-AISDK-9'],
  'two sub-agents that call the same with the same id ask twice, and a yes runs one',
  WHERE,
  async (_where, open) => {
    const own = await world(open)
    const ran: number[] = []
    const ending = played(chat(own, ran), turn(call('n1', 'helper', 7), call('n2', 'helper', 7)))
    const [one, two] = await waiting(own, 2)
    expect(one?.call.run).not.toBe(two?.call.run)
    await say(own, one, 'approve')
    await expect.poll(() => ran).toEqual([7])
    await say(own, two, 'deny', { reason: 'once is enough' })
    const told = (await ending).map(({ text }) => text)
    expect(told.filter((text) => text.includes('once is enough'))).toHaveLength(1)
    expect(ran).toEqual([7])
  },
)

promise(
  ['CS-AISDK-9'],
  'what is answered in the chat of that name is no answer to a sub-agent',
  async () => {
    const own = await world()
    const ran: number[] = []
    const asking = await forSubagent({ run: 'chat' }, { toolCallId: 'a/b' })
    // However a chat and a call are called, no other pair has this run.
    const others = await Promise.all([
      forSubagent({ run: 'chat/a' }, { toolCallId: 'b' }),
      forSubagent({ run: 'chat' }, { toolCallId: 'a%2Fb' }),
    ])
    for (const other of others) expect(other.run).not.toBe(asking.run)
    const outer = guardTools(own.gate, tools(ran), { run: 'chat' })
    const inner = guardTools(own.gate, tools(ran), asking)
    await played(outer, turn(call('c1', 'pay', 3)))
    const [asked] = await waiting(own, 1)
    await say(own, asked, 'approve')
    const leaving = new AbortController()
    const model = scriptedModel(turn(call('c1', 'pay', 3)))
    const ending = generateText({
      model,
      tools: inner,
      prompt: 'go',
      stopWhen: isStepCount(5),
      abortSignal: leaving.signal,
    }).catch(() => undefined)
    await waiting(own, 1)
    leaving.abort()
    await ending
    await waiting(own, 0)
    expect(ran).toEqual([])
  },
)

promise.each(
  ['CS-AISDK-9', 'CS-AISDK-1'],
  'a toolApproval of the sub-agent takes no question away',
  [
    ['approved', 'approved'],
    ['not applicable', 'not-applicable'],
  ] as const,
  async (_name, status) => {
    const own = await world()
    const ran: number[] = []
    const inner = { toolApproval: { pay: status } } as Options
    const ending = played(chat(own, ran, inner), turn(call('n1', 'helper', 7)))
    const [asked] = await waiting(own, 1)
    expect(ran).toEqual([])
    await say(own, asked, 'deny')
    await ending
    expect(ran).toEqual([])
  },
)

promise(
  ['CS-AISDK-9', 'CS-AISDK-1'],
  'where the sub-agent’s own toolApproval asks, the pause is lost and nothing runs',
  async () => {
    const own = await world()
    const ran: number[] = []
    const inner = { toolApproval: { pay: 'user-approval' } } as Options
    await played(chat(own, ran, inner), turn(call('n1', 'helper', 7)))
    await waiting(own, 0)
    expect(ran).toEqual([])
  },
)
