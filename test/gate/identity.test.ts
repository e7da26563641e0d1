import { expect, vi } from 'vitest'
import { denyAll } from '../../src/policy/evaluate/mode.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import {
  approve,
  BOTH,
  deny,
  nextPending,
  POLICY,
  recordingTool,
  runApproved,
  setUp,
} from './gates.ts'

const pay = { tool: 'pay', args: { amount: 5 } }

promise.each(
  ['CS-GATE-6'],
  'a finished call with the same key gives its stored result and runs nothing',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const first = await runApproved(gate, gate.run(pay, tool, { key: 'call-1' }))
    const again = await gate.run({ ...pay, key: 'call-1' }, tool)
    expect(again).toMatchObject({ status: 'succeeded', replayed: true, result: { did: pay.args } })
    expect(again.approval?.id).toBe(first.approval?.id)
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['CS-GATE-6', 'CS-GATE-1'],
  'many callers with one key make one question, one run and one result',
  BOTH,
  async (name) => {
    const { gate, store, tool } = await setUp(name)
    const calls = Array.from({ length: 20 }, () => gate.run(pay, tool, { key: 'call-1' }))
    await approve(gate, await nextPending(gate))
    const outcomes = await Promise.all(calls)
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'succeeded', result: { did: pay.args } })
    }
    expect(tool.starts).toHaveLength(1)
    expect((await store.list({})).approvals).toHaveLength(1)
  },
)

promise.each(
  ['CS-GATE-6'],
  'a failure, a denial and an expiry come back with the same key as well',
  BOTH,
  async (name) => {
    const { gate, clock } = await setUp(name)
    const broken = recordingTool(() => {
      throw new TypeError('no route')
    })
    await runApproved(gate, gate.run(pay, broken, { key: 'failed' }))
    expect(await gate.run(pay, broken, { key: 'failed' })).toMatchObject({
      status: 'failed',
      replayed: true,
      error: { name: 'TypeError', message: 'no route' },
      modelMessage: 'The call to pay ran and failed. Reason: no route.',
    })
    expect(broken.starts).toHaveLength(1)

    const tool = recordingTool()
    const expiring = gate.run({ ...pay, args: { amount: 6 } }, tool, { key: 'late' })
    await nextPending(gate)
    clock.advance(3_600_000)
    expect(await expiring).toMatchObject({ status: 'blocked', code: 'expired' })
    const again = await gate.run({ ...pay, args: { amount: 6 } }, tool, { key: 'late' })
    expect(again).toMatchObject({ status: 'blocked', code: 'expired', ran: false })
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['CS-GATE-7'],
  'the same key with other arguments, tool or acting user is refused',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    await gate.check(pay, { key: 'call-1' })
    const others = [
      gate.run({ tool: 'pay', args: { amount: 6 } }, tool, { key: 'call-1' }),
      gate.run({ tool: 'wire', args: { amount: 5 } }, tool, { key: 'call-1' }),
      gate.with({ principal: 'uma' }).run(pay, tool, { key: 'call-1' }),
      gate.with({ door: 'mcp' }).run(pay, tool, { key: 'call-1' }),
      gate.run(
        pay,
        { name: 'pay', definition: { description: 'new' }, run: tool },
        { key: 'call-1' },
      ),
    ]
    for (const outcome of await Promise.all(others)) {
      expect(outcome).toMatchObject({ status: 'blocked', ran: false, code: 'key_reused' })
    }
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['CS-GATE-8', 'SP-11'],
  'two equal calls with two keys both ask, and so do two without keys',
  BOTH,
  async (name) => {
    const { gate, store, tool } = await setUp(name)
    const checks = await Promise.all([
      gate.check(pay, { key: 'call-1' }),
      gate.check(pay, { key: 'call-2' }),
      gate.check(pay),
      gate.check(pay),
    ])
    expect(checks.map(({ status }) => status)).toEqual(Array(4).fill('pending'))
    expect((await store.list({ status: ['pending'] })).approvals).toHaveLength(4)
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['CS-GATE-9'],
  'without keys an equal call joins the one under way, and is new once that is over',
  BOTH,
  async (name) => {
    const { gate, store } = await setUp(name)
    let joined = 0
    gate.on('requested', (event) => {
      if (event.joined) joined += 1
    })
    let open = () => {}
    const tool = recordingTool(
      () =>
        new Promise((resolve) => {
          open = () => resolve('paid')
        }),
    )
    const first = gate.run(pay, tool, { join: 'digest' })
    const approval = await nextPending(gate)
    const second = gate.run(pay, tool, { join: 'digest' })
    await approve(gate, approval)
    while (tool.starts.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
    const third = gate.run(pay, tool, { join: 'digest' })
    await vi.waitUntil(() => joined === 2)
    open()
    const results = await Promise.all([first, second, third])
    expect(results.map((outcome) => 'result' in outcome && outcome.result)).toEqual(
      Array(3).fill('paid'),
    )
    expect(tool.starts).toHaveLength(1)
    expect((await store.list({})).approvals).toHaveLength(1)
    expect(await gate.check(pay, { join: 'digest' })).toMatchObject({ status: 'pending' })
    expect((await store.list({})).approvals).toHaveLength(2)
  },
)

promise.each(
  ['CS-GATE-10'],
  'a call without a run joins nothing, remembers nothing and asks each time',
  BOTH,
  async (name) => {
    const { gate, store } = await setUp(name, { run: undefined })
    const first = await gate.check(pay, { join: 'digest' })
    const second = await gate.check(pay, { join: 'digest' })
    expect((await store.list({})).approvals).toHaveLength(2)
    if (first.status !== 'pending' || second.status !== 'pending') throw new Error('not asked')
    await deny(gate, first.approval)
    await deny(gate, second.approval)
    expect(await gate.check(pay)).toMatchObject({ status: 'pending' })
  },
)

promise.each(
  ['CS-GATE-11', 'SP-19'],
  'a denial answers the same call for the rest of its run',
  BOTH,
  async (name) => {
    const { gate, store, tool } = await setUp(name)
    const running = gate.run(pay, tool)
    await deny(gate, await nextPending(gate), { reason: 'not today' })
    await running
    const again = await gate.run(pay, tool)
    expect(again).toMatchObject({ status: 'blocked', code: 'denied', ran: false })
    expect(again.modelMessage).toBe(
      'The call to pay was already denied by a person in this run and did not run. Reason: not today. Do not call it again for this request.',
    )
    expect(await gate.check(pay, { key: 'other' })).toMatchObject({
      status: 'blocked',
      code: 'denied',
    })
    expect((await store.list({})).approvals).toHaveLength(1)
    // Another call, another run and another agent are asked about.
    expect(await gate.check({ tool: 'pay', args: { amount: 6 } })).toMatchObject({
      status: 'pending',
    })
    expect(await gate.with({ run: 'chat-2' }).check(pay)).toMatchObject({ status: 'pending' })
    expect(await gate.with({ agent: 'other' }).check(pay)).toMatchObject({ status: 'pending' })
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['CS-GATE-6', 'CS-GATE-11'],
  'neither a later denial nor a limit stands between a key and its answer',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name, {
      policy: policyOf(`${POLICY}
  limits: { pending_per_agent: 1 }`),
    })
    await runApproved(gate, gate.run(pay, tool, { key: 'a' }))
    const second = await gate.check(pay, { key: 'b' })
    if (second.status !== 'pending') throw new Error('not asked')
    expect(await gate.check(pay, { key: 'b' })).toMatchObject({ status: 'pending' })
    await deny(gate, second.approval)
    expect(await gate.run(pay, tool, { key: 'a' })).toMatchObject({ replayed: true })
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['CS-GATE-12'],
  'what expired, was withdrawn or lost its ground may be asked again',
  BOTH,
  async (name) => {
    const { gate, clock, tool } = await setUp(name)
    expect(await gate.run(pay, tool, { waitFor: 5 })).toMatchObject({
      status: 'blocked',
      code: 'withdrawn',
    })
    const second = gate.run(pay, tool)
    await nextPending(gate)
    clock.advance(3_600_000)
    expect(await second).toMatchObject({ status: 'blocked', code: 'expired' })
    const third = gate.run(pay, tool)
    const { id } = await nextPending(gate)
    await gate.approvals.invalidate(id, { reason: 'policy' })
    expect(await third).toMatchObject({ status: 'blocked', code: 'invalidated' })
    expect(await runApproved(gate, gate.run(pay, tool))).toMatchObject({ status: 'succeeded' })
  },
)

promise.each(
  ['CS-GATE-22'],
  'a call that names another than its gate is refused',
  [
    ['agent', { agent: 'other' }],
    ['agent by id', { agent: { alias: 'biller', id: 'x' } }],
    ['acting user', { principal: 'mallory' }],
    ['run', { run: 'chat-9' }],
  ] as const,
  async (_, claimed) => {
    const { gate, tool } = await setUp('memory', { principal: 'uma' })
    for (const name of ['read', 'pay']) {
      const outcome = await gate.run({ tool: name, args: {}, ...claimed }, tool)
      expect(outcome).toMatchObject({ status: 'blocked', ran: false, code: 'invalid_call' })
    }
    const repeated = { agent: 'biller', principal: 'uma', run: 'chat-1' }
    expect(await gate.run({ tool: 'read', args: {}, ...repeated }, tool)).toMatchObject({
      status: 'succeeded',
    })
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['CS-GATE-23'],
  'the idempotency key is one per call, for allowed calls too',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const read = { tool: 'read', args: {} }
    await gate.run(read, tool, { key: 'a' })
    await gate.run(read, tool, { key: 'a' })
    await gate.run(read, tool, { key: 'b' })
    await gate.run(read, tool)
    await gate.run(read, tool)
    const keys = tool.starts.map(({ context }) => context.idempotencyKey)
    expect(keys[0]).toBe(keys[1])
    expect(new Set(keys).size).toBe(4)
    expect(tool.starts[4]?.context.idempotencyKey).toBe(keys[4])
  },
)

promise.each(
  ['CS-GATE-6', 'CS-GATE-13'],
  'a call that ran is not said to be refused because the policy denies it now',
  BOTH,
  async (name) => {
    let policy = policyOf(POLICY)
    const { gate, tool } = await setUp(name, { policy: () => policy })
    await runApproved(gate, gate.run(pay, tool, { key: 'a' }))
    policy = policyOf('governance: [{ id: stop, match: { tool: pay }, deny: Not any more }]')
    expect(await gate.run(pay, tool, { key: 'a' })).toMatchObject({
      status: 'succeeded',
      replayed: true,
    })
    expect(await gate.check(pay, { key: 'a' })).toMatchObject({ status: 'approved' })
    expect(await gate.run(pay, tool, { key: 'b' })).toMatchObject({
      status: 'blocked',
      code: 'denied_by_policy',
      ran: false,
    })
    expect(await gate.run({ ...pay, args: {} }, tool, { key: 'a' })).toMatchObject({
      status: 'blocked',
      code: 'denied_by_policy',
    })
    expect(await gate.with({ mode: denyAll() }).run(pay, tool, { key: 'a' })).toMatchObject({
      status: 'blocked',
      code: 'denied_by_mode',
    })
    expect(tool.starts).toHaveLength(1)
  },
)

promise(['SP-17'], 'a policy that cannot be had means that nothing runs', async () => {
  const { gate, tool } = await setUp('memory', {
    policy: () => {
      throw new Error('not loaded')
    },
  })
  for (const name of ['read', 'pay']) {
    expect(await gate.run({ tool: name, args: {} }, tool)).toMatchObject({
      status: 'blocked',
      code: 'internal',
      ran: false,
      modelMessage: expect.stringContaining('could not be checked'),
    })
  }
  expect(tool.starts).toEqual([])
})

promise.each(
  ['CS-GATE-6'],
  'a key of any length names its call: SDKs put signatures into call ids',
  [['memory'], ['sqlite']] as const,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const key = `call_${'s'.repeat(5_000)}`
    const first = await runApproved(gate, gate.run({ ...pay, key }, tool))
    expect(first).toMatchObject({ status: 'succeeded' })
    expect(await gate.run({ ...pay, key }, tool)).toMatchObject({ replayed: true })
    expect(tool.starts).toHaveLength(1)
    // Two long keys that differ in their last letter are two calls.
    expect(await gate.check({ ...pay, key: `${key}x` })).toMatchObject({ status: 'pending' })
    const other = { ...pay, args: { amount: 6 }, key }
    expect(await gate.run(other, tool)).toMatchObject({
      status: 'blocked',
      code: 'key_reused',
      ran: false,
    })
  },
)
