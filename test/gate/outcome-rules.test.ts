import { expect } from 'vitest'
import { custom, denyAll } from '../../src/policy/evaluate/mode.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import {
  ana,
  approve,
  BOTH,
  bo,
  deny,
  kim,
  nextPending,
  POLICY,
  person,
  recordingTool,
  runApproved,
  setUp,
} from './gates.ts'

promise(
  ['SP-2'],
  'locks hold back allowed calls too, and locks that cannot be read hold back all',
  async () => {
    const tool = recordingTool()
    const locked = await setUp('memory', { authorize: async () => ({ code: 'quarantined' }) })
    expect(await locked.gate.run({ tool: 'read', args: {} }, tool)).toMatchObject({
      status: 'blocked',
      code: 'quarantined',
    })
    const broken = await setUp('memory', { authorize: () => Promise.reject(new Error('gone')) })
    expect(await broken.gate.run({ tool: 'read', args: {} }, tool)).toMatchObject({
      status: 'blocked',
      code: 'locked',
    })
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['AT-14', 'AT-21'],
  'under denyAll the model reads one fixed text and nobody is asked',
  [['read'], ['pay'], ['nuke']] as const,
  async (name) => {
    const { gate, store, tool } = await setUp('memory')
    const preview = gate.with({ mode: denyAll() })
    const outcome = await preview.run({ tool: name, args: {} }, tool)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'denied_by_mode', ran: false })
    expect(outcome.modelMessage).toBe(
      '{"status":"cancelled","message":"Tool execution denied by policy"}',
    )
    expect((await store.list({})).approvals).toEqual([])
    expect(tool.starts).toEqual([])
  },
)

promise(['AT-28'], 'a policy that changes counts from the next call on', async () => {
  let policy = policyOf('tools: { read: { approval: false }, pay: { approval: true } }')
  const { gate, tool } = await setUp('memory', { policy: () => policy })
  const read = (round: number) =>
    gate.run({ tool: 'read', args: { round } }, tool, { key: `read-${round}`, wait: false })
  const pay = () => gate.run({ tool: 'pay', args: {} }, tool, { key: 'pay', wait: false })
  expect(await read(1)).toMatchObject({ status: 'succeeded' })
  expect(await pay()).toMatchObject({ status: 'pending' })
  await approve(gate, await nextPending(gate))
  policy = policyOf('tools: { read: { approval: true } }', 'governance: [{ id: no, deny: Closed }]')
  expect(await read(2)).toMatchObject({ status: 'blocked', code: 'denied_by_policy' })
  // The yes was given under the old rules, and is not used under the new ones.
  expect(await pay()).toMatchObject({ status: 'blocked', code: 'denied_by_policy' })
  policy = policyOf('tools: { read: { approval: true } }')
  expect(await read(3)).toMatchObject({ status: 'pending' })
  expect(tool.starts).toHaveLength(1)
})

promise(['AT-28'], 'every round of a run sees the mode of the first', async () => {
  const { gate, tool } = await setUp('memory')
  const preview = gate.with({ mode: denyAll(), run: 'chat-2' })
  for (let round = 0; round < 3; round++) {
    expect(await preview.run({ tool: 'read', args: { round } }, tool)).toMatchObject({
      status: 'blocked',
      code: 'denied_by_mode',
    })
    expect(await gate.run({ tool: 'read', args: { round } }, tool)).toMatchObject({
      status: 'succeeded',
    })
  }
})

promise(['CF-18'], 'a function decides by the arguments, in its own time', async () => {
  const { gate, tool } = await setUp('memory', {
    mode: custom(async ({ args }) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return Number(args.amount) > 100
    }),
  })
  expect(await gate.run({ tool: 'read', args: { amount: 50 } }, tool)).toMatchObject({
    status: 'succeeded',
  })
  const running = gate.run({ tool: 'read', args: { amount: 500 } }, tool)
  expect(await runApproved(gate, running)).toMatchObject({ status: 'succeeded' })
})

promise.each(
  ['CF-43'],
  'two people are needed, each counts once, and more change nothing',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const running = gate.run({ tool: 'wire', args: { amount: 9 } }, tool)
    const approval = await nextPending(gate)
    await approve(gate, approval, ana)
    await approve(gate, approval, ana)
    expect((await gate.approvals.get(approval.id))?.approval.status).toBe('pending')
    await expect(approve(gate, approval, kim)).rejects.toMatchObject({ code: 'not_an_approver' })
    await approve(gate, approval, bo)
    expect(await running).toMatchObject({ status: 'succeeded' })
    const dee = person('dee', { groups: ['finance'] })
    await expect(approve(gate, approval, dee)).rejects.toMatchObject({ code: 'already_claimed' })
    expect(tool.starts).toHaveLength(1)
  },
)

promise(
  ['SP-17', 'CS-GATE-13'],
  'without an eligible approver the call is refused and not asked',
  async () => {
    const { gate, store, tool } = await setUp('memory', {
      people: {
        directory: () => ({
          groups: { finance: { emails: ['ana@example.com'] } },
          approvers: 'open',
        }),
        lookup: (one) => one,
      },
    })
    const outcome = await gate.run({ tool: 'wire', args: {} }, tool)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'no_eligible_approver' })
    expect((await store.list({})).approvals).toEqual([])
  },
)

promise(['CS-GATE-24'], 'an agent that floods people is stopped', async () => {
  const { gate, clock, tool } = await setUp('memory', {
    policy: policyOf(`${POLICY}
  limits: { pending_per_agent: 2, asks_per_minute: 3 }`),
  })
  const asking = [1, 2].map((amount) => gate.run({ tool: 'pay', args: { amount } }, tool))
  const first = await nextPending(gate)
  await nextPending(gate, [first.id])
  const third = await gate.run({ tool: 'pay', args: { amount: 3 } }, tool)
  expect(third).toMatchObject({ status: 'blocked', code: 'too_many_pending' })
  const other = gate.with({ agent: 'other' }).check({ tool: 'pay', args: {} })
  expect(await other).toMatchObject({ status: 'pending' })
  await deny(gate, first)
  const fourth = await gate.check({ tool: 'pay', args: { amount: 4 } })
  expect(fourth).toMatchObject({ status: 'pending' })
  if (fourth.status !== 'pending') throw new Error('not reached')
  await deny(gate, fourth.approval)
  const fifth = await gate.check({ tool: 'pay', args: { amount: 5 } })
  expect(fifth).toMatchObject({ status: 'blocked', code: 'too_many_pending' })
  clock.advance(61_000)
  expect(await gate.check({ tool: 'pay', args: { amount: 5 } })).toMatchObject({
    status: 'pending',
  })
  for (const approval of (await gate.approvals.list({ status: ['pending'] })).approvals) {
    await deny(gate, approval)
  }
  await Promise.all(asking)
})
