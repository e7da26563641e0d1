import { expect, vi } from 'vitest'
import type { Command } from '../../src/approval/command.ts'
import { CountersignError } from '../../src/base/errors.ts'
import { createGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import type { Store } from '../../src/store/store.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { approve, nextPending, openStore, POLICY, setUp } from './gates.ts'

const pay = { tool: 'pay', args: { amount: 5 } }
const down = () => new CountersignError('store_unavailable', 'the database is gone')

/** A store that fails where it is told to: before doing the thing, or after it is done. */
async function failing(
  where: keyof Store | Command['type'],
  { done = false, times = Number.POSITIVE_INFINITY, error = down() as Error } = {},
): Promise<Store & { calm(): void; readonly healthy: Store }> {
  const store = await openStore('memory')
  let left = times
  const wrap =
    <A extends unknown[], R>(name: string, work: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      const [, command] = given as unknown as [string, Command | undefined]
      const hit = name === where || (name === 'apply' && command?.type === where)
      if (!hit || left-- <= 0) return work(...given)
      if (done) await work(...given)
      throw error
    }
  return {
    ...store,
    apply: wrap('apply', store.apply),
    get: wrap('get', store.get),
    before: wrap('before', store.before),
    content: wrap('content', store.content),
    erase: wrap('erase', store.erase),
    calm() {
      left = 0
    },
    healthy: store,
  }
}

promise.each(
  ['CS-GATE-4', 'SP-17'],
  'a store that fails before the claim is done means that nothing runs',
  [
    ['while looking for earlier answers', 'before', false],
    ['before the request', 'request', false],
    ['after the request, unheard', 'request', true],
    ['while reading the arguments', 'content', false],
    ['before the claim', 'claim', false],
    ['after the claim, unheard', 'claim', true],
  ] as [string, keyof Store | Command['type'], boolean][],
  async (_, where, done) => {
    const store = await failing(where, { done })
    const { gate, tool } = await setUp('memory', { store })
    const running = gate.run(pay, tool, { key: 'a' })
    if (where === 'claim' || where === 'content') {
      const { approvals } = await waitForPending(store)
      const [approval] = approvals
      // People decide in another process, whose database answers.
      const people = await setUp('memory', { store: store.healthy })
      if (approval) await approve(people.gate, approval)
    }
    const outcome = await running
    expect(outcome).toMatchObject({ status: 'blocked', ran: false, code: 'store_unavailable' })
    expect(outcome.modelMessage).toMatch(/so this attempt ran nothing/)
    expect(tool.starts).toEqual([])
  },
)

/** Lets time pass until something is settled. */
async function passing<T>(work: Promise<T>, step = 100): Promise<T> {
  let settled = false
  const done = () => {
    settled = true
  }
  void work.then(done, done)
  while (!settled) {
    await vi.advanceTimersByTimeAsync(step)
    await new Promise((resolve) => setImmediate(resolve))
  }
  return work
}

async function waitForPending(store: Store) {
  for (;;) {
    const page = await store.list({ status: ['pending'] })
    if (page.approvals.length > 0) return page
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

promise(['CS-GATE-4', 'CS-GATE-1'], 'a claim nobody heard of is spent all the same', async () => {
  const store = await failing('claim', { done: true, times: 1 })
  const { gate, tool } = await setUp('memory', { store })
  const running = gate.run(pay, tool, { key: 'a' })
  await approve(gate, await nextPending(gate))
  expect(await running).toMatchObject({ status: 'blocked', code: 'store_unavailable' })
  const again = await gate.run(pay, tool, { key: 'a', waitFor: 5 })
  expect(again).toMatchObject({ status: 'unknown', code: 'already_claimed', ran: 'unknown' })
  expect(tool.starts).toEqual([])
})

promise(['CS-GATE-4'], 'a request nobody heard of is found again by its key', async () => {
  const store = await failing('request', { done: true, times: 1 })
  const { gate, tool } = await setUp('memory', { store })
  expect(await gate.run(pay, tool, { key: 'a' })).toMatchObject({
    status: 'blocked',
    code: 'store_unavailable',
  })
  const running = gate.run(pay, tool, { key: 'a' })
  const approval = await nextPending(gate)
  await approve(gate, approval)
  expect(await running).toMatchObject({ status: 'succeeded' })
  expect((await store.list({})).approvals).toHaveLength(1)
})

promise.each(
  ['SP-17'],
  'whatever the store throws, the caller gets an outcome and not an exception',
  [
    ['busy', new CountersignError('store_busy', 'busy'), 'store_busy'],
    ['closed', new CountersignError('store_closed', 'closed'), 'store_closed'],
    ['damaged', new CountersignError('store_damaged', 'damaged'), 'store_damaged'],
    // Whether the question was written is unknown; that the call did not run is not.
    ['nobody knows', new CountersignError('outcome_unknown', 'lost'), 'store_unavailable'],
    ['clock behind', new CountersignError('clock_behind', 'behind'), 'clock_behind'],
    ['something else', new TypeError('x is not a function'), 'store_unavailable'],
  ] as [string, Error, string][],
  async (_, error, code) => {
    const { gate, tool } = await setUp('memory', { store: await failing('request', { error }) })
    const unchecked = {
      status: 'blocked',
      code,
      ran: false,
      modelMessage: expect.stringContaining('could not be checked'),
    }
    expect(await gate.run(pay, tool)).toMatchObject(unchecked)
    expect(await gate.check(pay)).toMatchObject(unchecked)
    expect(tool.starts).toEqual([])
  },
)

promise(
  ['CS-GATE-5', 'CS-GATE-3'],
  'a store that fails after the run costs nobody the result, and the end is written when it can be',
  async () => {
    const store = await failing('finish')
    const { gate, tool } = await setUp('memory', { store })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      const checked = await gate.check(pay, { key: 'a' })
      if (checked.status !== 'pending') throw new Error('not asked')
      await approve(gate, checked.approval)
      const running = gate.resume(checked.approval.id, { pay: tool })
      expect(await passing(running)).toMatchObject({
        status: 'succeeded',
        ran: true,
        result: { did: pay.args },
        unrecorded: true,
      })
      expect((await store.get(checked.approval.id))?.execution).toMatchObject({ state: 'running' })
      store.calm()
      await passing(gate[internals].idle())
      expect((await store.get(checked.approval.id))?.execution).toMatchObject({
        state: 'succeeded',
      })
    } finally {
      vi.useRealTimers()
    }
    expect(await gate.run(pay, tool, { key: 'a' })).toMatchObject({ replayed: true })
    expect(tool.starts).toHaveLength(1)
  },
)

promise(['CS-GATE-5'], 'a store that is away for long gets the end when it is back', async () => {
  const store = await failing('finish')
  const { gate, tool } = await setUp('memory', { store })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  try {
    const checked = await gate.check(pay)
    if (checked.status !== 'pending') throw new Error('not asked')
    await approve(gate, checked.approval)
    const running = gate.resume(checked.approval.id, { pay: tool })
    expect(await passing(running)).toMatchObject({ status: 'succeeded', unrecorded: true })
    await passing(gate[internals].idle())
    const execution = async () => (await store.get(checked.approval.id))?.execution
    expect(await execution()).toMatchObject({ state: 'running' })
    await passing(new Promise((resolve) => setTimeout(resolve, 3_600_000)), 10_000)
    expect(await execution()).toMatchObject({ state: 'running' })
    store.calm()
    await passing(new Promise((resolve) => setTimeout(resolve, 60_000)), 10_000)
    expect(await execution()).toMatchObject({ state: 'succeeded' })
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

promise(['CS-GATE-19'], 'a gate without a policy or a store is not made', async () => {
  const policy = policyOf(POLICY)
  const store = await openStore('memory')
  const missing = undefined as never
  expect(() => createGate({ policy, store: missing })).toThrow(
    expect.objectContaining({ code: 'store_unavailable' }),
  )
  expect(() => createGate({ policy: missing, store })).toThrow(
    expect.objectContaining({ code: 'policy_invalid' }),
  )
  expect(() => createGate({ policy, store, tenant: 'other' })).toThrow(
    expect.objectContaining({ code: 'usage' }),
  )
  await expect(createGate({ policy, store }).ready()).resolves.toBeUndefined()
  const broken = createGate({ policy, store: await failing('erase') })
  await expect(broken.ready()).rejects.toMatchObject({ code: 'store_unavailable' })
})
