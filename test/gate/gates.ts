import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import type { Approval } from '../../src/approval/approval.ts'
import type { Person } from '../../src/approval/people/person.ts'
import type { JsonObject } from '../../src/base/json/json.ts'
import { createTestGate, type Gate, type GateIdentity } from '../../src/gate/gate.ts'
import type { GateOptions, TestHooks } from '../../src/gate/options.ts'
import type { Outcome } from '../../src/gate/outcome.ts'
import type { ToolContext } from '../../src/gate/tool.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { type FakeClock, fakeClock } from '../../src/testing/fake-clock.ts'
import { policyOf } from '../support/policy.ts'

/** Each test runs on both: what holds in memory must hold on disk. */
export const STORES = ['memory', 'sqlite'] as const
export type StoreName = (typeof STORES)[number]

/** Rows for `promise.each`. */
export const BOTH = STORES.map((name): [StoreName] => [name])

export async function openStore(name: StoreName, clock: FakeClock = fakeClock()): Promise<Store> {
  if (name === 'memory') return memoryStore({ clock: clock.now })
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-gate-'))
  const store = await openSqlite(path.join(folder, 'gate.db'), { clock: clock.now })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return store
}

/** `read` runs freely, `pay` needs a confirmation, `wire` needs two of finance, `nuke` is denied. */
export const POLICY = `
  defaults: { decide_by: 1h, use_by: 10m }
  people:
    groups: { finance: [ana@example.com, bo@example.com, dee@example.com] }
  tools:
    pay: { approval: true, secrets: [pin] }
    refund: { approval: { condition: { args_match: { amount: { gt: 100 } } } } }
    wire: { approval: { quorum: [{ group: finance, n: 2 }] } }
    constructor: { approval: true }
    toString: { approval: true }
  governance:
    - id: no-nukes
      match: { tool: nuke }
      deny: Nobody nukes anything
`

export function person(subject: string, facts: Partial<Person> = {}): Person {
  return {
    issuer: 'https://id.example.com',
    subject,
    email: `${subject}@example.com`,
    emailVerified: true,
    groups: [],
    roles: ['approver'],
    assurance: 'signed-in',
    ...facts,
  }
}

export const ana = person('ana', { groups: ['finance'] })
export const bo = person('bo', { groups: ['finance'] })
export const kim = person('kim')

export interface Setup {
  readonly gate: Gate
  readonly store: Store
  readonly clock: FakeClock
  readonly tool: RecordingTool
}

export async function setUp(
  name: StoreName,
  options: Partial<GateOptions & GateIdentity & TestHooks> = {},
): Promise<Setup> {
  const clock = fakeClock()
  const store = options.store ?? (await openStore(name, clock))
  const gate = createTestGate({
    policy: policyOf(POLICY),
    agent: 'biller',
    run: 'chat-1',
    sweepEvery: 10,
    ...options,
    store,
  })
  return { gate, store, clock, tool: recordingTool() }
}

/** A tool that writes down every start: what really ran, as opposed to what anyone says. */
export interface RecordingTool {
  (args: JsonObject, context: ToolContext): Promise<unknown>
  readonly starts: { readonly args: JsonObject; readonly context: ToolContext }[]
}

export function recordingTool(work: (args: JsonObject) => unknown = (args) => ({ did: args })) {
  const starts: { args: JsonObject; context: ToolContext }[] = []
  const tool = async (args: JsonObject, context: ToolContext) => {
    starts.push({ args: structuredClone(args), context })
    return work(args)
  }
  return Object.assign(tool, { starts }) as RecordingTool
}

/** The next question that waits for people. */
export async function nextPending(gate: Gate, not: readonly string[] = []): Promise<Approval> {
  for (;;) {
    const { approvals } = await gate.approvals.list({ status: ['pending'] })
    const found = approvals.find(({ id }) => !not.includes(id))
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

export async function approve(gate: Gate, { id, digest }: Approval, by = kim): Promise<Approval> {
  return gate.approvals.decide(id, { by, verdict: 'approve', seen: digest })
}

export async function deny(
  gate: Gate,
  { id, digest }: Approval,
  words: { reason?: string; answer?: string } = {},
  by = kim,
): Promise<Approval> {
  return gate.approvals.decide(id, { by, verdict: 'deny', seen: digest, ...words })
}

/** Runs a call and answers its question. */
export async function runApproved(
  gate: Gate,
  running: Promise<Outcome>,
  by: readonly Person[] = [kim],
): Promise<Outcome> {
  const approval = await nextPending(gate)
  for (const one of by) await approve(gate, approval, one)
  return running
}

/** How a call ended, in one word: the code where there is one. */
export function ending(outcome: Outcome): string {
  return 'code' in outcome ? outcome.code : outcome.status
}

export const pay = { tool: 'pay', args: { amount: 5 } }

/** Asked about, and approved by these people. */
export async function approved(gate: Gate, call = pay, by: readonly Person[] = [kim]) {
  const checked = await gate.check(call)
  if (checked.status !== 'pending') throw new Error(`not asked: ${checked.status}`)
  for (const one of by) await approve(gate, checked.approval, one)
  return checked.approval
}
