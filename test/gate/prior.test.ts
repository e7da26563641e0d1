import { expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { policyOf } from '../support/policy.ts'
import { approve, nextPending, openStore, POLICY, setUp } from './gates.ts'

/** A store, and how often it was asked for the approval under a key. */
async function countingStore(): Promise<{ readonly store: Store; reads(): number }> {
  const inner = await openStore('memory')
  let reads = 0
  const store = new Proxy(inner, {
    get(target, name, receiver) {
      if (name === 'find') reads += 1
      return Reflect.get(target, name, receiver)
    },
  })
  return { store, reads: () => reads }
}

const pay = { tool: 'pay', args: { amount: 5 }, key: 'k' }

test('a call that is asked about reads its prior approval once', async () => {
  const { store, reads } = await countingStore()
  const { gate, tool } = await setUp('memory', { store })
  // A function in code has to know of an earlier question too.
  gate.declare('pay', { approval: () => true })
  const running = gate.run(pay, tool)
  await approve(gate, await nextPending(gate))
  expect(await running).toMatchObject({ status: 'succeeded' })
  expect(reads()).toBe(1)
})

test('a status that is only looked up reads its prior approval once', async () => {
  const { store, reads } = await countingStore()
  const { gate } = await setUp('memory', { store })
  gate.declare('pay', { approval: () => true })
  expect(await gate.check(pay)).toMatchObject({ status: 'pending' })
  expect(reads()).toBe(1)
  expect(await gate.check(pay)).toMatchObject({ status: 'pending' })
  expect(reads()).toBe(2)
})

test('a call that is refused, or allowed by other rules, reads its prior approval once', async () => {
  const { store, reads } = await countingStore()
  const { gate, tool } = await setUp('memory', { store })
  expect(await gate.run({ ...pay, tool: 'nuke' }, tool)).toMatchObject({ status: 'blocked' })
  expect(reads()).toBe(1)
  await gate.run(pay, tool, { wait: false })
  const policy = policyOf(POLICY.replace('pay: { approval: true,', 'pay: { approval: false,'))
  const loose = await setUp('memory', { store, policy })
  const before = reads()
  const again = await loose.gate.run(pay, tool, { wait: false })
  expect(again).toMatchObject({ status: 'pending' })
  expect(reads()).toBe(before + 1)
})
