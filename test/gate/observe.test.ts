import { expect, test } from 'vitest'
import { denyAll, observe } from '../../src/policy/evaluate/mode.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { BOTH, recordingTool, setUp } from './gates.ts'

const pay = { tool: 'pay', args: { amount: 5, pin: '0000-canary' }, context: { says: 'urgent' } }

promise.each(
  ['CS-OBSERVE-1'],
  'a call the rules would ask about runs, and is on record before it does',
  BOTH,
  async (name) => {
    const { gate, store } = await setUp(name, { mode: observe() })
    const seen: string[] = []
    gate.on('observed', ({ verdict }) => seen.push(verdict.verdict))
    let before = 0
    const tool = recordingTool()
    const outcome = await gate.run(pay, async (args, context) => {
      before = (await store.observations.list()).observed.length
      return tool(args, context)
    })
    expect(outcome).toMatchObject({ status: 'succeeded', ran: true })
    expect(before).toBe(1)
    expect(tool.starts[0]?.args).toEqual(pay.args)
    const [only] = (await store.observations.list()).observed
    expect(only).toMatchObject({
      verdict: 'confirm',
      reasons: [{ source: 'tool', rule: 'tools.pay.approval', answer: 'yes' }],
      call: { tool: 'pay', args: { amount: 5 } },
    })
    expect(JSON.stringify(only)).not.toMatch(/canary|urgent/)
    expect(seen).toEqual(['confirm'])
    expect((await gate.approvals.list()).approvals).toEqual([])
  },
)

promise(['CS-OBSERVE-1'], 'guarded tools and calls in suspense are observed as well', async () => {
  const { gate, store } = await setUp('memory', { mode: observe() })
  expect(await gate.check({ tool: 'refund', args: { amount: 500 } })).toMatchObject({
    status: 'allowed',
  })
  const refund = gate.guard(async () => 'done', { name: 'refund' })
  expect(await refund({ amount: 600 })).toBe('done')
  expect(await refund({ amount: 6 })).toBe('done')
  const { observed } = await store.observations.list()
  expect(observed.map(({ call }) => call.args)).toEqual([{ amount: 500 }, { amount: 600 }])
})

promise(['CS-OBSERVE-1'], 'governance denies and asks all the same', async () => {
  const { gate, store, tool } = await setUp('memory', {
    mode: observe(),
    policy: policyOf(`
      tools: { pay: { approval: true } }
      governance:
        - { id: no-nukes, match: { tool: nuke }, deny: Nobody nukes anything }
        - { id: wires, match: { tool: wire }, approval: true }
    `),
  })
  expect(await gate.run({ tool: 'nuke', args: {} }, tool)).toMatchObject({
    status: 'blocked',
    code: 'denied_by_policy',
  })
  expect(await gate.check({ tool: 'wire', args: {} })).toMatchObject({ status: 'pending' })
  expect(tool.starts).toEqual([])
  expect((await store.observations.list()).observed).toEqual([])
})

promise(['CS-OBSERVE-1'], 'locks hold, and denyAll is not loosened', async () => {
  const locked = await setUp('memory', {
    mode: observe(),
    authorize: () => ({ code: 'locked', reason: 'frozen' }),
  })
  expect(await locked.gate.run(pay, locked.tool)).toMatchObject({
    status: 'blocked',
    code: 'locked',
    ran: false,
  })
  const { gate, tool, store } = await setUp('memory', { mode: denyAll() })
  const outcome = await gate.with({ mode: observe() }).run(pay, tool)
  expect(outcome).toMatchObject({ status: 'blocked', code: 'denied_by_mode', ran: false })
  expect(tool.starts).toEqual([])
  for (const one of [store, locked.store]) {
    expect((await one.observations.list()).observed).toEqual([])
  }
})

test('what cannot be recorded does not run', async () => {
  const { gate, store, tool } = await setUp('memory', { mode: observe() })
  Object.assign(store.observations, { add: () => Promise.reject(new Error('disk full')) })
  expect(await gate.run(pay, tool)).toMatchObject({
    status: 'blocked',
    code: 'store_unavailable',
    ran: false,
  })
  expect(tool.starts).toEqual([])
})
