import { expect, onTestFinished, test } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { createGate } from '../../src/gate/gate.ts'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { policyOf } from '../support/policy.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { approve, deny, nextPending, POLICY, recordingTool } from './gates.ts'

/** Several servers on one database. */
async function servers(count: number, policy = policyOf(POLICY)) {
  const url = await freshDatabase()
  const open = async () => {
    const store = await openPostgres(url)
    onTestFinished(() => store.close())
    return { store, gate: createGate({ policy, store, agent: 'biller', run: 'chat-1' }) }
  }
  const first = await open()
  const all = [first]
  while (all.length < count) all.push(await open())
  return { first, all }
}

const pay = { tool: 'pay', args: { amount: 5 } }

promise(
  ['CS-GATE-1', 'CF-8'],
  'asked at one server, answered at another, and run once by whoever comes first',
  async () => {
    const { first, all } = await servers(3)
    const tool = recordingTool()
    const running = all.flatMap(({ gate }) =>
      Array.from({ length: 4 }, () => gate.run(pay, tool, { key: 'a' })),
    )
    const last = all.at(-1) ?? first
    await approve(last.gate, await nextPending(last.gate))
    const outcomes = await Promise.all(running)
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'succeeded', result: { did: pay.args } })
    }
    expect(tool.starts).toHaveLength(1)
    expect((await first.store.list({})).approvals).toHaveLength(1)
  },
)

promise(['CS-GATE-18'], 'sweepers of many servers end each question once', async () => {
  const policy = policyOf('tools: { pay: { approval: { decide_by: 1s } } }')
  const { first, all } = await servers(3, policy)
  const calls = Array.from({ length: 40 }, (_, amount) => ({ tool: 'pay', args: { amount } }))
  await Promise.all(calls.map((call) => first.gate.check(call)))
  await new Promise((resolve) => setTimeout(resolve, 1_100))
  const sweepers = all.map(({ store }) => startSweeper({ store, every: 20 }))
  const left = async () => (await first.store.list({ status: ['pending'] })).approvals.length
  while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  await Promise.all(sweepers.map((sweeper) => sweeper.stop()))
  for (const { id, status } of (await first.store.list({}, { limit: 100 })).approvals) {
    expect(status).toBe('expired')
    const types = (await first.store.events(id)).map(({ event }) => event.type)
    expect(types).toEqual(['requested', 'expired'])
  }
})

test('a gate says at once when the database is gone', async () => {
  const { first } = await servers(1)
  await expect(first.gate.ready()).resolves.toBeUndefined()
  await first.store.close()
  await expect(first.gate.ready()).rejects.toMatchObject({ code: 'store_unavailable' })
  const tool = recordingTool()
  expect(await first.gate.run(pay, tool)).toMatchObject({
    status: 'blocked',
    code: 'store_unavailable',
    ran: false,
  })
  expect(tool.starts).toEqual([])
})

test('a denial answers the same call of its run without another question', async () => {
  const { first } = await servers(1)
  const { gate } = first
  const tool = recordingTool()
  const running = gate.run(pay, tool, { key: 'a' })
  await deny(gate, await nextPending(gate))
  expect(await running).toMatchObject({ status: 'blocked', code: 'denied' })
  expect(await gate.run(pay, tool, { key: 'b' })).toMatchObject({ code: 'denied' })
  expect((await first.store.list({})).approvals).toHaveLength(1)
  expect(tool.starts).toHaveLength(0)
})
