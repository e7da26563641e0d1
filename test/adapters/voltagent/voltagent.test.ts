import { expect } from 'vitest'
import { z } from 'zod'
import { guardTools } from '../../../src/adapters/voltagent/guard-tools.ts'
import { resumeTurn } from '../../../src/adapters/voltagent/resume-turn.ts'
import { call, say, turn, waiting } from '../../../src/testing/adapter-play.ts'
import { promise } from '../../support/promise.ts'
import { WHERE, world } from '../ai-sdk-play.ts'
import { agentOf, scriptedModel, toldBy } from './harness.ts'
import { createTool, createToolkit } from './sdk.ts'

const AMOUNT = z.object({ amount: z.number() })
const TOKEN = `ghp_${'0123456789abcdefghijABCDEFGHIJ012345'}`

function paying(ran: number[], more: object = {}) {
  return createTool({
    name: 'pay',
    description: 'pays',
    parameters: AMOUNT,
    async execute({ amount }) {
      ran.push(amount)
      return { paid: amount }
    },
    ...more,
  })
}

promise.each(
  ['CS-VOLT-1'],
  'the model reads the sentence for a call that did not run, and nothing of its approval',
  WHERE,
  async (_where, open) => {
    const own = await world(open)
    const ran: number[] = []
    const tools = guardTools(own.gate, [paying(ran)], { run: 'chat-1', mode: 'block' })
    const model = scriptedModel(turn(call('c1', 'pay', 5)))
    const ending = agentOf(model, tools as never).generateText('go')
    const [asked] = await waiting(own, 1)
    await say(own, asked, 'deny', { reason: 'too much' })
    await ending
    const [told] = toldBy(model)
    const read = JSON.parse(told?.text ?? '{}') as object
    expect(Object.keys(read).sort()).toEqual(['error', 'message', 'name', 'toolCallId', 'toolName'])
    expect(read).toMatchObject({ message: expect.stringContaining('too much') })
    expect(told?.text).not.toMatch(/kim@|digest|\.ts:/)
    expect(ran).toEqual([])
  },
)

promise(
  ['CS-VOLT-1'],
  'what a tool throws is shown as it is, unless it holds a secret',
  async () => {
    const own = await world()
    const read: string[] = []
    for (const said of ['no such account', `refused with ${TOKEN}`]) {
      const execute = async () => {
        throw Object.assign(new Error(said), { status: 418 })
      }
      const tool = createTool({ name: 'read', description: 'reads', parameters: AMOUNT, execute })
      const model = scriptedModel(turn(call('c1', 'read', 5)))
      const tools = guardTools(own.gate, [tool], { run: said })
      await agentOf(model, tools as never).generateText('go')
      read.push(toldBy(model)[0]?.text ?? '')
    }
    expect(read[0]).toContain('no such account')
    expect(read[0]).toContain('418')
    expect(read[1]).not.toContain(TOKEN)
  },
)

promise(['CS-VOLT-1'], 'a tool that is not told which call it serves runs nothing', async () => {
  const own = await world()
  const ran: number[] = []
  const [guarded] = guardTools(own.gate, [paying(ran)], { run: 'chat-1', mode: 'block' })
  await expect(guarded?.execute?.({ amount: 5 })).rejects.toThrow('has no id')
  await waiting(own, 0)
  expect(ran).toEqual([])
})

promise(['CS-VOLT-1'], 'tools of a toolkit are guarded, and resume with the others', async () => {
  const own = await world()
  const ran: number[] = []
  const toolkit = createToolkit({ name: 'bank', tools: [paying(ran)] })
  const tools = guardTools(own.gate, [toolkit], { run: 'chat-1' })
  const go = [{ role: 'user' as const, content: 'go' }]
  const first = agentOf(scriptedModel(turn(call('c1', 'pay', 5))), tools as never)
  const { response } = await first.generateText(go)
  const messages = [...go, ...response.messages]
  expect(await resumeTurn(tools, messages)).toMatchObject({ status: 'waiting' })
  const [asked] = await waiting(own, 1)
  await say(own, asked, 'approve')
  const ready = await resumeTurn(tools, messages)
  if (ready.status !== 'ready') throw new Error('still waiting')
  const model = scriptedModel([{ says: 'done' }])
  await agentOf(model, tools as never).generateText(ready.messages)
  expect(ran).toEqual([5])
  expect(toldBy(model)).toEqual([{ id: 'c1', text: '{"paid":5}' }])
})

promise(
  ['CS-VOLT-1', 'CS-SDK-7'],
  'what runs somewhere else, and what is no tool, is refused when it is guarded',
  async () => {
    const own = await world()
    const clientSide = createTool({ name: 'pay', description: 'pays', parameters: AMOUNT })
    const provider = { type: 'provider', id: 'openai.web_search', name: 'web', args: {} }
    for (const one of [clientSide, provider]) {
      expect(() => guardTools(own.gate, [one as never], { run: 'chat-1' })).toThrow()
    }
  },
)

promise(
  ['CS-VOLT-1', 'CS-SDK-5'],
  'needsApproval of a tool asks beside a policy that allows, with the arguments',
  async () => {
    const own = await world()
    const ran: number[] = []
    const needsApproval = ({ amount }: { amount: number }) => amount > 10
    const tool = createTool({
      name: 'read',
      description: 'reads',
      parameters: AMOUNT,
      needsApproval,
      async execute({ amount }) {
        ran.push(amount)
        return amount
      },
    })
    const tools = guardTools(own.gate, [tool], { run: 'chat-1' })
    const model = scriptedModel([
      { calls: [call('c1', 'read', 5), call('c2', 'read', 50)] },
      { says: 'done' },
    ])
    await agentOf(model, tools as never).generateText('go')
    expect(ran).toEqual([5])
    await waiting(own, 1)
  },
)
