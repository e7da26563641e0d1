import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import type { LockTarget } from '../../src/approval/locks/lock.ts'
import { CountersignError } from '../../src/base/errors.ts'
import { createGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
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
  openStore,
  POLICY,
  person,
  recordingTool,
  setUp,
} from './gates.ts'

const root = person('root', { roles: ['admin'] })
const read = { tool: 'read', args: {} }
const pay = { tool: 'pay', args: { amount: 5 } }
const reason = 'stock-taking'

const TARGETS: [string, LockTarget][] = [
  ['its agent', { agent: 'biller' }],
  ['its tool', { tool: 'read' }],
  ['its server', { server: 'files' }],
  ['its tool on that server', { server: 'files', tool: 'read' }],
  ['everything', { everything: true }],
]

const FILES = `
  tools: { read: { approval: false } }
  mcp_servers: [{ alias: files, command: x, approval: false }]`

promise.each(
  ['CS-LOCK-1', 'CS-LOCK-3'],
  'an allowed call does not run while this is locked, and runs again when it is lifted',
  TARGETS,
  async (_, target) => {
    const { gate, tool } = await setUp('memory', { policy: policyOf(FILES) })
    const call = { ...read, server: 'files' }
    expect(await gate.run(call, tool)).toMatchObject({ status: 'succeeded' })
    const { id } = await gate.admin.locks.set(root, { target, reason })
    const outcome = await gate.run(call, tool)
    expect(outcome).toMatchObject({ status: 'blocked', ran: false, code: 'locked' })
    expect(outcome.modelMessage).toMatch(
      /is locked and did not run\. Reason: .+ is locked: stock-taking/,
    )
    expect(await gate.check(call)).toMatchObject({ status: 'blocked', code: 'locked' })
    await gate.admin.locks.lift(root, id)
    expect(await gate.run(call, tool)).toMatchObject({ status: 'succeeded' })
    expect(tool.starts).toHaveLength(2)
  },
)

promise.each(['CS-LOCK-1'], 'nobody is asked about a locked call', BOTH, async (name) => {
  const { gate, store, tool } = await setUp(name)
  await gate.admin.locks.set(kim, { target: { tool: 'pay' }, reason })
  expect(await gate.run(pay, tool)).toMatchObject({ status: 'blocked', code: 'locked' })
  const guarded = gate.guard(tool, { name: 'pay' })
  await expect(guarded({ amount: 5 })).rejects.toThrow(/^The call to pay is locked/)
  expect((await store.list({})).approvals).toEqual([])
  expect(tool.starts).toEqual([])
})

promise(['CS-LOCK-1'], 'a lock of another process holds here at once', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-locks-'))
  const file = path.join(folder, 'gate.db')
  const [here, there] = [await openSqlite(file), await openSqlite(file)]
  onTestFinished(async () => {
    await Promise.all([here.close(), there.close()])
    rmSync(folder, { recursive: true, force: true })
  })
  const tool = recordingTool()
  const gate = createGate({ policy: policyOf(POLICY), store: here, agent: 'biller' })
  expect(await gate.run(read, tool)).toMatchObject({ status: 'succeeded' })
  const other = createGate({ policy: policyOf(POLICY), store: there })
  await other.admin.locks.set(root, { target: { everything: true }, reason })
  await vi.waitFor(() => expect(gate[internals].allows(read)).toBe(false), 5_000)
  expect(await gate.run(read, tool)).toMatchObject({ status: 'blocked', code: 'locked' })
  expect(tool.starts).toHaveLength(1)
})

promise.each(
  ['CS-LOCK-2', 'CS-LOCK-7'],
  'a yes that was given before a lock is held back, and used when the lock is lifted',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    const asked = await gate.check(pay, { key: 'a' })
    const approval = await nextPending(gate)
    await approve(gate, approval)
    const { id } = await gate.admin.locks.set(kim, { target: { agent: 'biller' }, reason })
    const resumed = await gate.resume(approval.id, { pay: tool })
    expect(resumed).toMatchObject({ status: 'blocked', code: 'locked', ran: false })
    expect(await gate.approvals.get(approval.id)).toMatchObject({
      approval: { status: 'approved' },
    })
    await gate.admin.locks.lift(root, id)
    expect(await gate.resume(approval.id, { pay: tool })).toMatchObject({ status: 'succeeded' })
    expect(asked.status).toBe('pending')
    expect(tool.starts).toHaveLength(1)
  },
)

promise(['CS-LOCK-2'], 'a lock that comes between the last look and the claim holds', async () => {
  const store = await openStore('memory')
  let lock = async () => {}
  const late: typeof store = {
    ...store,
    async apply(id, command) {
      if (command.type === 'claim') await lock()
      return store.apply(id, command)
    },
  }
  const { gate, tool } = await setUp('memory', { store: late })
  lock = async () => {
    await gate.admin.locks.set(root, { target: { everything: true }, reason })
  }
  const running = gate.run(pay, tool)
  await approve(gate, await nextPending(gate))
  expect(await running).toMatchObject({ status: 'blocked', code: 'locked', ran: false })
  expect(tool.starts).toEqual([])
})

promise.each(
  ['CS-LOCK-1'],
  'whoever asks again about an approval that is itself locked hears of the lock, and of nothing else',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name)
    await gate.check(pay, { key: 'a' })
    const approval = await nextPending(gate)
    await gate.admin.locks.set(root, { target: { approval: approval.id }, reason })
    const locked = { status: 'blocked', code: 'locked', ran: false }
    expect(await gate.run(pay, tool, { key: 'a' })).toMatchObject(locked)
    expect(await gate.check(pay, { key: 'a' })).toMatchObject({ status: 'blocked', code: 'locked' })
  },
)

promise.each(
  ['CS-LOCK-7'],
  'a pending question under a lock takes no yes, takes a no, and runs out',
  BOTH,
  async (name) => {
    const { gate, clock, tool } = await setUp(name)
    const waiting = gate.run(pay, tool, { key: 'a' })
    const first = await nextPending(gate)
    const denied = gate.run(pay, tool, { key: 'b' })
    const second = await nextPending(gate, [first.id])
    await gate.admin.locks.set(root, { target: { tool: 'pay' }, reason })
    await expect(approve(gate, first)).rejects.toMatchObject({ code: 'locked' })
    await deny(gate, second)
    expect(await denied).toMatchObject({ status: 'blocked', code: 'denied' })
    clock.advance(3_600_001)
    expect(await waiting).toMatchObject({ status: 'blocked', code: 'expired' })
    expect(tool.starts).toEqual([])
  },
)

promise.each(['CS-LOCK-5'], 'somebody who is locked decides nothing', BOTH, async (name) => {
  const { gate, tool } = await setUp(name)
  const wire = { tool: 'wire', args: { amount: 9 } }
  const running = gate.run(wire, tool, { waitFor: '5m' })
  const approval = await nextPending(gate)
  await approve(gate, approval, ana)
  const { issuer, subject, email } = ana
  const target = { person: { issuer, subject, ...(email ? { email } : {}) } }
  const { id } = await gate.admin.locks.set(root, { target, reason: 'lost her key' })
  await expect(deny(gate, approval, {}, ana)).rejects.toMatchObject({
    code: 'locked',
    message: 'person ana@example.com is locked: lost her key',
  })
  // Another login of hers under the same address.
  const second = person('ana-at-home', { email: 'Ana@example.com', groups: ['finance'] })
  await expect(approve(gate, approval, second)).rejects.toMatchObject({ code: 'locked' })
  expect((await approve(gate, approval, bo)).status).toBe('pending')
  await gate.admin.locks.lift(root, id)
  expect((await approve(gate, approval, ana)).status).toBe('approved')
  expect(await running).toMatchObject({ status: 'succeeded' })
})

promise(['CS-LOCK-6'], 'approvers lock, and only admins lift or lock a person', async () => {
  const { gate } = await setUp('memory')
  const viewer = person('vic', { roles: ['viewer'] })
  const everything = { target: { everything: true }, reason } as const
  await expect(gate.admin.locks.set(viewer, everything)).rejects.toMatchObject({
    code: 'not_permitted',
  })
  const onPerson = { target: { person: { issuer: 'i', subject: 's' } }, reason }
  await expect(gate.admin.locks.set(kim, onPerson)).rejects.toMatchObject({ code: 'not_permitted' })
  const { id } = await gate.admin.locks.set(kim, everything)
  await expect(gate.admin.locks.lift(kim, id)).rejects.toMatchObject({ code: 'not_permitted' })
  await gate.admin.locks.lift(root, id)
  await expect(gate.admin.locks.lift(root, id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(gate.admin.locks.set(kim, { ...everything, reason: ' ' })).rejects.toMatchObject({
    code: 'reason_required',
  })
  await expect(gate.admin.locks.set(kim, { ...everything, until: 1 })).rejects.toMatchObject({
    code: 'invalid_value',
  })
  // An admin who is locked cannot set themselves free.
  const { issuer, subject } = root
  const own = await gate.admin.locks.set(root, { target: { person: { issuer, subject } }, reason })
  await expect(gate.admin.locks.lift(root, own.id)).rejects.toMatchObject({ code: 'locked' })
})

promise(
  ['CS-LOCK-4'],
  'a gate that cannot confirm the locks for a minute runs nothing',
  async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const store = await openStore('memory')
    let isDown = false
    const shaky: typeof store = {
      ...store,
      records: {
        ...store.records,
        async list(kind, page) {
          if (isDown) throw new CountersignError('store_unavailable', 'the database is gone')
          return store.records.list(kind, page)
        },
      },
    }
    const { gate, tool } = await setUp('memory', { store: shaky })
    expect(await gate.run(read, tool)).toMatchObject({ status: 'succeeded' })
    isDown = true
    await vi.advanceTimersByTimeAsync(50_000)
    expect(await gate.run(read, tool)).toMatchObject({ status: 'succeeded' })
    await vi.advanceTimersByTimeAsync(30_000)
    const outcome = await gate.run(read, tool)
    expect(outcome).toMatchObject({ status: 'blocked', code: 'store_unavailable' })
    expect(tool.starts).toHaveLength(2)
    isDown = false
    expect(await gate.run(read, tool)).toMatchObject({ status: 'succeeded' })
  },
)

promise(['CS-LOCK-4'], 'a gate that never saw its store runs nothing', async () => {
  const store = await openStore('memory')
  await store.close()
  const gone: typeof store = {
    ...store,
    records: {
      ...store.records,
      list: () => Promise.reject(new CountersignError('store_unavailable', 'gone')),
    },
  }
  const { gate, tool } = await setUp('memory', { store: gone })
  expect(await gate.run(read, tool)).toMatchObject({ status: 'blocked', code: 'store_unavailable' })
  expect(tool.starts).toEqual([])
})
