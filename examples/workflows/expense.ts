/**
 * OpenWorkflow on SQLite: an expense that two people of finance approve. One of them is away, so the
 * question is escalated to a chief, who fills the place that is left.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createGate, definePolicy } from 'countersign'
import { requireApproval, wakeUps } from 'countersign/openworkflow'
import { sqliteStore } from 'countersign/sqlite'
import { OpenWorkflow } from 'openworkflow'
import { BackendSqlite } from 'openworkflow/sqlite'
import { answer, escalate } from './people.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-expense-'))
const backend = BackendSqlite.connect(path.join(folder, 'workflows.db'))
const ow = new OpenWorkflow({ backend })
const store = sqliteStore(path.join(folder, 'countersign.db'))
const gate = createGate({
  policy: definePolicy({
    people: {
      groups: { finance: ['ana@example.com', 'bo@example.com'], chiefs: ['cleo@example.com'] },
    },
    tools: {
      expense: {
        approval: {
          quorum: [{ group: 'finance', n: 2 }],
          escalate: [{ after: '24h', to: { group: 'chiefs' }, for: 'finance' }],
        },
      },
    },
  }),
  store,
  agent: 'back-office',
  channels: [wakeUps(ow)],
})

const BUDGETS = ['travel', 'office']
const expense = ow.defineWorkflow<{ amount: number }, string>({ name: 'expense' }, async (wf) => {
  const { amount } = wf.input
  await wf.step.run({ name: 'validate' }, () => assert.ok(amount > 0))
  const { payload, by } = await requireApproval<{ budget: string }>(wf, gate, {
    name: 'expense',
    title: `Expense of ${amount} USD`,
    args: { amount },
    timeout: '7 days',
    form: { type: 'object', required: ['budget'], properties: { budget: { enum: BUDGETS } } },
    workflow: { name: 'expense', done: ['validate'], next: ['pay'] },
  })
  return wf.step.run({ name: 'pay' }, () => `${amount} from ${payload?.budget}, by ${by}`)
})

const worker = ow.newWorker({ concurrency: 4 })
await worker.start()
const run = await expense.run({ amount: 120 })

const payload = { budget: 'travel' }
await answer(gate, 'ana', 'expense', { verdict: 'approve', payload })
// Bo is away. A chief is asked after a day, or as soon as an approver wants it.
await escalate(gate, 'ana', 'expense')
await answer(gate, 'cleo', 'expense', { verdict: 'approve', payload })

const paid = await run.result()
assert.equal(paid, '120 from travel, by ana@example.com,cleo@example.com')

await worker.stop()
await gate.close()
await store.close()
await backend.stop()
rmSync(folder, { recursive: true, force: true })
console.log(`Paid ${paid}.`)
