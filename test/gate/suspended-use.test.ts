import { expect } from 'vitest'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { approve, BOTH, nextPending, setUp } from './gates.ts'

const HOUR = 3_600_000
const pay = { tool: 'pay', args: { amount: 5 }, key: 'k' }
const plain = policyOf('version: 1\ntools: { pay: { approval: true } }\n')
const short = policyOf('version: 1\ntools: { pay: { approval: { use_by: 10m } } }\n')

promise.each(['CS-WAIT-2'], 'a yes given at night runs in the morning', BOTH, async (name) => {
  const { gate, clock, tool } = await setUp(name, { policy: plain })
  expect(await gate.run(pay, tool, { wait: false })).toMatchObject({ status: 'pending' })
  await approve(gate, await nextPending(gate))
  clock.advance(23 * HOUR)
  expect(await gate.run(pay, tool, { wait: false })).toMatchObject({ status: 'succeeded' })
  expect(tool.starts).toHaveLength(1)
})

promise.each(['CS-WAIT-2'], 'after a day it does not', BOTH, async (name) => {
  const { gate, clock, tool } = await setUp(name, { policy: plain })
  await gate.check(pay)
  await approve(gate, await nextPending(gate))
  clock.advance(24 * HOUR)
  expect(await gate.run(pay, tool, { wait: false })).toMatchObject({
    status: 'blocked',
    code: 'expired',
  })
  expect(tool.starts).toEqual([])
})

promise(['CS-WAIT-2'], 'a use_by that is written down holds for suspended runs too', async () => {
  const { gate, clock, tool } = await setUp('memory', { policy: short })
  await gate.check(pay)
  // What people read on the card as well.
  expect((await nextPending(gate)).terms.useBy).toBe(HOUR / 6)
  await approve(gate, await nextPending(gate))
  clock.advance(HOUR)
  expect(await gate.run(pay, tool, { wait: false })).toMatchObject({
    status: 'blocked',
    code: 'expired',
  })
})

promise(
  ['CS-WAIT-2'],
  'a policy that shortens use_by counts for a yes that was given before',
  async () => {
    let policy = plain
    const { gate, clock, tool } = await setUp('memory', { policy: () => policy })
    await gate.check(pay)
    await approve(gate, await nextPending(gate))
    policy = short
    clock.advance(HOUR)
    expect(await gate.run(pay, tool, { wait: false })).toMatchObject({ ran: false })
    expect(tool.starts).toEqual([])
  },
)

promise(['CS-WAIT-2'], 'for a caller that waits a yes is good for 15 minutes', async () => {
  const { gate, tool } = await setUp('memory', { policy: plain })
  const running = gate.run(pay, tool)
  const { terms } = await approve(gate, await nextPending(gate))
  expect(terms.useBy).toBe(HOUR / 4)
  await running
})
