import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { internals } from '../../src/gate/internals.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { approve, BOTH, kim, nextPending, recordingTool, setUp } from './gates.ts'

const pay = { tool: 'pay', args: { amount: 5 } }
const MINUTE = 60_000

/** Two processes on one file: what one leaves behind the other finds. */
async function twoStores() {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-sweep-'))
  const clock = fakeClock()
  const file = path.join(folder, 'gate.db')
  const one = await openSqlite(file, { clock: clock.now })
  const other = await openSqlite(file, { clock: clock.now })
  onTestFinished(async () => {
    await one.close()
    await other.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { clock, one, other }
}

/** Counts what it commits. */
async function countedStore() {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-sweep-'))
  const clock = fakeClock()
  let commits = 0
  const store = await openSqlite(path.join(folder, 'gate.db'), {
    clock: clock.now,
    probe: (point) => {
      if (point === 'committed') commits += 1
    },
  })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { clock, store, commits: () => commits }
}

async function askMany(gate: Awaited<ReturnType<typeof setUp>>['gate'], many: number) {
  const calls = Array.from({ length: many }, (_, amount) => ({ tool: 'pay', args: { amount } }))
  await Promise.all(calls.map((call) => gate.check(call)))
}

function sweeperFor(store: Parameters<typeof startSweeper>[0]['store'], options = {}) {
  const sweeper = startSweeper({ store, every: 1_000_000, ...options })
  onTestFinished(() => sweeper.stop())
  return sweeper
}

promise.each(
  ['CF-45'],
  'reminders and escalations come when their time has come',
  BOTH,
  async (name) => {
    const { gate, store, clock } = await setUp(name, {
      policy: policyOf(`
        people: { groups: { chiefs: [cy@example.com] } }
        tools:
          pay:
            approval:
              decide_by: 8h
              remind_after: 1h
              escalate: [{ after: 4h, to: { group: chiefs } }]
              approvers: [ana@example.com]
      `),
    })
    const sweeper = sweeperFor(store)
    const checked = await gate.check(pay)
    if (checked.status !== 'pending') throw new Error('not asked')
    const now = async () => (await store.get(checked.approval.id)) ?? checked.approval
    expect(await sweeper.sweep()).toBe(0)
    clock.advance(61 * MINUTE)
    expect(await sweeper.sweep()).toBe(1)
    expect(await now()).toMatchObject({ reminders: 1, escalated: [] })
    expect(await sweeper.sweep()).toBe(0)
    clock.advance(180 * MINUTE)
    await sweeper.sweep()
    expect(await now()).toMatchObject({ reminders: 2, escalated: [{ requirement: 0, step: 0 }] })
    clock.advance(240 * MINUTE)
    await sweeper.sweep()
    expect(await now()).toMatchObject({ status: 'expired', reason: 'undecided' })
    clock.advance(600 * MINUTE)
    expect(await sweeper.sweep()).toBe(0)
  },
)

promise.each(
  ['CS-GATE-18'],
  'without any sweeper a late answer is late all the same',
  BOTH,
  async (name) => {
    const { gate, store, clock, tool } = await setUp(name)
    const first = await gate.check(pay, { key: 'a' })
    const second = await gate.check(pay, { key: 'b' })
    if (first.status !== 'pending' || second.status !== 'pending') throw new Error('not asked')
    await approve(gate, second.approval)
    clock.advance(10 * MINUTE)
    expect(await gate.resume(second.approval.id, { pay: tool })).toMatchObject({
      status: 'blocked',
      code: 'expired',
      approval: { reason: 'unused' },
    })
    clock.advance(50 * MINUTE)
    await expect(approve(gate, first.approval)).rejects.toMatchObject({ code: 'expired' })
    expect(await store.get(first.approval.id)).toMatchObject({ status: 'expired' })
    expect(tool.starts).toEqual([])
  },
)

promise(['CS-GATE-18'], 'many sweepers end each question once', async () => {
  const { clock, one, other } = await twoStores()
  const { gate } = await setUp('sqlite', { store: one })
  const calls = Array.from({ length: 60 }, (_, amount) => ({ tool: 'pay', args: { amount } }))
  await Promise.all(calls.map((call) => gate.check(call)))
  clock.advance(60 * MINUTE)
  const sweepers = [one, one, other, other, other].map((store) => sweeperFor(store))
  await Promise.all(sweepers.map((sweeper) => sweeper.sweep()))
  await Promise.all(sweepers.map((sweeper) => sweeper.sweep()))
  const { approvals } = await one.list({}, { limit: 100 })
  expect(approvals).toHaveLength(60)
  for (const { id, status } of approvals) {
    expect(status).toBe('expired')
    const expired = (await one.events(id)).filter(({ event }) => event.type === 'expired')
    expect(expired).toHaveLength(1)
  }
})

promise(['CS-GATE-18'], 'a sweep that dies half-way is finished by the next', async () => {
  const { gate, store, clock } = await setUp('memory')
  await askMany(gate, 70)
  clock.advance(60 * MINUTE)
  const dying = sweeperFor(store, {
    probe: () => {
      throw new Error('killed')
    },
  })
  await expect(dying.sweep()).rejects.toThrow('killed')
  expect((await store.list({ status: ['expired'] }, { limit: 100 })).approvals).toHaveLength(64)
  await sweeperFor(store).sweep()
  expect((await store.list({ status: ['expired'] }, { limit: 100 })).approvals).toHaveLength(70)
})

promise(
  ['CS-GATE-18', 'CS-GROWTH-1'],
  'hundreds of questions that end together are ended by one look, in a few transactions',
  async () => {
    const { clock, store, commits } = await countedStore()
    const { gate } = await setUp('sqlite', { store, sweepEvery: 1_000_000 })
    await askMany(gate, 300)
    clock.advance(60 * MINUTE)
    const before = commits()
    expect(await sweeperFor(store).sweep()).toBe(300)
    expect(commits() - before).toBeLessThan(10)
    expect(await store.due()).toEqual([])
  },
)

promise(['CS-GATE-18'], 'a sweeper that is stopped leaves the rest to the next', async () => {
  const { clock, store } = await countedStore()
  const { gate } = await setUp('sqlite', { store, sweepEvery: 1_000_000 })
  await askMany(gate, 200)
  clock.advance(60 * MINUTE)
  let stopping: Promise<void> | undefined
  const sweeper = sweeperFor(store, {
    probe: () => {
      stopping ??= sweeper.stop()
    },
  })
  expect(await sweeper.sweep()).toBe(64)
  await stopping
  expect(await sweeperFor(store).sweep()).toBe(136)
})

promise(
  ['CS-GATE-3'],
  'a call whose process died is unknown: told as such, never run again, and resolved by a person',
  async () => {
    const { clock, one, other } = await twoStores()
    // Neither gate looks by itself: the one sweeper below is counted.
    const sweepEvery = 1_000_000
    const { gate } = await setUp('sqlite', { store: one, sweepEvery })
    let end = () => {}
    const hanging = recordingTool(
      () =>
        new Promise<void>((resolve) => {
          end = resolve
        }),
    )
    const running = gate.run(pay, hanging, { key: 'a' })
    const { id } = await approve(gate, await nextPending(gate))
    while (hanging.starts.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))

    const survivor = (await setUp('sqlite', { store: other, sweepEvery })).gate
    const sweeper = sweeperFor(other)
    clock.advance(29_000)
    expect(await sweeper.sweep()).toBe(0)
    clock.advance(2_000)
    expect(await sweeper.sweep()).toBe(1)
    const tool = recordingTool()
    for (const outcome of [
      await survivor.run(pay, tool, { key: 'a' }),
      await survivor.resume(id, { pay: tool }),
    ]) {
      expect(outcome).toMatchObject({ status: 'unknown', ran: 'unknown' })
      expect(outcome.modelMessage).toBe(
        `The call to pay was started (approval ${id}), and nobody knows whether it took effect. Do not call it again; a person has to look.`,
      )
    }
    expect(tool.starts).toEqual([])
    // It was only slow after all: the end counts, and is marked late.
    end()
    expect(await running).toMatchObject({ status: 'succeeded' })
    expect((await other.get(id))?.execution).toMatchObject({ state: 'succeeded', late: true })
    expect(hanging.starts).toHaveLength(1)
  },
)

test.each(BOTH)(
  'a lease that is not renewed is lost, and a person writes down what happened: %s',
  async (name) => {
    const { gate, store, clock, tool } = await setUp(name)
    const checked = await gate.check(pay)
    if (checked.status !== 'pending') throw new Error('not asked')
    const { id, askedDigest } = await approve(gate, checked.approval)
    await gate[internals].claim(id, askedDigest, { lease: 30_000 })
    clock.advance(31_000)
    await sweeperFor(store).sweep()
    expect(await gate.resume(id, { pay: tool })).toMatchObject({ status: 'unknown' })
    await gate.approvals.resolve(id, {
      by: kim,
      outcome: 'succeeded',
      reason: 'seen on the statement',
    })
    expect(await gate.resume(id, { pay: tool })).toMatchObject({
      status: 'succeeded',
      replayed: true,
    })
    expect(tool.starts).toEqual([])
  },
)

test('a sweeper looks by itself, erases what is past its time, and stops', async () => {
  const { gate, store, clock } = await setUp('memory')
  const checked = await gate.check(pay)
  if (checked.status !== 'pending') throw new Error('not asked')
  clock.advance(91 * 24 * 60 * MINUTE)
  const sweeper = startSweeper({ store, every: 5, retain: 90 * 24 * 60 * MINUTE })
  const { id } = checked.approval
  while ((await store.get(id))?.status === 'pending') await new Promise((r) => setTimeout(r, 2))
  // It is kept for as long as that after its end, and it has only now expired.
  expect(await store.content(id)).not.toEqual([])
  await sweeper.stop()
  clock.advance(91 * 24 * 60 * MINUTE)
  const next = startSweeper({ store, every: 5, retain: 90 * 24 * 60 * MINUTE })
  while ((await store.content(id)).length > 0) await new Promise((r) => setTimeout(r, 2))
  await next.stop()
  const late = await gate.check({ ...pay, args: {} })
  if (late.status !== 'pending') throw new Error('not asked')
  clock.advance(60 * MINUTE)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(await store.get(late.approval.id)).toMatchObject({ status: 'pending' })
})
