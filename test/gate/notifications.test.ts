import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { internals } from '../../src/gate/internals.ts'
import { type Channel, NotDelivered, type Notice } from '../../src/gate/notify/channel.ts'
import { MAX_ATTEMPTS, pauseAfter, startDeliverer } from '../../src/gate/notify/deliver.ts'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { policyOf } from '../support/policy.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { ana, approve, BOTH, bo, deny, nextPending, person, setUp } from './gates.ts'

const pay = { tool: 'pay', args: { amount: 5, pin: '0000-canary' } }
const HOUR = 3_600_000

/** A channel that remembers, and fails as long as it is told to. */
function listeningChannel(name = 'ears') {
  const heard: Notice[] = []
  const state = { failing: undefined as Error | undefined, attempts: 0 }
  const channel: Channel = {
    name,
    share: 'message',
    async send(notice) {
      state.attempts += 1
      if (state.failing) throw state.failing
      heard.push(notice)
    },
  }
  return { channel, heard, state, kinds: () => heard.map(({ kind }) => kind) }
}

const ESCALATING = policyOf(`
  people: { groups: { chiefs: [cy@example.com] } }
  tools:
    pay:
      approval:
        message_template: "Pay {{tool_args.amount}} with {{tool_args.pin}}?"
        decide_by: 8h
        remind_after: 1h
        escalate: [{ after: 4h, to: { group: chiefs } }]
        approvers: [ana@example.com]
      secrets: [pin]
`)

promise.each(
  ['CS-TOLD-1', 'CS-TOLD-5'],
  'a call is told of from its question to its end, without its arguments',
  BOTH,
  async (name) => {
    const { channel, heard, kinds } = listeningChannel()
    const { gate, tool } = await setUp(name, {
      policy: ESCALATING,
      channels: [channel],
      link: (id) => `https://sign.example/approvals/${id}`,
      principal: { subject: 'pat', email: 'pat@example.com' },
    })
    const running = gate.run(pay, tool)
    const asked = await nextPending(gate)
    await approve(gate, asked, ana)
    await running
    await vi.waitFor(() => expect(kinds()).toContain('succeeded'))
    expect(kinds().filter((kind) => kind !== 'asked')).toEqual(['approved', 'succeeded'])
    const [end] = heard.slice(-1)
    expect(end).toMatchObject({
      question: false,
      to: [{ email: 'pat@example.com' }],
      link: `https://sign.example/approvals/${asked.id}`,
      approval: { id: asked.id, tool: 'pay', agent: 'biller', execution: 'succeeded' },
    })
    expect(JSON.stringify(heard)).not.toMatch(/canary|args|digest/)
    expect(end?.approval.message).toMatch(/^Pay «5» with «\[/)
    await gate.close()
  },
)

promise.each(
  ['CS-TOLD-1'],
  'a channel that tells of ends only is sent those, and nothing is left over',
  BOTH,
  async (name) => {
    const { channel, kinds } = listeningChannel()
    const ends: Channel = { ...channel, kinds: ['approved', 'denied'] }
    const { gate, store, tool } = await setUp(name, { policy: ESCALATING, channels: [ends] })
    const running = gate.run(pay, tool)
    await approve(gate, await nextPending(gate), ana)
    await running
    await vi.waitFor(async () => expect((await store.outbox.summary()).waiting).toBe(0))
    expect(kinds()).toEqual(['approved'])
    await gate.close()
  },
)

promise.each(
  ['CS-TOLD-1'],
  'a channel that fails delays no call, and hears of it later',
  BOTH,
  async (name) => {
    const { channel, state, kinds } = listeningChannel()
    state.failing = new Error('secret token abc123')
    const { gate, store, clock } = await setUp(name, { channels: [channel] })
    const checked = await gate.check(pay)
    expect(checked.status).toBe('pending')
    await gate[internals].idle()
    await vi.waitFor(async () => {
      const [notice] = (await store.outbox.summary()).notices
      expect(notice).toMatchObject({ state: 'waiting', problem: 'it failed with Error' })
    })
    state.failing = undefined
    clock.advance(2_000)
    await gate[internals].idle()
    expect(kinds()).toEqual(['asked'])
    expect((await store.outbox.summary()).waiting).toBe(0)
    await gate.close()
  },
)

promise.each(
  ['CS-TOLD-2'],
  'a question that is over is not asked any more; its end is told',
  BOTH,
  async (name) => {
    const { channel, state, kinds } = listeningChannel()
    state.failing = new NotDelivered('not now')
    const { gate, store, clock } = await setUp(name, { channels: [channel] })
    const one = await gate.check(pay, { key: 'a' })
    const two = await gate.check(pay, { key: 'b' })
    if (one.status !== 'pending' || two.status !== 'pending') throw new Error('not asked')
    await vi.waitFor(async () => {
      const { notices } = await store.outbox.summary()
      expect(notices.map(({ problem }) => problem)).toEqual(['not now', 'not now'])
    })
    await deny(gate, one.approval)
    // Nobody swept the other one yet: its time is over all the same.
    clock.advance(2 * HOUR)
    state.failing = undefined
    await gate[internals].idle()
    expect(kinds()).toEqual(['denied'])
    const sweeper = startSweeper({ store, every: 1_000_000 })
    await sweeper.sweep()
    await sweeper.stop()
    await gate[internals].idle()
    expect(kinds()).toEqual(['denied', 'expired'])
    await gate.close()
  },
)

promise(
  ['CS-TOLD-4'],
  'what cannot be told is tried with growing pauses, then stuck and reported once',
  async () => {
    const { channel, state, kinds } = listeningChannel()
    const lines: string[] = []
    state.failing = new NotDelivered('it answered 500')
    const { gate, store, clock } = await setUp('memory', {
      channels: [channel],
      report: (line) => lines.push(line),
      policy: policyOf('tools: { pay: { approval: { decide_by: 30 days } } }'),
    })
    await gate.check(pay)
    for (let turn = 0; turn < MAX_ATTEMPTS + 3; turn += 1) {
      await gate[internals].idle()
      clock.advance(2 * HOUR)
    }
    expect(state.attempts).toBe(MAX_ATTEMPTS)
    expect(lines).toEqual([expect.stringMatching(/-1-asked is stuck in ears: it answered 500$/)])
    expect(await store.outbox.summary()).toMatchObject({ waiting: 0, stuck: 1 })
    state.failing = undefined
    expect(await store.outbox.retry()).toBe(1)
    await gate[internals].idle()
    expect(kinds()).toEqual(['asked'])
    await gate.close()
  },
)

test('pauses grow, differ and end at an hour, and a longer wish is respected', () => {
  const pauses = Array.from({ length: MAX_ATTEMPTS }, (_, index) => pauseAfter(index + 1))
  pauses.forEach((pause, index) => {
    const longest = Math.min(1_000 * 2 ** index, HOUR)
    expect(pause).toBeGreaterThanOrEqual(longest / 2)
    expect(pause).toBeLessThanOrEqual(longest)
  })
  expect(pauseAfter(1, 90_000)).toBe(90_000)
  expect(pauseAfter(1, 90 * HOUR)).toBe(HOUR)
})

promise(['CS-TOLD-4'], 'a channel that is gone is shut, and says so', async () => {
  const { channel, state } = listeningChannel()
  const lines: string[] = []
  state.failing = new NotDelivered('it answered 410: gone', { gone: true })
  const { gate, store } = await setUp('memory', {
    channels: [channel],
    report: (line) => lines.push(line),
  })
  await gate.check(pay, { key: 'a' })
  await vi.waitFor(() => expect(lines[0]).toMatch(/^channel ears is shut/))
  await gate.check(pay, { key: 'b' })
  await gate[internals].idle()
  expect(state.attempts).toBe(1)
  expect(await store.outbox.summary()).toMatchObject({ waiting: 0, stuck: 1 })
  await gate.close()
})

promise.each(
  ['CS-TOLD-3', 'CF-45'],
  'several servers remind and escalate once, and tell whom it concerns',
  [['sqlite'], ['postgres']],
  async (name) => {
    const clock = fakeClock()
    const open = await storesOn(name, clock)
    const stores = [await open(), await open(), await open()]
    const policy = name === 'sqlite' ? ESCALATING : QUICK
    const ears = stores.map(() => listeningChannel())
    const [first] = stores
    if (!first) throw new Error('no store')
    const { gate } = await setUp('memory', { store: first, policy })
    const deliverers = stores.map((store, index) =>
      startDeliverer({ store, channels: [ears[index]?.channel ?? never()], every: 50 }),
    )
    const sweepers = stores.map((store) => startSweeper({ store, every: 1_000_000 }))
    onTestFinished(async () => {
      for (const one of [...deliverers, ...sweepers]) await one.stop()
      for (const store of stores) await store.close()
    })
    await Promise.all(deliverers.map((one) => one.opened()))
    const checked = await gate.check(pay)
    if (checked.status !== 'pending') throw new Error('not asked')
    const told = () => ears.flatMap(({ heard }) => heard)
    const count = (kind: string) => told().filter((one) => one.kind === kind).length
    await vi.waitFor(() => expect(count('asked')).toBe(1), PATIENT)
    const sweepAll = () => Promise.all(sweepers.map((one) => one.sweep()))
    clock.advance(61 * 60_000)
    await vi.waitFor(async () => {
      await sweepAll()
      expect(count('reminded')).toBe(1)
    }, PATIENT)
    clock.advance(3 * HOUR)
    await vi.waitFor(async () => {
      await sweepAll()
      expect(count('escalated')).toBe(1)
    }, PATIENT)
    const escalated = told().find(({ kind }) => kind === 'escalated')
    expect(escalated).toMatchObject({
      to: [{ group: 'chiefs' }],
      added: [{ to: { group: 'chiefs' }, rule: 'tools.pay.approval' }],
    })
    await vi.waitFor(async () => {
      const now = await first.get(checked.approval.id)
      expect(count('reminded')).toBe(now?.reminders)
    }, PATIENT)
    const cy = person('cy', { groups: ['chiefs'] })
    expect(await approve(gate, checked.approval, cy)).toMatchObject({ status: 'approved' })
    await vi.waitFor(() => expect(count('approved')).toBe(1), PATIENT)
    expect(count('escalated')).toBe(1)
    expect(count('asked')).toBe(1)
  },
)

const PATIENT = { timeout: 8_000, interval: 30 }
// Nobody moves the clock of a real server: there the pauses are short, and one reminder is all.
const QUICK = policyOf(`
  people: { groups: { chiefs: [cy@example.com] } }
  tools:
    pay:
      approval:
        remind_after: 1s
        decide_by: 1m
        escalate: [{ after: 2s, to: { group: chiefs } }]
        approvers: [ana@example.com]
`)

function never(): Channel {
  throw new Error('no channel')
}

async function storesOn(name: string, clock: ReturnType<typeof fakeClock>) {
  if (name === 'postgres') {
    const url = await freshDatabase()
    return () => openPostgres(url)
  }
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-told-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return () => openSqlite(path.join(folder, 'told.db'), { clock: clock.now })
}

promise.each(
  ['CS-TOLD-3', 'CS-GATE-20'],
  'whoever waits in the process hears of reminders, escalations and the end',
  BOTH,
  async (name) => {
    const { gate, clock, tool } = await setUp(name, { policy: ESCALATING })
    const heard: string[] = []
    gate.on('reminded', ({ approval }) => heard.push(`reminded ${approval.reminders}`))
    gate.on('escalated', ({ approval }) => heard.push(`escalated ${approval.escalated.length}`))
    gate.on('decided', ({ approval }) => heard.push(approval.status))
    const running = [gate.run(pay, tool, { key: 'k' }), gate.run(pay, tool, { key: 'k' })]
    await nextPending(gate)
    clock.advance(61 * 60_000)
    await vi.waitFor(() => expect(heard).toEqual(['reminded 1']))
    clock.advance(3 * HOUR)
    await vi.waitFor(() => expect(heard.slice(1).sort()).toEqual(['escalated 1', 'reminded 2']))
    clock.advance(5 * HOUR)
    await Promise.all(running)
    await vi.waitFor(() => expect(heard.slice(3)).toEqual(['expired']))
  },
)

promise(['CS-TOLD-3'], 'escalation widens its own source and no other', async () => {
  const { channel, heard } = listeningChannel()
  const { gate, store, clock } = await setUp('memory', {
    channels: [channel],
    policy: policyOf(`
      people: { groups: { finance: [ana@example.com, bo@example.com], chiefs: [cy@example.com] } }
      tools:
        pay:
          approval:
            decide_by: 8h
            quorum: [{ group: finance, n: 1 }]
            escalate: [{ after: 1h, to: { group: chiefs }, for: finance }]
      governance:
        - { id: second, match: { tool: pay }, approval: { approvers: [bo@example.com] } }
    `),
  })
  const checked = await gate.check(pay)
  if (checked.status !== 'pending') throw new Error('not asked')
  clock.advance(HOUR)
  const cy = person('cy', { groups: ['chiefs'] })
  expect(await approve(gate, checked.approval, cy)).toMatchObject({ status: 'pending' })
  expect(await approve(gate, checked.approval, bo)).toMatchObject({ status: 'approved' })
  await gate[internals].idle()
  expect(heard.map(({ kind }) => kind)).toContain('approved')
  expect((await store.outbox.summary()).waiting).toBe(0)
  await gate.close()
})

test('two channels cannot share a name', async () => {
  const { channel } = listeningChannel()
  await expect(setUp('memory', { channels: [channel, channel] })).rejects.toThrow(/name of its own/)
})
