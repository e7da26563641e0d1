import { expect, test } from 'vitest'
import { internals } from '../../src/gate/internals.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import {
  approved,
  BOTH,
  kim,
  nextPending,
  POLICY,
  pay,
  recordingTool,
  runApproved,
  setUp,
} from './gates.ts'

promise.each(
  ['AR-28', 'CF-5', 'AR-26'],
  'what an approver attaches reaches the tool, and those who wait for the answer',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const call = { ...pay, key: 'k1' }
    const running = gate.run(call, tool)
    const { id, digest } = await nextPending(gate)
    const payload = { account: 'B', amount: 999 }
    await gate.approvals.decide(id, { by: kim, verdict: 'approve', seen: digest, payload })
    expect(await running).toMatchObject({ status: 'succeeded', payload })
    expect(await gate.check(call)).toMatchObject({ status: 'approved', payload })
    expect(await gate.run(call, tool)).toMatchObject({ replayed: true, payload })
    expect(tool.starts[0]?.context.decision).toEqual(payload)
    expect(tool.starts[0]?.args).toEqual({ amount: 5 })
  },
)

promise.each(
  ['CS-GATE-21'],
  'a tool that throws has run and failed',
  [
    ['asked about', 'pay'],
    ['allowed', 'read'],
  ] as const,
  async (_, name) => {
    const { gate, store } = await setUp('memory')
    const error = new RangeError('out of money')
    const tool = recordingTool(() => {
      throw error
    })
    const running = gate.run({ tool: name, args: {} }, tool)
    const outcome = name === 'pay' ? await runApproved(gate, running) : await running
    expect(outcome).toMatchObject({ status: 'failed', ran: true, error })
    expect(outcome.modelMessage).toBe(`The call to ${name} ran and failed. Reason: out of money.`)
    if (name === 'pay') {
      // The record must say so too, not only the caller.
      const { approvals } = await store.list({ tool: 'pay' })
      expect(approvals.map(({ execution }) => execution?.state)).toEqual(['failed'])
    }
    const sync = () => {
      throw error
    }
    expect(await gate.run({ tool: 'read', args: {} }, sync)).toMatchObject({
      status: 'failed',
      error,
    })
  },
)

test.each(BOTH)('results are kept as the policy and their size allow: %s', async (name) => {
  const { gate } = await setUp(name, {
    policy: policyOf(`
      tools:
        pay: { approval: true }
        secret: { approval: true, result: drop }
    `),
  })
  const results: readonly (readonly [string, unknown, object])[] = [
    ['pay', { big: 'x'.repeat(262_145) }, { noResult: 'too_large' }],
    ['pay', { when: new Date(0) }, { noResult: 'invalid' }],
    ['secret', 'xyzzy', { noResult: 'dropped' }],
    ['pay', undefined, {}],
    ['pay', null, { result: null }],
  ]
  for (const [index, [tool, result, again]] of results.entries()) {
    const call = { tool, args: { index } }
    const options = { key: `${index}` }
    const first = await runApproved(
      gate,
      gate.run(call, () => result, options),
    )
    expect(first).toMatchObject({ status: 'succeeded', result })
    const replayed = await gate.run(call, () => 'never', options)
    expect(replayed).toMatchObject({ status: 'succeeded', replayed: true, ...again })
  }
})

test('a result is forgotten after a day, and the model is told that the call ran', async () => {
  const { gate, clock, tool } = await setUp('memory')
  await runApproved(gate, gate.run(pay, tool, { key: 'a' }))
  clock.advance(25 * 3_600_000)
  const again = await gate.run(pay, tool, { key: 'a' })
  expect(again).toMatchObject({ status: 'succeeded', ran: true, noResult: 'erased' })
  expect(again.modelMessage).toMatch(
    /^The call to pay already ran and succeeded .* its result is not kept/,
  )
  expect(tool.starts).toHaveLength(1)
})

test.each(BOTH)(
  'a claim over a lease is renewed, finished once and by its holder: %s',
  async (name) => {
    const { gate, clock, tool } = await setUp(name)
    const { id, askedDigest } = await approved(gate)
    await expect(gate[internals].claim(id, 'f'.repeat(64))).rejects.toMatchObject({
      code: 'call_changed',
    })
    await expect(gate[internals].claim('nobody', askedDigest)).rejects.toMatchObject({
      code: 'approval_not_found',
    })
    const leased = await gate[internals].claim(id, askedDigest, { lease: 30_000 })
    expect(leased).toMatchObject({
      args: { amount: 5 },
      digest: askedDigest,
      lease: 30_000,
      startWithin: 10_000,
    })
    await expect(gate[internals].claim(id, askedDigest)).rejects.toMatchObject({
      code: 'already_claimed',
    })
    clock.advance(20_000)
    await gate[internals].renew({ id, claim: leased.claim, lease: 30_000 })
    const stranger = gate[internals].finish({ id, claim: 'made-up', outcome: 'succeeded' })
    await expect(stranger).rejects.toMatchObject({ code: 'not_the_claimer' })
    await gate[internals].finish({
      id,
      claim: leased.claim,
      outcome: 'succeeded',
      result: { paid: 5 },
    })
    expect(await gate.resume(id, { pay: tool })).toMatchObject({
      status: 'succeeded',
      replayed: true,
      result: { paid: 5 },
    })
    expect(tool.starts).toEqual([])
  },
)

promise(
  ['CS-GATE-5'],
  'a policy that breaks while the tool runs costs nobody the result',
  async () => {
    let broken = false
    const policy = policyOf(POLICY)
    const { gate } = await setUp('memory', {
      policy: () => {
        if (broken) throw new Error('gone')
        return policy
      },
    })
    const { id } = await approved(gate)
    const tool = recordingTool(() => {
      broken = true
      return 'paid'
    })
    expect(await gate.resume(id, { pay: tool })).toMatchObject({
      status: 'succeeded',
      result: 'paid',
    })
  },
)
