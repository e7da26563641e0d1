import type { ToolSet } from 'ai'
import { expect } from 'vitest'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { resumeTurn } from '../../src/adapters/ai-sdk/resume-turn.ts'
import { call, say, turn, waiting } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { GO, generate, tools, world } from './ai-sdk-play.ts'
import { inProcess, overHttp } from './worlds.ts'

promise.each(
  ['CS-AISDK-3'],
  'tools guarded again for another chat ask there, and run on no yes of the first',
  [
    ['in process', inProcess],
    ['over HTTP', overHttp],
  ],
  async (_where, open) => {
    const own = await world(open)
    const ran: number[] = []
    const first = guardTools(own.gate, tools(ran), { run: 'chat-a' })
    const second = guardTools(own.gate, first, { run: 'chat-b' })
    const a = await generate(first, GO, turn(call('c1', 'pay', 5)))
    const [asked] = await waiting(own, 1)
    await say(own, asked, 'approve')
    // The same id and the same arguments, in the other chat.
    const b = await generate(second, GO, turn(call('c1', 'pay', 5)))
    await waiting(own, 1)
    expect(await resumeTurn(second, b.messages)).toMatchObject({ status: 'waiting' })
    expect(ran).toEqual([])
    const ready = await resumeTurn(first, a.messages)
    if (ready.status !== 'ready') throw new Error('still waiting')
    await generate(first, ready.messages, [{ says: 'done' }])
    expect(ran).toEqual([5])
    const [other] = await waiting(own, 1)
    expect(other?.call.run).toBe('chat-b')
  },
)

promise(['CS-AISDK-3'], 'tools guarded again at another gate are held by that one', async () => {
  const [one, two] = [await world(), await world()]
  const ran: number[] = []
  const guarded = guardTools(one.gate, tools(ran), { run: 'chat-1' })
  const again = guardTools(two.gate, guarded, { run: 'chat-1' })
  await generate(again, GO, turn(call('c1', 'pay', 5)))
  await waiting(one, 0)
  const [asked] = await waiting(two, 1)
  await say(two, asked, 'deny')
  await generate(again, GO, turn(call('c1', 'pay', 5)))
  expect(ran).toEqual([])
})

promise(
  ['CS-AISDK-3'],
  'a copy of a guarded tool stays behind the gate it was made for, and behind the new one',
  async () => {
    const own = await world()
    const ran: number[] = []
    const first = guardTools(own.gate, tools(ran), { run: 'chat-a' })
    const copied = { pay: { ...first.pay, description: 'pays' } } as ToolSet
    const second = guardTools(own.gate, copied, { run: 'chat-b' })
    const { messages } = await generate(second, GO, turn(call('c1', 'pay', 5)))
    const asked = await waiting(own, 2)
    const outer = asked.find(({ call: { run } }) => run === 'chat-b')
    await say(own, outer, 'approve')
    const ready = await resumeTurn(second, messages)
    if (ready.status !== 'ready') throw new Error('still waiting')
    const { told } = await generate(second, ready.messages, [{ says: 'done' }])
    expect(ran).toEqual([])
    expect(told[0]?.text).toMatch(/waits for a person/)
  },
)

promise.each(
  ['CS-AISDK-3'],
  'tools guarded again go by what they are guarded with last',
  [
    ['under another name', (guarded: ToolSet) => ({ wire: guarded.pay }) as ToolSet, 'wire'],
    ['three times', (guarded: ToolSet) => guarded, 'pay'],
  ] as [string, (guarded: ToolSet) => ToolSet, string][],
  async (_name, change, name) => {
    const own = await world()
    const ran: number[] = []
    const first = guardTools(own.gate, tools(ran), { run: 'chat-a' })
    const second = guardTools(own.gate, change(first), { run: 'chat-b' })
    const third = guardTools(own.gate, second, { run: 'chat-c' })
    await generate(third, GO, turn(call('c1', name, 5)))
    const [asked] = await waiting(own, 1)
    expect(asked?.call).toMatchObject({ run: 'chat-c', tool: name })
    expect(ran).toEqual([])
  },
)

promise(['CS-AISDK-3'], 'what a tool itself asks about is still asked about', async () => {
  const own = await world()
  const ran: number[] = []
  const note = { note: { ...tools(ran).pay, needsApproval: true } } as ToolSet
  const again = guardTools(own.gate, guardTools(own.gate, note, { run: 'a', mode: 'block' }), {
    run: 'b',
  })
  await generate(again, GO, turn(call('c1', 'note', 5)))
  await waiting(own, 1)
  expect(ran).toEqual([])
})
