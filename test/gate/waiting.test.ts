import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { promise } from '../support/promise.ts'
import { approve, BOTH, nextPending, openStore, recordingTool, setUp } from './gates.ts'

const pay = { tool: 'pay', args: { amount: 5 } }
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

promise.each(
  ['SP-14', 'CS-GATE-17'],
  'a caller that goes away takes its question with it',
  BOTH,
  async (name) => {
    const { gate, store, tool } = await setUp(name)
    const controller = new AbortController()
    const running = gate.run(pay, tool, { signal: controller.signal })
    const approval = await nextPending(gate)
    controller.abort()
    expect(await running).toMatchObject({ status: 'blocked', code: 'withdrawn', ran: false })
    expect(await store.get(approval.id)).toMatchObject({ status: 'withdrawn' })
    await expect(approve(gate, approval)).rejects.toMatchObject({ code: 'withdrawn' })
    expect(tool.starts).toEqual([])
  },
)

promise(['CS-GATE-17'], 'an aborted call is never asked about, allowed or not', async () => {
  const { gate, store, tool } = await setUp('memory')
  const signal = AbortSignal.abort()
  for (const name of ['pay', 'read']) {
    expect(await gate.run({ tool: name, args: {} }, tool, { signal })).toMatchObject({
      status: 'blocked',
      code: 'withdrawn',
    })
    const guarded = gate.guard(tool, { name })
    await expect(guarded({}, { signal })).rejects.toThrow(/was withdrawn/)
  }
  expect((await store.list({})).approvals).toEqual([])
  expect(tool.starts).toEqual([])
})

promise.each(
  ['CS-GATE-17', 'SP-18'],
  'an abort at any moment before the start runs nothing',
  [
    ['while the request is written', 'request'],
    ['while the claim is written', 'claim'],
    ['right after the answer', 'decide'],
  ],
  async (_, moment) => {
    const store = await openStore('memory')
    const controller = new AbortController()
    const aborting: Store = {
      ...store,
      async apply(id, command) {
        const applied = await store.apply(id, command)
        if (command.type === moment) controller.abort()
        return applied
      },
    }
    const { gate, tool } = await setUp('memory', { store: aborting })
    const running = gate.run(pay, tool, { signal: controller.signal })
    if (moment !== 'request') await approve(gate, await nextPending(gate))
    expect(await running).toMatchObject({ status: 'blocked', code: 'withdrawn', ran: false })
    expect(tool.starts).toEqual([])
    const [approval] = (await store.list({})).approvals
    // Withdrawn, or claimed a moment earlier and left alone: spent either way.
    if (approval?.execution) expect(approval.execution).toMatchObject({ state: 'failed' })
    else expect(approval).toMatchObject({ status: 'withdrawn' })
  },
)

promise.each(
  ['CS-GATE-17'],
  'one of two who wait may go, and the other still gets its answer',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const controller = new AbortController()
    const leaving = gate.run(pay, tool, { key: 'a', signal: controller.signal })
    const approval = await nextPending(gate)
    const joined = Promise.withResolvers<void>()
    const staying = gate.run(pay, tool, { key: 'a', onPending: () => joined.resolve() })
    await joined.promise
    controller.abort()
    expect(await leaving).toMatchObject({ status: 'pending', ran: false })
    await approve(gate, approval)
    expect(await staying).toMatchObject({ status: 'succeeded' })
    expect(tool.starts).toHaveLength(1)
  },
)

promise(
  ['CS-GATE-3'],
  'a caller who stops waiting for a call that runs elsewhere is told so',
  async () => {
    const { gate } = await setUp('memory')
    let finish = () => {}
    const tool = recordingTool(
      () =>
        new Promise<void>((resolve) => {
          finish = resolve
        }),
    )
    const running = gate.run(pay, tool, { key: 'a' })
    await approve(gate, await nextPending(gate))
    while (tool.starts.length === 0) await pause(1)
    const other = await gate.run(pay, tool, { key: 'a', waitFor: 10 })
    expect(other).toMatchObject({ status: 'unknown', code: 'already_claimed', ran: 'unknown' })
    expect(other.modelMessage).not.toMatch(/did not run/)
    finish()
    expect(await running).toMatchObject({ status: 'succeeded' })
  },
)

test.each(BOTH)('waiting leaves nothing behind: %s', async (name) => {
  const { gate, tool } = await setUp(name)
  const { signal } = new AbortController()
  for (let round = 0; round < 5; round++) {
    const call = { tool: 'pay', args: { round } }
    const running = gate.run(call, tool, { signal, waitFor: '10m' })
    await approve(gate, await nextPending(gate))
    await running
    await gate.run({ tool: 'pay', args: { lapsed: round } }, tool, { signal, waitFor: 2 })
  }
  expect(getEventListeners(signal, 'abort')).toEqual([])
})

test('a wait of many weeks does not end at once', async () => {
  const { gate, tool } = await setUp('memory')
  const running = gate.run(pay, tool, { waitFor: '40 days' })
  const approval = await nextPending(gate)
  await pause(30)
  await approve(gate, approval)
  expect(await running).toMatchObject({ status: 'succeeded' })
})

test('a thousand wait at once', async () => {
  const { gate, store, tool } = await setUp('sqlite')
  const calls = Array.from({ length: 1_000 }, (_, amount) =>
    gate.run({ tool: 'pay', args: { amount } }, tool),
  )
  const asked = async () => (await store.list({ status: ['pending'] }, { limit: 500 })).approvals
  while (tool.starts.length < 1_000) {
    await Promise.all((await asked()).map((approval) => approve(gate, approval)))
    await pause(1)
  }
  for (const outcome of await Promise.all(calls)) expect(outcome.status).toBe('succeeded')
  const amounts = new Set(tool.starts.map(({ args }) => args.amount))
  expect(amounts.size).toBe(1_000)
}, 60_000)
