import { expect, test, vi } from 'vitest'
import type { GateEvent } from '../../src/gate/listeners.ts'
import { denyAll } from '../../src/policy/evaluate/mode.ts'
import { autoApprove, autoDeny } from '../../src/testing/strategies.ts'
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
const EVENTS: readonly GateEvent[] = ['evaluated', 'requested', 'decided', 'finished']

promise.each(
  ['AT-32', 'AT-34', 'AT-20'],
  'listeners hear of everything in order, after the policy and as soon as it waits',
  BOTH,
  async (name) => {
    const { gate, store } = await setUp(name)
    const heard: string[] = []
    const leave = EVENTS.map((event) => gate.on(event, () => heard.push(event)))
    const tool = recordingTool(() => heard.push('started'))
    await gate.run({ tool: 'read', args: {} }, tool)
    await new Promise((resolve) => setTimeout(resolve))
    expect(heard.splice(0)).toEqual(['evaluated', 'started', 'finished'])
    expect((await store.list({})).approvals).toEqual([])
    const onPending = vi.fn(() => heard.push('pending'))
    const running = gate.run(pay, tool, { onPending })
    const approval = await nextPending(gate)
    expect(heard).toEqual(['evaluated', 'requested', 'pending'])
    expect(onPending).toHaveBeenCalledWith(expect.objectContaining({ id: approval.id }))
    await approve(gate, approval)
    await running
    await new Promise((resolve) => setTimeout(resolve))
    expect(heard.splice(0)).toEqual([
      'evaluated',
      'requested',
      'pending',
      'decided',
      'started',
      'finished',
    ])
    await gate.run({ tool: 'nuke', args: {} }, tool)
    await new Promise((resolve) => setTimeout(resolve))
    expect(heard.splice(0)).toEqual(['evaluated', 'finished'])
    for (const off of leave) off()
    await gate.run({ tool: 'read', args: {} }, tool)
    expect(heard).toEqual(['started'])
  },
)

promise.each(
  ['CS-GATE-20', 'SP-15'],
  'whatever goes wrong in a listener stays in it',
  [
    [
      'throws',
      () => {
        throw new Error('boo')
      },
    ],
    ['rejects', () => Promise.reject(new Error('boo'))],
    ['never comes back', () => new Promise(() => {})],
    [
      'changes what it hears',
      (event: { call?: { args: Record<string, unknown> } }) => {
        if (event.call) event.call.args.amount = 500
      },
    ],
  ] as [string, () => unknown][],
  async (_, listener) => {
    const { gate, tool } = await setUp('memory')
    for (const event of EVENTS) gate.on(event, listener)
    const running = gate.run(pay, tool, { onPending: listener })
    expect(await runApproved(gate, running)).toMatchObject({ status: 'succeeded' })
    const denied = gate.run({ tool: 'pay', args: { amount: 6 } }, tool, { onPending: listener })
    await deny(gate, await nextPending(gate))
    expect(await denied).toMatchObject({ status: 'blocked', code: 'denied' })
    expect(tool.starts).toMatchObject([{ args: { amount: 5 } }])
    // Where telling failed and no answer ever comes, the question ends and nothing runs.
    const unheard = gate.run({ tool: 'pay', args: { amount: 7 } }, tool, {
      onPending: listener,
      waitFor: 50,
    })
    expect(await unheard).toMatchObject({ status: 'blocked', code: 'withdrawn', ran: false })
    expect(tool.starts).toHaveLength(1)
  },
)

test('a decision is heard once, whether it is made here or seen by several who wait', async () => {
  const { gate, tool } = await setUp('memory')
  const decided = vi.fn()
  gate.on('decided', decided)
  const running = [1, 2, 3].map(() => gate.run(pay, tool, { key: 'a' }))
  await approve(gate, await nextPending(gate))
  await Promise.all(running)
  expect(decided).toHaveBeenCalledTimes(1)
})

promise(
  ['AT-7', 'AT-29'],
  'autoApprove answers by the same rules, with as many people as it takes',
  async () => {
    const strategy = autoApprove()
    const policy = policyOf(`${POLICY}
    - id: named
      match: { tool: refund }
      approval: { approvers: [cy@example.com], reason: required_always }`)
    const { gate, store, tool } = await setUp('memory', { strategy, policy })
    for (const name of ['pay', 'wire', 'refund']) {
      expect(await gate.run({ tool: name, args: { amount: 200 } }, tool)).toMatchObject({
        status: 'succeeded',
      })
    }
    const [wire] = (await store.list({ tool: 'wire' })).approvals
    expect(wire?.decisions.map(({ by }) => by.email)).toEqual(['ana@example.com', 'bo@example.com'])
    expect(tool.starts).toHaveLength(3)
  },
)

promise(['AT-7', 'AT-30'], 'autoDeny answers every question with no', async () => {
  const { gate, tool } = await setUp('memory', { strategy: autoDeny('not in tests') })
  for (const name of ['pay', 'wire']) {
    const outcome = await gate.run({ tool: name, args: {} }, tool)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'denied' })
    expect(outcome.modelMessage).toContain('Reason: not in tests.')
  }
  expect(tool.starts).toEqual([])
})

promise(
  ['AT-21', 'AT-7'],
  'no strategy is reached by what the policy or the mode denies',
  async () => {
    const answers = vi.fn(() => [])
    const { gate, store, tool } = await setUp('memory', { strategy: { name: 'spy', answers } })
    await gate.run({ tool: 'nuke', args: {} }, tool)
    await gate.with({ mode: denyAll() }).run(pay, tool)
    expect(answers).not.toHaveBeenCalled()
    expect((await store.list({})).approvals).toEqual([])
    expect(tool.starts).toEqual([])
  },
)

promise(['AT-29', 'AT-30'], 'strategies refuse production', async () => {
  const strategy = autoApprove()
  vi.stubEnv('NODE_ENV', 'production')
  try {
    const refused = expect.objectContaining({ code: 'mode_refused' })
    expect(() => autoApprove()).toThrow(refused)
    expect(() => autoDeny()).toThrow(refused)
    await expect(setUp('memory', { strategy })).rejects.toMatchObject({ code: 'mode_refused' })
  } finally {
    vi.unstubAllEnvs()
  }
})

test('what a strategy said counts only where that strategy is', async () => {
  const { gate, store, tool } = await setUp('memory', { strategy: autoApprove() })
  const checked = await gate.check(pay)
  const real = (await setUp('memory', { store })).gate
  const id = checked.status === 'pending' ? checked.approval.id : ''
  expect(await real.resume(id, { pay: tool })).toMatchObject({
    status: 'blocked',
    code: 'invalidated',
    approval: { reason: 'voter' },
  })
  expect(tool.starts).toEqual([])
})

test('a guarded tool gives what the tool gives, or the sentence', async () => {
  const { gate } = await setUp('memory', { strategy: autoApprove() })
  const double = ({ n }: { n: number }) => 2 * n
  expect(await gate.guard(double, { name: 'read' })({ n: 2 })).toBe(4)
  expect(await gate.guard(double, { name: 'pay' })({ n: 2 })).toBe(4)
  const nuke = gate.guard(double, { name: 'nuke' })({ n: 2 })
  await expect(nuke).rejects.toThrow(/^The call to nuke is not allowed/)
  const broken = gate.guard(() => Promise.reject(new Error('boo')), { name: 'read' })
  await expect(broken({})).rejects.toThrow('boo')
  const brokenAsked = gate.guard(
    () => {
      throw new Error('boo')
    },
    { name: 'pay' },
  )
  await expect(brokenAsked({})).rejects.toThrow('boo')
  expect(() => gate.guard(double, { name: 'no such name!' })).toThrow('is not a name')
})

test('hints of everything that happens, also from another gate, until told to stop', async () => {
  const { gate, store } = await setUp('memory')
  const controller = new AbortController()
  const heard: string[] = []
  let cursor = ''
  const watching = (async () => {
    for await (const page of gate.approvals.watch({ signal: controller.signal })) {
      cursor = page.cursor
      heard.push(...page.hints.map(({ revision, status }) => `${revision} ${status}`))
      if (heard.length >= 2) return
    }
  })()
  await new Promise((resolve) => setTimeout(resolve, 5))
  const other = (await setUp('memory', { store })).gate
  const checked = await other.check(pay)
  if (checked.status !== 'pending') throw new Error('not asked')
  await deny(other, checked.approval)
  await watching
  expect(heard).toEqual(['1 pending', '2 denied'])
  await other.check({ ...pay, args: {} })
  const stopped = new AbortController()
  for await (const { hints } of gate.approvals.watch({ from: cursor, signal: stopped.signal })) {
    expect(hints).toMatchObject([{ revision: 1, status: 'pending' }])
    stopped.abort()
  }
  await expect(
    gate.approvals.watch({ from: 'made-up' })[Symbol.asyncIterator]().next(),
  ).rejects.toMatchObject({
    code: 'cursor_unknown',
  })
})
