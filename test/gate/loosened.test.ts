import { expect, vi } from 'vitest'
import { custom } from '../../src/policy/evaluate/mode.ts'
import type { Store } from '../../src/store/store.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { approve, BOTH, deny, nextPending, POLICY, recordingTool, setUp } from './gates.ts'

const pay = { tool: 'pay', args: { amount: 5 } }
const LOOSE = policyOf('tools: { pay: { approval: false }, wire: { approval: true } }')

/** A gate that asks, and one on the same store whose rules allow the same call. */
async function loosened(name: 'memory' | 'sqlite') {
  const before = await setUp(name)
  const after = await setUp(name, { store: before.store, policy: LOOSE })
  return { ...before, loose: after.gate, tool: before.tool }
}

promise.each(
  ['CS-GATE-25'],
  'what people denied stays denied under its key when the rules allow it later',
  BOTH,
  async (name) => {
    const { gate, loose, tool } = await loosened(name)
    const running = gate.run(pay, tool, { key: 'call-1' })
    await deny(gate, await nextPending(gate), { reason: 'not this one' })
    await running
    expect(await loose.run(pay, tool, { key: 'call-1' })).toMatchObject({
      status: 'blocked',
      code: 'denied',
    })
    expect(await loose.check({ ...pay, key: 'call-1' })).toMatchObject({ status: 'blocked' })
    const guarded = loose.guard(tool, { name: 'pay' })
    await expect(guarded(pay.args, { key: 'call-1' })).rejects.toThrow('denied')
    expect(tool.starts).toEqual([])
    expect(await loose.run(pay, tool, { key: 'call-2' })).toMatchObject({ status: 'succeeded' })
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['CS-GATE-25'],
  'what still waits is joined, and runs once when it is approved',
  BOTH,
  async (name) => {
    const { gate, loose, tool } = await loosened(name)
    const first = gate.run(pay, tool, { key: 'call-1' })
    const approval = await nextPending(gate)
    expect(await loose.check({ ...pay, key: 'call-1' })).toMatchObject({ status: 'pending' })
    const onPending = vi.fn()
    const second = loose.run(pay, tool, { key: 'call-1', onPending })
    await vi.waitFor(() => expect(onPending).toHaveBeenCalled())
    expect(tool.starts).toEqual([])
    await approve(gate, approval)
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([
      'succeeded',
      'succeeded',
    ])
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['CS-GATE-25'],
  'a key that named another call is refused, and a finished one gives its result',
  BOTH,
  async (name) => {
    const { gate, loose, tool } = await loosened(name)
    const running = gate.run(pay, tool, { key: 'call-1' })
    await approve(gate, await nextPending(gate))
    await running
    const again = await loose.run(pay, tool, { key: 'call-1' })
    expect(again).toMatchObject({ status: 'succeeded', replayed: true })
    const other = { ...pay, args: { amount: 6 } }
    expect(await loose.run(other, tool, { key: 'call-1' })).toMatchObject({
      status: 'blocked',
      code: 'key_reused',
    })
    expect(tool.starts).toHaveLength(1)
  },
)

/** How often the store is asked for a key. */
function countFinds(store: Store) {
  let finds = 0
  const counted: Store = {
    ...store,
    find(key) {
      finds += 1
      return store.find(key)
    },
  }
  return { counted, finds: () => finds }
}

promise(
  ['CS-GATE-25'],
  'a tool that other rules never asked about costs no look at the store',
  async () => {
    const { store, gate, tool } = await setUp('memory')
    const running = gate.run(pay, tool, { key: 'call-1' })
    await approve(gate, await nextPending(gate))
    await running
    const { counted, finds } = countFinds(store)
    const free = recordingTool()
    const { gate: same } = await setUp('memory', { store: counted, policy: policyOf(POLICY) })
    for (const key of ['a', 'b', 'c']) {
      await same.run({ tool: 'read', args: {} }, free, { key })
      await same.run({ tool: 'refund', args: { amount: 5 } }, free, { key: `${key}2` })
    }
    expect(free.starts).toHaveLength(6)
    expect(finds()).toBe(0)
    const { gate: loose } = await setUp('memory', { store: counted, policy: LOOSE })
    await loose.run(pay, free, { key: 'd' })
    expect(finds()).toBe(1)
  },
)

promise(
  ['CS-GATE-25'],
  'a store that cannot say lets nothing run that others asked about',
  async () => {
    const { gate, store, tool } = await setUp('memory')
    void gate.run(pay, tool, { key: 'call-1' })
    await nextPending(gate)
    const down: Store = { ...store, find: () => Promise.reject(new Error('gone')) }
    const { gate: loose } = await setUp('memory', { store: down, policy: LOOSE })
    expect(await loose.run(pay, tool, { key: 'call-1' })).toMatchObject({
      status: 'blocked',
      code: 'store_unavailable',
      ran: false,
    })
    expect(tool.starts).toEqual([])
  },
)

promise.each(
  ['CS-GATE-25', 'AT-15'],
  'what the function of a custom mode once asked about is not run because it says no later',
  BOTH,
  async (name) => {
    let asks = true
    const { gate, tool } = await setUp(name, { mode: custom(() => asks) })
    const read = { tool: 'read', key: 'call-1', args: {} }
    expect(await gate.run(read, tool, { wait: false })).toMatchObject({ status: 'pending' })
    asks = false
    expect(await gate.run(read, tool, { wait: false })).toMatchObject({ status: 'pending' })
    expect(await gate.check(read)).toMatchObject({ status: 'pending' })
    expect(tool.starts).toEqual([])
  },
)
