import { LlmAgent } from '@google/adk'
import { expect, vi } from 'vitest'
import { guardAgent } from '../../src/adapters/google-adk/guard-tools.ts'
import type { ModelCall, ModelTurn } from '../../src/testing/adapter-harness.ts'
import { promise } from '../support/promise.ts'
import { GO, ScriptedLlm, sessionOf, toldBy } from './google-adk-harness.ts'
import {
  approve,
  type Gate,
  open,
  PATIENT,
  pending,
  recorded,
  stores,
} from './google-adk-hostile-world.ts'

const transfer = (id: string, agentName: unknown): ModelCall => ({
  id,
  tool: 'transfer_to_agent',
  args: { agentName } as never,
})

/** An agent that may transfer to `payer` and `reader`, which transfers back when it is told to. */
async function transferring(gate: Gate, turns: readonly ModelTurn[], isBack = false) {
  const back: ModelTurn[] = isBack ? [{ calls: [transfer('b1', 'top')] }] : []
  const payerModel = new ScriptedLlm([...back, ...back, { says: 'I pay' }])
  const readerModel = new ScriptedLlm([{ says: 'I read' }])
  const model = new ScriptedLlm(turns)
  const top = new LlmAgent({
    name: 'top',
    model,
    subAgents: [
      new LlmAgent({ name: 'payer', model: payerModel }),
      new LlmAgent({ name: 'reader', model: readerModel }),
    ],
  })
  const session = await sessionOf(guardAgent(gate, top))
  return { session, model, payerModel, readerModel }
}

promise.each(
  ['CS-HANDOVER-1'],
  'ADK: a transfer that a person changed is not made, and the record says so',
  [
    ['to another agent', { agentName: 'reader' }],
    ['by another word', { agentName: 'payer', amount: 1 }],
    ['to nobody', {}],
    ['under __proto__', JSON.parse('{"agentName":"payer","__proto__":{"agentName":"reader"}}')],
  ] as [string, object][],
  async (_how, args) => {
    const gate = open()
    const played = await transferring(gate, [{ calls: [transfer('t1', 'payer')] }, { says: 'ok' }])
    const running = played.session.send(GO)
    const id = await approve(gate, args)
    await running
    expect(played.payerModel.read).toHaveLength(0)
    expect(played.readerModel.read).toHaveLength(0)
    expect(toldBy(played.model)[0]?.text).toMatch(/could not be started and did not run/)
    expect(await recorded(gate, id)).toMatchObject({ code: 'not_started' })
  },
)

promise(
  ['CS-HANDOVER-1'],
  'ADK: a transfer that a callback of the application changes is asked about as changed',
  async () => {
    const gate = open()
    const payerModel = new ScriptedLlm([{ says: 'I pay' }])
    const top = new LlmAgent({
      name: 'top',
      model: new ScriptedLlm([{ calls: [transfer('t1', 'reader')] }, { says: 'ok' }]),
      subAgents: [
        new LlmAgent({ name: 'payer', model: payerModel }),
        new LlmAgent({ name: 'reader', model: new ScriptedLlm([{ says: 'I read' }]) }),
      ],
      beforeToolCallback: ({ args }) => {
        args.agentName = 'payer'
        return undefined
      },
    })
    // Guarded twice, the order is the same.
    const session = await sessionOf(guardAgent(gate, guardAgent(gate, top)))
    const running = session.send(GO)
    const id = await approve(gate)
    await running
    expect((await stores.get(gate)?.get(id))?.call.tool).toBe('payer')
    expect(payerModel.read).toHaveLength(1)
  },
)

promise(['CS-HANDOVER-1'], 'ADK: one yes transfers once, also under a repeated id', async () => {
  const gate = open()
  const again = { calls: [transfer('t1', 'payer')] }
  const { session, model, payerModel } = await transferring(
    gate,
    [again, again, { says: 'ok' }],
    true,
  )
  const running = session.send(GO)
  await approve(gate)
  await running
  expect(payerModel.read).toHaveLength(1)
  expect(toldBy(model).at(-1)?.text).toMatch(/already transferred to payer/)
})

promise(['CS-HANDOVER-1'], 'ADK: two transfers under one id in one turn are one', async () => {
  const gate = open()
  const both = { calls: [transfer('t1', 'payer'), transfer('t1', 'payer')] }
  const { session, payerModel } = await transferring(gate, [both, { says: 'ok' }])
  const running = session.send(GO)
  await approve(gate)
  await running
  expect(payerModel.read).toHaveLength(1)
  expect((await gate.approvals.list({})).approvals).toHaveLength(1)
})

promise.each(
  ['CS-HANDOVER-1'],
  'ADK: a transfer to what is no name is not made',
  [
    ['a number', 5],
    ['nothing', null],
    ['an object', { toString: 'payer' }],
    ['a list', ['payer']],
  ] as [string, unknown][],
  async (_what, name) => {
    const gate = open()
    const { session, model, payerModel } = await transferring(gate, [
      { calls: [transfer('t1', name)] },
      { says: 'ok' },
    ])
    await session.send(GO)
    expect(payerModel.read).toHaveLength(0)
    expect(toldBy(model)[0]?.text).toMatch(/was not understood and did not run/)
  },
)

promise.each(
  ['AF-49'],
  'ADK: rules about a transfer read what the application says the agent was given',
  [
    ['nothing said, so it asks', undefined, 1],
    ['what the application says', { risk_level: 'high' }, 1],
    ['and that alone', { risk_level: 'low' }, 0],
    [
      'by the session',
      ({ userId }: { userId: string }) => ({ risk_level: userId === 'uma' ? 'low' : 'high' }),
      0,
    ],
    [
      'a function that fails',
      () => {
        throw new Error('x')
      },
      1,
    ],
  ] as [string, never, number][],
  async (_what, parent, asked) => {
    const gate = open()
    const inner = new ScriptedLlm([{ says: 'I take it' }])
    // The model adds what it would like to have been given.
    const args = { agentName: 'risky', risk_level: 'low' }
    const model = new ScriptedLlm([{ calls: [{ id: 't1', tool: 'transfer_to_agent', args }] }])
    const top = new LlmAgent({
      name: 'top',
      model,
      subAgents: [new LlmAgent({ name: 'risky', model: inner })],
    })
    const said = parent === undefined ? {} : { parent }
    const session = await sessionOf(guardAgent(gate, top, { ...said, waitFor: 50 }))
    await session.send(GO)
    expect(inner.read).toHaveLength(1 - asked)
    expect((await gate.approvals.list({})).approvals).toHaveLength(asked)
  },
)

promise(
  ['CS-SDK-14', 'CS-HANDOVER-1'],
  'ADK: an agent that is guarded again asks once about a transfer, in the new run',
  async () => {
    const gate = open()
    const model = new ScriptedLlm([{ calls: [transfer('t1', 'payer')] }])
    const payer = new LlmAgent({ name: 'payer', model: new ScriptedLlm([{ says: 'I pay' }]) })
    const top = new LlmAgent({ name: 'top', model, subAgents: [payer] })
    guardAgent(gate, guardAgent(gate, top, { run: 'a' }), { run: 'b' })
    const running = (await sessionOf(top)).send(GO)
    await vi.waitFor(async () => expect(await pending(gate)).toHaveLength(1), PATIENT)
    expect((await pending(gate)).map(({ call: asked }) => asked.run)).toEqual(['b'])
    await approve(gate)
    await running
    expect((await gate.approvals.list({})).approvals).toHaveLength(1)
  },
)
