import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import type { Call } from '../../src/base/call.ts'
import { CountersignError } from '../../src/base/errors.ts'
import { createGate, type Gate } from '../../src/gate/gate.ts'
import { type RunApprovedOptions, runApproved } from '../../src/gate/notify/run-approved.ts'
import { type Outcome, refusedBy } from '../../src/gate/outcome.ts'
import type { Tools } from '../../src/gate/tool.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { approve, deny, POLICY } from './gates.ts'

const MCP = `
  mcp_servers:
    - { alias: bank, command: bank, allowed_tools: [{ name: pay, approval: true }] }
`
const policy = policyOf(POLICY + MCP)

/** Each gate has a connection of its own, as each process has. */
async function place() {
  const folder = mkdtempSync(path.join(tmpdir(), 'approved-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return async (rules = policy): Promise<Gate> => {
    const store = await openSqlite(path.join(folder, 'countersign.db'))
    onTestFinished(() => store.close())
    return createGate({ policy: rules, store, agent: 'bot' })
  }
}

let keys = 0

async function ask(gate: Gate, call: Partial<Call> = {}): Promise<Approval> {
  keys += 1
  const asked = await gate.check({
    tool: 'pay',
    args: { n: keys },
    run: 'r',
    key: `k${keys}`,
    ...call,
  })
  if (asked.status !== 'pending') throw new Error(`it is ${asked.status}`)
  return asked.approval
}

function work(
  gate: Pick<Gate, 'approvals' | 'resume'>,
  tools: Tools,
  options: RunApprovedOptions = {},
) {
  const told: string[] = []
  const runner = runApproved(gate, tools, {
    ...options,
    onOutcome: (outcome, { id }) => {
      told.push(`${id} ${outcome.status}`)
      return options.onOutcome?.(outcome, { id } as Approval)
    },
  })
  onTestFinished(() => runner.stop())
  return { ...runner, told }
}

function counter() {
  const ran: unknown[] = []
  return { ran, tools: { pay: ({ n }: { n: unknown }) => ran.push(n) } as Tools }
}

promise(
  ['CS-WAIT-4'],
  'a call that was approved while no process ran is run by the next worker, with its arguments',
  async () => {
    const open = await place()
    const agent = await open()
    const asked = await ask(agent, { args: { n: 'exactly this' } })
    await agent.close()
    await approve(await open(), asked)
    const { ran, tools } = counter()
    const { told } = work(await open(), tools)
    await vi.waitFor(() => expect(told).toEqual([`${asked.id} succeeded`]))
    expect(ran).toEqual(['exactly this'])
    const again = work(await open(), tools)
    const other = await ask(agent)
    await approve(agent, other)
    await vi.waitFor(() => expect(again.told.concat(told)).toContain(`${other.id} succeeded`))
    expect(ran).toEqual(['exactly this', keys])
  },
)

promise(['CS-WAIT-4'], 'three workers run each of thirty approved calls once', async () => {
  const open = await place()
  const agent = await open()
  const { ran, tools } = counter()
  const before = await Promise.all(Array.from({ length: 15 }, () => ask(agent)))
  for (const one of before) await approve(agent, one)
  const workers = [await open(), await open(), await open()].map((gate) => work(gate, tools))
  const later = await Promise.all(Array.from({ length: 15 }, () => ask(agent)))
  for (const one of later) await approve(agent, one)
  const ids = [...before, ...later].map(({ id }) => `${id} succeeded`)
  await vi.waitFor(
    () => expect(new Set(workers.flatMap(({ told }) => told))).toEqual(new Set(ids)),
    10_000,
  )
  expect(ran.toSorted()).toEqual([...new Set(ran)].toSorted())
  expect(ran).toHaveLength(30)
})

promise(
  ['CS-WAIT-4'],
  'what is denied, waits, is of another agent, or is a tool of a server, is not run',
  async () => {
    const open = await place()
    const agent = await open()
    const { ran, tools } = counter()
    const { told } = work(await open(), tools)
    await deny(agent, await ask(agent))
    await ask(agent)
    await approve(agent, await ask(agent, { server: 'bank' }))
    await approve(agent, await ask(agent.with({ agent: 'other' })))
    // No tool of these names is here, whatever every object inherits.
    await approve(agent, await ask(agent, { tool: 'constructor' }))
    await approve(agent, await ask(agent, { tool: 'toString' }))
    const last = await ask(agent)
    await approve(agent, last)
    await vi.waitFor(() => expect(told).toEqual([`${last.id} succeeded`]))
    expect(ran).toEqual([keys])
  },
)

promise(
  ['CS-WAIT-4'],
  'a yes that the policy of the worker forbids by then runs nothing, and that is told',
  async () => {
    const open = await place()
    const agent = await open()
    const asked = await ask(agent)
    await approve(agent, asked)
    const { ran, tools } = counter()
    const frozen = policyOf(`
      governance: [{ id: freeze, match: { tool: pay }, deny: Nothing is paid this week }]
    `)
    const { told } = work(await open(frozen), tools)
    await vi.waitFor(() => expect(told).toEqual([`${asked.id} blocked`]))
    expect(ran).toEqual([])
  },
)

test('a database that is away for a moment is tried again, and the call runs once', async () => {
  const open = await place()
  const gate = await open()
  const { ran, tools } = counter()
  let failures = 2
  const resume: Gate['resume'] = async (...args) => {
    failures -= 1
    if (failures < 0) return gate.resume(...args)
    return refusedBy(new CountersignError('store_busy', 'busy'), 'pay')
  }
  const { told } = work({ approvals: gate.approvals, resume }, tools)
  const asked = await ask(gate)
  await approve(gate, asked)
  await vi.waitFor(() => expect(told).toEqual([`${asked.id} succeeded`]), 5_000)
  expect(ran).toEqual([keys])
})

test('it runs no more at once than told, and stop waits for what runs', async () => {
  const open = await place()
  const gate = await open()
  let [at, most, started] = [0, 0, 0]
  const stopped = Promise.withResolvers<void>()
  const pay = async () => {
    at += 1
    started += 1
    most = Math.max(most, at)
    if (started > 2) await stopped.promise
    at -= 1
  }
  for (let n = 0; n < 6; n += 1) await approve(gate, await ask(gate))
  const { told, stop } = work(await open(), { pay }, { concurrency: 2 })
  await vi.waitFor(() => expect([told.length, at]).toEqual([2, 2]))
  const stopping = stop()
  stopped.resolve()
  await stopping
  expect(at).toBe(0)
  expect(most).toBe(2)
  expect(told).toHaveLength(4)
  // Stopped before it began: what people approved stays approved.
  const aborted = work(await open(), { pay }, { signal: AbortSignal.abort() })
  await aborted.stop()
  const { approvals } = await gate.approvals.list({ status: ['approved'], execution: ['none'] })
  expect(approvals).toHaveLength(6 - told.length)
})

test('accepts leaves calls to other workers; a gate of no agent is refused', async () => {
  const open = await place()
  const gate = await open()
  const { ran, tools } = counter()
  const { told } = work(await open(), tools, { accepts: ({ call }) => call.run === 'mine' })
  await approve(gate, await ask(gate))
  const mine = await ask(gate, { run: 'mine' })
  await approve(gate, mine)
  await vi.waitFor(() => expect(told).toEqual([`${mine.id} succeeded`]))
  expect(ran).toEqual([keys])
  const store = memoryStore()
  onTestFinished(() => store.close())
  expect(() => runApproved(createGate({ policy, store }), tools)).toThrow(/no agent/)
})

test('a tool that throws ran once, and its error is told', async () => {
  const open = await place()
  const gate = await open()
  const outcomes: Outcome[] = []
  const asked = await ask(gate)
  await approve(gate, asked)
  let ran = 0
  const pay = () => {
    ran += 1
    throw new Error('the bank is closed')
  }
  const { told } = work(await open(), { pay }, { onOutcome: (outcome) => outcomes.push(outcome) })
  await vi.waitFor(() => expect(told).toEqual([`${asked.id} failed`]))
  expect(outcomes[0]).toMatchObject({ status: 'failed', ran: true })
  expect(ran).toBe(1)
})
