import path from 'node:path'
import { expect, vi } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { internals } from '../../src/gate/internals.ts'
import type { Store } from '../../src/store/store.ts'
import { newFolder, openPostgres, openSqlite } from '../stores/place.ts'
import { policyOf } from '../support/policy.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { BOTH, kim, nextPending, person, recordingTool, setUp } from './gates.ts'

const root = person('root', { roles: ['admin'] })
const FILES = `
  defaults: { gateway: allow }
  mcp_servers:
    - { alias: files, command: x }
    - { alias: asked, command: y, approval: true, allowed_tools: [a, { name: b, approval: true }] }
  governance: [{ id: g, match: { tool: governed }, approval: true }]`
const policy = policyOf(FILES)
const write = { server: 'files', tool: 'write', args: {} }
const target = { server: 'files', tool: 'write' }

/** Two processes on one database. */
async function two(name: 'sqlite' | 'postgres'): Promise<() => Promise<Store>> {
  if (name === 'postgres') {
    const url = await freshDatabase()
    return () => openPostgres(url)
  }
  const file = path.join(newFolder(), 'gate.db')
  return () => openSqlite(file)
}

async function switchEvents(store: Store) {
  const { entries } = await store.eventsSince('start', 500)
  return entries.map(({ event }) => event).filter(({ type }) => type.startsWith('switch.'))
}

const SQL: ['sqlite' | 'postgres'][] = [['sqlite'], ['postgres']]

promise.each(
  ['CS-SWITCH-1', 'SP-24'],
  'a tool that is switched on asks from the next call on, and is allowed again afterwards',
  BOTH,
  async (name) => {
    const { gate, tool } = await setUp(name, { policy })
    expect(await gate.run(write, tool)).toMatchObject({ status: 'succeeded' })
    await gate.admin.switches.set(root, target, true)
    expect(gate[internals].allows(write)).toBe(false)
    const asked = await gate.check(write, { key: 'a' })
    expect(asked).toMatchObject({ status: 'pending' })
    const { requirements } = await nextPending(gate)
    expect(requirements).toMatchObject([{ source: 'operator', rule: 'operator.files/write' }])
    expect(await gate.run({ ...write, tool: 'read' }, tool)).toMatchObject({ status: 'succeeded' })
    await gate.admin.switches.clear(root, target, { lowers: true })
    expect(await gate.run(write, tool)).toMatchObject({ status: 'succeeded' })
    expect(tool.starts).toHaveLength(3)
  },
)

promise.each(
  ['CS-SWITCH-1'],
  'another process asks as well, and so does one that starts later',
  SQL,
  async (name) => {
    const open = await two(name)
    const [here, there] = [await open(), await open()]
    const gate = createGate({ policy, store: here, agent: 'biller' })
    const tool = recordingTool()
    expect(await gate.run(write, tool)).toMatchObject({ status: 'succeeded' })
    await createGate({ policy, store: there }).admin.switches.set(root, target, true)
    // Any process may be told of an amendment before this one too: only what it answers counts.
    await vi.waitFor(() => expect(gate[internals].allows(write)).toBe(false), 5_000)
    expect(await gate.check(write)).toMatchObject({ status: 'pending' })
    const later = createGate({ policy, store: await open(), agent: 'biller' })
    expect(later[internals].allows(write)).toBe(false)
    expect(await later.check(write)).toMatchObject({ status: 'pending' })
    expect(tool.starts).toHaveLength(1)
  },
)

promise.each(
  ['CS-SWITCH-1', 'CS-SWITCH-3'],
  'of many who switch at once each is on record, and every process believes the last',
  SQL,
  async (name) => {
    const open = await two(name)
    const stores = [await open(), await open()]
    const gates = stores.map((store) => createGate({ policy, store, agent: 'biller' }))
    const switched = Array.from({ length: 12 }, (_, at) =>
      gates[at % 2]?.admin.switches.set(root, target, at % 3 === 0, { lowers: true }),
    )
    const done = await Promise.allSettled(switched)
    const set = done.filter(({ status }) => status === 'fulfilled').length
    expect(set).toBeGreaterThan(0)
    expect(await switchEvents(stores[0] as Store)).toHaveLength(set)
    const [last] = await (gates[0]?.admin.switches.list() ?? [])
    const verdict = last?.on ? 'pending' : 'allowed'
    for (const gate of gates) {
      await vi.waitFor(async () => {
        expect(await gate.check(write)).toMatchObject({ status: verdict })
      }, 5_000)
    }
  },
)

promise.each(['CS-SWITCH-2'], 'lowering is refused until it is meant', BOTH, async (name) => {
  const { gate, tool } = await setUp(name, { policy })
  const call = { server: 'asked', tool: 'a', args: {} }
  const one = { server: 'asked', tool: 'a' }
  await expect(gate.admin.switches.set(root, one, false)).rejects.toMatchObject({
    code: 'lowering_unconfirmed',
    message: 'calls to a would run without asking',
  })
  expect(await gate.admin.switches.list()).toEqual([])
  await gate.admin.switches.set(root, one, false, { lowers: true })
  expect(await gate.run(call, tool)).toMatchObject({ status: 'succeeded' })
  await gate.admin.switches.clear(root, one)
  expect(await gate.check(call)).toMatchObject({ status: 'pending' })
})

promise(['CS-SWITCH-2'], 'a lowered switch beats neither governance nor a lock', async () => {
  const { gate, tool } = await setUp('memory', {
    policy: policyOf(FILES.replace('allow', 'confirm')),
  })
  await gate.admin.switches.set(root, { server: 'files' }, false, { lowers: true })
  expect(await gate.run(write, tool)).toMatchObject({ status: 'succeeded' })
  expect(await gate.check({ ...write, tool: 'governed' })).toMatchObject({ status: 'pending' })
  await gate.admin.locks.set(root, { target: { server: 'files' }, reason: 'stock-taking' })
  expect(await gate.run(write, tool)).toMatchObject({ status: 'blocked', code: 'locked' })
})

promise(['CS-SWITCH-3'], 'approvers and locked admins switch nothing', async () => {
  const { gate } = await setUp('memory', { policy })
  await expect(gate.admin.switches.set(kim, target, true)).rejects.toMatchObject({
    code: 'not_permitted',
  })
  const other = person('other', { roles: ['admin'] })
  await gate.admin.locks.set(other, {
    target: { person: { issuer: root.issuer, subject: root.subject } },
    reason: 'left',
  })
  await expect(gate.admin.switches.set(root, target, true)).rejects.toMatchObject({
    code: 'locked',
  })
})

promise(['CS-SWITCH-3'], 'the audit says who switched what, and what that changed', async () => {
  const { gate, store } = await setUp('memory', { policy })
  await gate.admin.switches.set(root, target, true)
  await gate.admin.switches.clear(root, target, { lowers: true })
  await expect(gate.admin.switches.clear(root, target)).rejects.toMatchObject({ code: 'not_found' })
  const events = await switchEvents(store)
  const by = { person: { issuer: root.issuer, subject: 'root' } }
  const named = { server: 'files', tool: 'write' }
  expect(events).toMatchObject([
    { type: 'switch.set', by, facts: { ...named, on: true, before: 'allow', after: 'confirm' } },
    { type: 'switch.cleared', by, facts: { ...named, before: 'confirm', after: 'allow' } },
  ])
})

promise(['CS-SWITCH-4', 'CS-POLICY-9'], 'what a file decides cannot be switched', async () => {
  const { gate } = await setUp('memory', { policy })
  for (const fixed of [
    { server: 'asked' },
    { server: 'asked', tool: 'b' },
    { server: 'asked', tool: 'z' },
  ]) {
    await expect(
      gate.admin.switches.set(root, fixed, false, { lowers: true }),
    ).rejects.toMatchObject({
      code: 'switch_fixed',
      message: expect.stringMatching(/decides this, at \S+:\d+;/),
    })
  }
  await expect(gate.admin.switches.set(root, { server: 'ghost' }, true)).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(
    gate.admin.switches.set(root, { server: 'files', tool: 'a/b' }, true),
  ).rejects.toMatchObject({ code: 'invalid_value' })
})

promise(['CS-SWITCH-1'], 'a switch that cannot be read asks', async () => {
  const { gate, store } = await setUp('memory', { policy })
  await store.records.put('switch', 'files/write', { what: 'is this' })
  expect(await gate.check(write)).toMatchObject({ status: 'pending' })
})
