/** Durable workflows that wait for people: expenses, publishing, bulk deletion, permissions. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createGate, definePolicy, type Person } from 'countersign'
import { guardStep, requireApproval, waitForApproval, wakeUps } from 'countersign/openworkflow'
import { sqliteStore } from 'countersign/sqlite'
import { OpenWorkflow } from 'openworkflow'
import { BackendSqlite } from 'openworkflow/sqlite'

const folder = mkdtempSync(path.join(tmpdir(), 'countersign-workflows-'))
const backend = BackendSqlite.connect(path.join(folder, 'workflows.db'))
const ow = new OpenWorkflow({ backend })
const store = sqliteStore(path.join(folder, 'countersign.db'))
const gate = createGate({
  policy: definePolicy({
    people: { groups: { finance: ['ana@example.com', 'bo@example.com'] } },
    tools: {
      // Two of finance, and the head of finance as well after a day.
      expense: {
        approval: {
          quorum: [{ group: 'finance', n: 2 }],
          escalate: [{ after: '24h', to: 'cleo@example.com' }],
        },
      },
      delete_accounts: { risk: 'L4', approval: { reason: 'required_always' } },
    },
  }),
  store,
  agent: 'back-office',
  channels: [wakeUps(ow)],
})

const done: string[] = []

// An expense: what the approver attaches says from which budget it is paid.
const expense = ow.defineWorkflow<{ amount: number }, string>({ name: 'expense' }, async (wf) => {
  const { amount } = wf.input
  const checked = await wf.step.run({ name: 'validate' }, () => ({ amount, isValid: amount > 0 }))
  assert.ok(checked.isValid)
  const { payload } = await requireApproval<{ budget: string }>(wf, gate, {
    name: 'expense',
    title: `Expense of ${amount} USD`,
    args: { amount },
    timeout: '7 days',
  })
  await wf.step.run({ name: 'pay' }, () => void done.push(`paid ${amount} from ${payload?.budget}`))
  return 'paid'
})

// Publishing: a no is an answer, too.
const publish = ow.defineWorkflow<{ title: string }, string>({ name: 'publish' }, async (wf) => {
  const { title } = wf.input
  const { status, reason } = await waitForApproval(wf, gate, {
    name: 'publish',
    title: `Publish "${title}"?`,
    args: { title },
    timeout: '24 hours',
  })
  return status === 'approved' ? 'published' : `${status}: ${reason}`
})

// A bulk deletion: the tool itself is the step that asks, and it runs at most once.
const deleteAccounts = guardStep(gate, {
  name: 'delete_accounts',
  run({ ids }: { ids: string[] }) {
    done.push(`deleted ${ids.length} accounts`)
    return ids.length
  },
})
const cleanUp = ow.defineWorkflow<{ ids: string[] }, number>({ name: 'clean-up' }, (wf) =>
  deleteAccounts(wf, { ids: wf.input.ids }),
)

// A permission, which a person may narrow before they grant it.
const permit = ow.defineWorkflow<{ role: string }, string>({ name: 'permit' }, async (wf) => {
  const { args } = await requireApproval(wf, gate, {
    name: 'grant_role',
    args: { user: 'lena', role: wf.input.role },
    approval: { edit: ['role'] },
  })
  return `${args.user} is ${args.role}`
})

const worker = ow.newWorker({ concurrency: 4 })
await worker.start()
const runs = {
  expense: await expense.run({ amount: 120 }),
  publish: await publish.run({ title: 'Q3 results' }),
  cleanUp: await cleanUp.run({ ids: ['a1', 'a2', 'a3'] }),
  permit: await permit.run({ role: 'owner' }),
}

// People decide: in the inbox, or as here from code that has authenticated them.
await answer('ana', 'expense', { verdict: 'approve', payload: { budget: 'travel' } })
await answer('bo', 'expense', { verdict: 'approve', payload: { budget: 'travel' } })
await answer('ana', 'publish', { verdict: 'deny', reason: 'After the audit' })
await answer('ana', 'delete_accounts', { verdict: 'approve', reason: 'They asked for it' })
await answer('bo', 'grant_role', { verdict: 'approve', args: { user: 'lena', role: 'reader' } })

assert.equal(await runs.expense.result(), 'paid')
assert.equal(await runs.publish.result(), 'denied: After the audit')
assert.equal(await runs.cleanUp.result(), 3)
assert.equal(await runs.permit.result(), 'lena is reader')
assert.deepEqual(done.toSorted(), ['deleted 3 accounts', 'paid 120 from travel'])

await worker.stop()
await gate.close()
await store.close()
await backend.stop()
rmSync(folder, { recursive: true, force: true })
console.log('Four workflows waited for people, and each went on with its own answer.')

async function answer(
  who: string,
  tool: string,
  said: Omit<Parameters<typeof gate.approvals.decide>[1], 'by' | 'seen'>,
): Promise<void> {
  const by: Person = {
    issuer: 'https://id.example.com',
    subject: who,
    email: `${who}@example.com`,
    emailVerified: true,
    groups: ['finance'],
    roles: ['approver'],
    assurance: 'signed-in',
  }
  for (;;) {
    const waiting = (await gate.approvals.list({ status: ['pending'] })).approvals
    const asked = waiting.find(({ call }) => call.tool === tool)
    if (asked) {
      await gate.approvals.decide(asked.id, { by, seen: asked.digest, ...said })
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
