/** What workflows cost that wait for people: many of them, for a long time. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { StatementSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { OpenWorkflow } from 'openworkflow'
import { BackendSqlite } from 'openworkflow/sqlite'
import { afterAll, expect } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { ana } from '../../src/testing/adapter-play.ts'
import { idIn } from '../../src/workflows/engine.ts'
import { waitForApproval, wakeUps } from '../../src/workflows/openworkflow/index.ts'
import { collectGarbage } from '../support/collect-garbage.ts'
import { policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'
import { eventually } from './world.ts'

const PARKED = 1_000
const PORTION = 50
/** The machine may be busy. */
const PATIENCE = 120_000
const WATCHED_MS = 2_000

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-parked-'))
const backend = BackendSqlite.connect(path.join(folder, 'workflows.db'))
const { db } = backend as unknown as { db: { exec(sql: string): void } }
// Nothing here is about the disk.
db.exec('PRAGMA synchronous = OFF')
const ow = new OpenWorkflow({ backend })
const store = await openSqlite(path.join(folder, 'countersign.db'))
const gate = createGate({
  policy: policyOf(`
  limits: { pending_per_agent: 5000, asks_per_minute: 100000 }
`),
  store,
  agent: 'biller',
  channels: [wakeUps(ow)],
})
const expense = ow.defineWorkflow<{ n: number }, string>({ name: 'expense' }, async (workflow) => {
  const { n } = workflow.input
  const args = { n }
  const { status, payload } = await waitForApproval(workflow, gate, { name: 'expense', args })
  return `${n}: ${status}, ${JSON.stringify(payload)}`
})
const worker = ow.newWorker({ concurrency: 16 })

afterAll(async () => {
  await worker.stop()
  await gate.close()
  await store.close()
  await backend.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** Statements of all databases of this process. */
let statements = 0
const made = StatementSync.prototype as unknown as Record<string, (...values: unknown[]) => unknown>
for (const name of ['run', 'get', 'all', 'iterate']) {
  const real = made[name]
  made[name] = function counted(...values) {
    statements += 1
    return real?.apply(this, values)
  }
}

/** What the process holds on to and does while nothing happens. */
async function cost() {
  const before = statements
  const started = performance.now()
  await sleep(WATCHED_MS)
  const perSecond = ((statements - before) * 1_000) / (performance.now() - started)
  collectGarbage()
  const resources = process.getActiveResourcesInfo()
  return {
    perSecond,
    heap: process.memoryUsage().heapUsed,
    timers: resources.filter((one) => one === 'Timeout').length,
    others: resources.length,
  }
}

promise(
  ['CS-FLOW-8'],
  `${PARKED} workflows that wait are rows: no timer, handle, connection or statement each`,
  async () => {
    await worker.start()
    await sleep(WATCHED_MS)
    // The worker asks for work for each of its free slots, and how often depends on the machine.
    const idle = await inOneSecond()
    const numbers = new Map<string, number>()
    const start = async (n: number) => {
      const { workflowRun } = await expense.run({ n })
      numbers.set(workflowRun.id, n)
    }
    await start(-1)
    await parked(1, idle)
    const one = await cost()
    await inPortions(
      Array.from({ length: PARKED }, (_, n) => n),
      start,
    )
    await parked(PARKED + 1, idle)
    const many = await cost()

    expect(many.timers).toBeLessThanOrEqual(one.timers + 2)
    expect(many.others).toBeLessThanOrEqual(one.others + 2)
    // The worker of the engine polls, however many wait.
    expect(many.perSecond).toBeLessThanOrEqual(one.perSecond * 2 + 20)
    // The store remembers the last thousand approvals, whatever became of them; a closure, a promise
    // and a history for each workflow would be more.
    expect((many.heap - one.heap) / PARKED).toBeLessThan(8_192)

    await inPortions(await pending(), async ({ id, digest, call }) => {
      const payload = { of: numbers.get(idIn('openworkflow', call.run) ?? '') ?? null }
      await gate.approvals.decide(id, { by: ana, verdict: 'approve', seen: digest, payload })
    })
    await eventually(
      'all end',
      async () => ((await backend.countWorkflowRuns()).completed > PARKED ? true : undefined),
      PATIENCE,
    )
    const ends: unknown[] = []
    for (const workflowRunId of numbers.keys()) {
      ends.push((await backend.getWorkflowRun({ workflowRunId }))?.output)
    }
    expect(ends).toEqual(Array.from(numbers.values(), (n) => `${n}: approved, {"of":${n}}`))
  },
  3 * PATIENCE,
)

/** One commit of a store takes what comes together. */
async function inPortions<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length; at += PORTION) {
    await Promise.all(all.slice(at, at + PORTION).map(work))
  }
}

async function pending() {
  const found = []
  let after: string | undefined
  do {
    const page = await gate.approvals.list({ status: ['pending'] }, after ? { after } : {})
    found.push(...page.approvals)
    after = page.next
  } while (after !== undefined)
  return found
}

/** All have asked, and the engine has put all of them aside. */
async function parked(count: number, idle: number): Promise<void> {
  await eventually(
    `${count} wait`,
    async () => {
      const { running } = await backend.countWorkflowRuns()
      if (running !== count) return undefined
      return (await pending()).length === count ? true : undefined
    },
    PATIENCE,
  )
  // The outbox has told everyone, and the worker finds nothing.
  await eventually('it is quiet', async () =>
    (await inOneSecond()) <= idle * 1.5 + 20 ? true : undefined,
  )
}

async function inOneSecond(): Promise<number> {
  const before = statements
  await sleep(1_000)
  return statements - before
}
