import { LlmAgent } from '@google/adk'
import { expect } from 'vitest'
import { REJECTED, REQUEST_CONFIRMATION } from '../../src/adapters/google-adk/confirmation.ts'
import { guardTools } from '../../src/adapters/google-adk/guard-tools.ts'
import { confirmations } from '../../src/adapters/google-adk/plugin.ts'
import { openQuestions, settleSession } from '../../src/adapters/google-adk/settle-session.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { call, turn, uma } from '../../src/testing/adapter-play.ts'
import { promise } from '../support/promise.ts'
import { GO, ScriptedLlm, sessionOf, toldBy, WHO } from './google-adk-harness.ts'
import {
  asking,
  type Content,
  decide,
  open,
  pay,
  pending,
  play,
  type Ran,
  tool,
  yes,
} from './google-adk-world.ts'

function answer(...answers: [id: string | undefined, response: object][]): Content {
  return {
    role: 'user',
    parts: answers.map(([id, response]) => ({
      functionResponse: {
        ...(id === undefined ? {} : { id }),
        name: REQUEST_CONFIRMATION,
        response: response as Record<string, unknown>,
      },
    })),
  }
}

promise(
  ['AR-1', 'AR-2', 'AR-5', 'AR-11', 'AR-12', 'AR-13', 'AR-14', 'AR-15', 'AR-16', 'AR-17', 'AR-18'],
  'a call that asks pauses the invocation, with its question under its own id',
  async () => {
    // Ids like these lose their order in objects; what is asked keeps it.
    const calls = [call('10', 'pay', 100), call('9', 'pay', 5)]
    const { session, ran, model, gate } = await play(turn(...calls))
    const events = await session.send(GO)
    expect(ran).toEqual([])
    expect(model.read).toHaveLength(1)
    expect(await pending(gate)).toHaveLength(2)
    const { content, longRunningToolIds, actions } = JSON.parse(JSON.stringify(asking(events)))
    const responses = content.parts.flatMap((part: Record<string, unknown>) =>
      part.functionResponse ? [part.functionResponse] : [],
    )
    const hint = 'Approve execution of tool pay?'
    const asked = (id: string, amount: number) => ({
      id,
      name: 'adk_request_confirmation',
      willContinue: true,
      response: {
        originalFunctionCall: { id, name: 'pay', args: { amount } },
        toolConfirmation: { hint, confirmed: false },
      },
    })
    expect(responses).toEqual([asked('10', 100), asked('9', 5)])
    expect(longRunningToolIds).toEqual(expect.arrayContaining(['10', '9']))
    expect(actions.requestedToolConfirmations).toEqual({
      '10': { hint, confirmed: false },
      '9': { hint, confirmed: false },
    })
  },
)

promise(
  ['AR-3', 'AR-4', 'AR-20', 'AR-23', 'AR-26', 'AR-30'],
  'the answer under the id of the call runs it, once, and the application runs nothing itself',
  async () => {
    const { session, ran, model } = await play(turn(call('c1', 'pay', 100)))
    await session.send(GO)
    await session.send(answer(['c1', { confirmed: true }]))
    const confirmation = { hint: 'Approve execution of tool pay?', confirmed: true }
    expect(ran).toEqual([{ amount: 100, confirmation }])
    expect(toldBy(model)).toEqual([{ id: 'c1', text: '{"did":"pay","amount":100}' }])
    await session.send(answer(['c1', { confirmed: true }]))
    expect(ran).toHaveLength(1)
  },
)

promise.each(
  ['AR-21', 'AR-23'],
  'a yes counts in every form',
  [
    ['bare', { confirmed: true }],
    ['in toolConfirmation', { toolConfirmation: { hint: 'x', confirmed: true } }],
    ['in response', { response: { confirmed: true } }],
    ['as text in response', { response: '{"confirmed":true}' }],
  ] as [string, object][],
  async (_form, response) => {
    const { session, ran } = await play(turn(call('c1', 'pay', 100)))
    await session.send(GO)
    await session.send(answer(['c1', response]))
    expect(ran).toHaveLength(1)
  },
)

promise.each(
  ['AR-27'],
  'after a no the model reads that the user rejected the call, and it has not run',
  [
    ['said', { confirmed: false }],
    ['by an empty answer', {}],
    ['in toolConfirmation', { toolConfirmation: {} }],
  ] as [string, object][],
  async (_how, response) => {
    const { session, ran, model } = await play(turn(call('c1', 'pay', 100)))
    await session.send(GO)
    await session.send(answer(['c1', response]))
    expect(ran).toEqual([])
    expect(toldBy(model)).toEqual([
      { id: 'c1', text: '{"error":"tool call was rejected by the user"}' },
    ])
    // And whoever says yes afterwards comes too late.
    await session.send(yes('c1'))
    expect(ran).toEqual([])
  },
)

promise(['AR-27', 'CS-SDK-4'], 'a no from the inbox says the same, and why', async () => {
  const { session, ran, model, gate } = await play(turn(call('c1', 'pay', 100)))
  await session.send(GO)
  await decide(gate, 'deny', 'Too much')
  // Somebody turns it into a yes on the way.
  await session.send(yes('c1'))
  expect(ran).toEqual([])
  const { error, message } = JSON.parse(toldBy(model)[0]?.text ?? '')
  expect({ error }).toEqual(REJECTED)
  expect(message).toMatch(/denied by a person and did not run\. Reason: Too much\./)
})

promise.each(
  ['AR-22', 'CS-ADK-3'],
  'an answer that decides nothing is dropped with a warning, and the turn stays paused',
  [
    ['without an id', answer([undefined, { confirmed: true }]), 1],
    ['with an empty id', answer(['', { confirmed: true }]), 1],
    ['neither yes nor no', answer(['c1', { confirmed: 'yes' }]), 1],
    ['of a call nobody made', yes('c9'), 0],
  ] as [string, Content, number][],
  async (_which, content, warnings) => {
    const { session, ran, model, warned } = await play(turn(call('c1', 'pay', 100)))
    await session.send(GO)
    const events = await session.send(content)
    expect(warned).toHaveLength(warnings)
    expect(ran).toEqual([])
    expect(model.read).toHaveLength(1)
    // The question is told again, and can be answered still.
    expect(openQuestions(events).map(({ call: asked }) => asked.id)).toEqual(['c1'])
    await session.send(yes('c1'))
    expect(ran).toHaveLength(1)
  },
)

promise(
  ['AR-24', 'CS-SDK-8'],
  'several answers may come in one message, and a turn goes on when all of them are there',
  async () => {
    const calls = [call('c1', 'pay', 1), call('c2', 'pay', 2), call('c3', 'pay', 3)]
    const { session, ran, model } = await play(turn(...calls))
    await session.send(GO)
    await session.send(answer(['c3', { confirmed: true }]))
    expect(ran).toEqual([])
    expect(model.read).toHaveLength(1)
    await session.send(answer(['c1', { confirmed: true }], ['c2', { confirmed: false }]))
    expect(ran.map(({ amount }) => amount)).toEqual([1, 3])
    expect(toldBy(model).map(({ id }) => id)).toEqual(['c1', 'c2', 'c3'])
  },
)

promise(['AR-28'], 'what the user attaches reaches the tool beside its arguments', async () => {
  const { session, ran } = await play(turn(call('c1', 'pay', 100)))
  await session.send(GO)
  await session.send(answer(['c1', { confirmed: true, payload: { amount: 1 } }]))
  expect(ran).toMatchObject([{ amount: 100, confirmation: { payload: { amount: 1 } } }])
})

promise(
  ['AR-28', 'CS-SDK-1'],
  'what somebody attaches who may not decide reaches no tool',
  async () => {
    const { session, ran, gate } = await play(turn(call('c1', 'pay', 100)))
    await session.send(GO)
    await decide(gate, 'approve')
    await session.send(answer(['c1', { confirmed: true, payload: { amount: 1 } }]))
    expect(ran).toHaveLength(1)
    expect(ran[0]?.confirmation).not.toHaveProperty('payload')
  },
)

promise.each(
  ['AR-5', 'AR-6', 'AR-7', 'AR-8'],
  'requireConfirmation says which calls ask',
  [
    ['always', { requireConfirmation: true }, ['c1', 'c2']],
    ['never', { requireConfirmation: false }, []],
    ['not written', {}, []],
    ['by arguments', { requireConfirmation: ({ amount }: Ran) => amount > 10 }, ['c2']],
    ['later', { requireConfirmation: async ({ amount }: Ran) => amount > 10 }, ['c2']],
  ] as [string, object, string[]][],
  async (_how, more, asked) => {
    const calls = [call('c1', 'note', 1), call('c2', 'note', 100)]
    const { session, ran, gate } = await play(turn(...calls), (ran) => [tool('note', ran, more)])
    await session.send(GO)
    expect(ran).toHaveLength(2 - asked.length)
    // ADK hands the calls of one turn over at once, so either is asked first.
    expect((await pending(gate)).map(({ call: one }) => one.key).toSorted()).toEqual(asked)
  },
)

promise.each(
  ['AR-9', 'AR-3'],
  'people read the hint of the tool',
  [
    ['its own', 'Approve this transfer?', 'Approve this transfer?'],
    ['made of the arguments', ({ amount }: JsonObject) => `Pay ${amount}?`, 'Pay 100?'],
    [
      'the usual one, where it fails',
      () => {
        throw new Error('no hint')
      },
      'Approve execution of tool pay?',
    ],
  ] as [string, string | ((args: JsonObject) => string), string][],
  async (_which, hint, read) => {
    const { session } = await play(turn(call('c1', 'pay', 100)), undefined, { pay: hint })
    const { actions } = asking(await session.send(GO))
    expect(actions.requestedToolConfirmations.c1?.hint).toBe(read)
  },
)

promise(
  ['SP-10', 'AR-9'],
  'the session shows the hint beside the whole call, and the approval has the default question',
  async () => {
    const { session, gate } = await play(turn(call('c1', 'pay', 100)))
    const event = asking(await session.send(GO))
    expect(event.actions.requestedToolConfirmations.c1?.hint).toBe('Approve execution of tool pay?')
    const shown = event.content?.parts?.flatMap(({ functionCall }) => functionCall ?? [])
    expect(shown).toMatchObject([
      { args: { originalFunctionCall: { id: 'c1', name: 'pay', args: { amount: 100 } } } },
    ])
    const [approval] = await pending(gate)
    expect((await gate.approvals.get(approval?.id ?? ''))?.question?.message).toBe(
      `Run 'pay' with arguments {"amount":100}?`,
    )
  },
)

promise(['AR-10'], 'what policy denies, and what does not fit, asks nobody', async () => {
  const calls = [call('c1', 'nuke', 1), { id: 'c2', tool: 'pay', args: { amount: 'much' } }]
  const { session, ran, gate, model } = await play(turn(...calls), (ran) => [
    pay(ran),
    tool('nuke', ran, { requireConfirmation: true }),
  ])
  await session.send(GO)
  expect(ran).toEqual([])
  expect(await pending(gate)).toEqual([])
  const [first, second] = toldBy(model)
  expect(first?.text).toMatch(/not allowed by policy and did not run/)
  expect(second?.text).toMatch(/was not understood and did not run/)
})

promise.each(
  ['CS-SDK-3', 'CS-ADK-3'],
  'an answer in the session does not count',
  [
    ['where others must approve', 'wire', uma.subject],
    ['from somebody the application does not know', 'pay', 'mallory'],
  ] as [string, string, string][],
  async (_which, name, known) => {
    const gate = open()
    const ran: Ran[] = []
    const model = new ScriptedLlm(turn(call('c1', name, 5)))
    const tools = guardTools(gate, [pay(ran), tool('wire', ran)])
    const plugin = await confirmations({
      by: ({ userId }) => (userId === known ? uma : undefined),
      approvals: gate.approvals,
    })
    const agent = new LlmAgent({ name: 'biller', model, tools })
    const session = await sessionOf(agent, { plugins: [plugin] })
    await session.send(GO)
    await session.send(yes('c1'))
    expect(ran).toEqual([])
    expect(await pending(gate)).toHaveLength(1)
    expect(model.read).toHaveLength(1)
  },
)

promise(
  ['CS-SDK-1', 'CS-ADK-3'],
  'without the plugin an early answer is refused, and the call can still go on later',
  async () => {
    const gate = open()
    const ran: Ran[] = []
    const model = new ScriptedLlm(turn(call('c1', 'pay', 5)))
    const agent = new LlmAgent({ name: 'biller', model, tools: guardTools(gate, [pay(ran)]) })
    const session = await sessionOf(agent)
    await session.send(GO)
    const [question] = openQuestions(await session.events())
    await expect(session.send(yes(question?.id ?? ''))).rejects.toMatchObject({
      code: 'not_approved',
    })
    expect(await settleSession(session.runner, WHO)).toMatchObject({
      status: 'waiting',
      waiting: [{ callId: 'c1', name: 'pay' }],
    })
    await decide(gate, 'approve')
    const settled = await settleSession(session.runner, WHO)
    if (settled.status !== 'ready') throw new Error('it is decided')
    await session.send(settled.newMessage as Content)
    expect(ran).toHaveLength(1)
    expect(await settleSession(session.runner, WHO)).toEqual({ status: 'idle' })
  },
)
