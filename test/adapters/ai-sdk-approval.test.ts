import { dynamicTool, type ToolSet } from 'ai'
import { expect, test } from 'vitest'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { resumeTurn } from '../../src/adapters/ai-sdk/resume-turn.ts'
import { showTurn } from '../../src/adapters/ai-sdk/show-turn.ts'
import { guardApproval } from '../../src/adapters/ai-sdk/tool-approval.ts'
import { call, say, turn, uma, waiting } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { answered, both, DONE, OWN, requestIn, WAYS, way } from './ai-sdk-approval-world.ts'
import { AMOUNT, GO, tools, world } from './ai-sdk-play.ts'
import { inProcess, overHttp } from './worlds.ts'

promise.each(
  ['CS-AISDK-1'],
  'a no to the SDK’s own question stays a no, and without an answer the turn waits',
  way,
  async (_name, go) => {
    const own = await world()
    const ran: string[] = []
    const guarded = guardTools(own.gate, both(ran), { run: 'chat-1' })
    const { messages } = await go(guarded, GO, turn(call('c1', 'note', 1)), OWN)
    expect(await resumeTurn(guarded, messages)).toMatchObject({
      status: 'waiting',
      waiting: [{ toolCallId: 'c1' }],
    })
    const denied = await resumeTurn(guarded, answered(messages, false))
    if (denied.status !== 'ready') throw new Error('still waiting')
    await go(guarded, denied.messages, DONE, OWN)
    expect(ran).toEqual([])
    const approved = await resumeTurn(guarded, answered(messages, true))
    if (approved.status !== 'ready') throw new Error('still waiting')
    await go(guarded, approved.messages, DONE, OWN)
    expect(ran).toEqual(['note 1'])
    await waiting(own, 0)
  },
)

promise.each(
  ['CS-AISDK-1'],
  'where the SDK and the policy both ask, both must say yes',
  [
    ['in process', inProcess],
    ['over HTTP', overHttp],
  ],
  async (_where, open) => {
    const go = WAYS.generateText
    const own = await world(open)
    const ran: string[] = []
    const guarded = guardTools(own.gate, both(ran), { run: 'chat-1' })
    const { messages } = await go(guarded, GO, turn(call('c1', 'pay', 1)), OWN)
    // Looking, as a page and the server do again and again, asks nobody and answers nothing.
    await showTurn(guarded, messages, { approvals: own.approvals })
    expect(await resumeTurn(guarded, messages)).toMatchObject({ status: 'waiting' })
    await waiting(own, 0)
    const yes = answered(messages, true)
    expect(await resumeTurn(guarded, yes)).toMatchObject({ status: 'waiting' })
    const [asked] = await waiting(own, 1)
    await say(own, asked, 'approve')
    const no = await resumeTurn(guarded, answered(messages, false))
    if (no.status !== 'ready') throw new Error('still waiting')
    await go(guarded, no.messages, DONE, OWN)
    expect(ran).toEqual([])
    const ready = await resumeTurn(guarded, yes)
    if (ready.status !== 'ready') throw new Error('still waiting')
    await go(guarded, ready.messages, DONE, OWN)
    expect(ran).toEqual(['pay 1'])
  },
)

promise.each(
  ['CS-AISDK-1'],
  'a toolApproval of the application takes no question away',
  [
    ['approved', 'approved'],
    ['not applicable', 'not-applicable'],
    ['a function for one tool', () => 'approved'],
    ['a function for all tools', undefined],
  ] as const,
  async (_name, status) => {
    for (const [, go] of way) {
      const own = await world()
      const ran: string[] = []
      const guarded = guardTools(own.gate, both(ran), { run: 'chat-1' })
      const toolApproval = (status === undefined ? () => 'approved' : { pay: status }) as never
      const { told } = await go(guarded, GO, turn(call('c1', 'pay', 1)), { toolApproval })
      expect(ran).toEqual([])
      expect(told[0]?.text).toMatch(/^The call to pay waits for a person/)
      await waiting(own, 1)
    }
  },
)

promise.each(
  ['CS-AISDK-1'],
  'guardApproval pauses where the policy or the application asks',
  way,
  async (_name, go) => {
    const own = await world()
    const ran: string[] = []
    const plain = { free: both(ran).note } as ToolSet
    const guarded = { ...guardTools(own.gate, both(ran), { run: 'chat-1' }), ...plain }
    const seen: unknown[] = []
    const toolApproval = guardApproval(guarded, {
      pay: 'approved',
      note(input: unknown, options: { readonly runtimeContext: unknown }) {
        seen.push([input, options.runtimeContext])
        return { type: 'user-approval', reason: 'notes are asked about' }
      },
      free: 'denied',
    } as never)
    const script = turn(call('c1', 'pay', 1), call('c2', 'note', 2), call('c3', 'free', 3))
    const { messages } = await go(guarded, GO, script, { toolApproval } as never)
    expect(ran).toEqual([])
    const [asked] = await waiting(own, 1)
    await say(own, asked, 'approve')
    expect(seen[0]).toEqual([{ amount: 2 }, expect.anything()])
    expect(await resumeTurn(guarded, messages)).toMatchObject({
      status: 'waiting',
      waiting: [{ toolCallId: 'c2' }],
    })
  },
)

promise(
  ['CS-AISDK-1'],
  'guardApproval: what policy denies is denied in the SDK’s own words, with the reason',
  async () => {
    const own = await world()
    const ran: number[] = []
    const nuke = tools(ran).pay as ToolSet[string]
    const guarded = guardTools(own.gate, { nuke }, { run: 'chat-1' })
    const toolApproval = guardApproval(guarded)
    const { told } = await WAYS.generateText(guarded, GO, turn(call('c1', 'nuke', 1)), {
      toolApproval,
    } as never)
    expect(told[0]?.text).toMatch(/not allowed by policy and did not run.*Nuking is forbidden/)
    expect(ran).toEqual([])
  },
)

promise(['CS-AISDK-1'], 'a toolApproval that throws runs nothing', async () => {
  const own = await world()
  const ran: string[] = []
  const guarded = guardTools(own.gate, both(ran), { run: 'chat-1' })
  const broken = () => {
    throw new Error('no answer')
  }
  for (const toolApproval of [
    { note: broken, pay: broken },
    guardApproval(guarded, { note: broken, pay: broken } as never),
    guardApproval(guarded, broken as never),
  ]) {
    const script = turn(call('c1', 'note', 1), call('c2', 'pay', 2))
    await WAYS.generateText(guarded, GO, script, { toolApproval } as never).catch(() => undefined)
  }
  expect(ran).toEqual([])
})

promise.each(
  ['CS-AISDK-1'],
  'a needsApproval beside toolApproval is asked about as well, after the SDK’s yes',
  [
    ['true', true],
    ['a function of the arguments', () => true],
    ['a function of the context', (_input: unknown, options: object) => 'context' in options],
  ] as [string, unknown][],
  async (_name, needsApproval) => {
    const own = await world()
    const ran: string[] = []
    const strict = { note: { ...both(ran).note, needsApproval } } as ToolSet
    const guarded = guardTools(own.gate, strict, { run: 'chat-1' })
    const { messages } = await WAYS.generateText(guarded, GO, turn(call('c1', 'note', 1)), OWN)
    await waiting(own, 0)
    const yes = answered(messages, true)
    expect(await resumeTurn(guarded, yes)).toMatchObject({ status: 'waiting' })
    const [asked] = await waiting(own, 1)
    await say(own, asked, 'approve')
    const ready = await resumeTurn(guarded, yes)
    if (ready.status !== 'ready') throw new Error('still waiting')
    await WAYS.generateText(guarded, ready.messages, DONE, OWN)
    expect(ran).toEqual(['note 1'])
  },
)

test('dynamic tools are held like others, and tools of a provider only where policy allows them', async () => {
  const own = await world()
  const ran: unknown[] = []
  const pay = dynamicTool({
    inputSchema: AMOUNT,
    execute: async (input) => {
      ran.push(input)
      return 'paid'
    },
  })
  const guarded = guardTools(own.gate, { pay }, { run: 'chat-1' })
  const { messages } = await WAYS.generateText(guarded, GO, turn(call('c1', 'pay', 1)), OWN)
  expect(await resumeTurn(guarded, messages)).toMatchObject({ status: 'waiting' })
  expect(await resumeTurn(guarded, answered(messages, true))).toMatchObject({ status: 'waiting' })
  await waiting(own, 1)
  expect(ran).toEqual([])
  const searching = { type: 'provider', id: 'x.search', args: {}, inputSchema: AMOUNT } as never
  expect(() => guardTools(own.gate, { pay: searching }, { run: 'r' })).toThrow(/has no execute/)
})

promise(
  ['CS-SDK-10', 'CS-AISDK-1'],
  'a page is shown the SDK’s own question as the application asks it, and nobody is asked by looking',
  async () => {
    const own = await world()
    const guarded = guardTools(own.gate, both([]), { run: 'chat-1' })
    const { messages } = await WAYS.generateText(guarded, GO, turn(call('c1', 'pay', 1)), OWN)
    const { approvals } = own
    expect(await showTurn(guarded, messages, { by: uma, approvals })).toEqual([
      {
        toolCallId: 'c1',
        approvalId: requestIn(messages),
        tool: 'pay',
        question: 'Run pay with these arguments?',
        rows: [{ name: 'amount', value: '1' }],
        status: 'waiting',
        here: true,
        who: [],
      },
    ])
    await waiting(own, 0)
    expect(await showTurn(guarded, answered(messages, false))).toMatchObject([
      { status: 'refused', here: false },
    ])
  },
)
