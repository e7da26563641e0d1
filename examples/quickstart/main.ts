/** The smallest whole story: a tool behind the gate, a person who says yes, a call that runs once. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createGate, definePolicy } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'

const policy = definePolicy({
  people: { groups: { finance: ['ana@example.com'] } },
  tools: {
    transfer_money: {
      approval: {
        message_template: 'Transfer ${{tool_args.amount}} to {{tool_args.to}}?',
        condition: { args_match: { amount: { gt: 100 } } },
        approvers: [{ group: 'finance' }],
      },
    },
  },
})
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-quickstart-'))
const store = sqliteStore(path.join(folder, 'countersign.db'))
const gate = createGate({ policy, store, agent: 'billing-bot', run: 'chat-1' })

const transfers: object[] = []
async function send(args: { amount: number; to: string }): Promise<string> {
  transfers.push(args)
  return `sent ${args.amount} to ${args.to}`
}
const transfer = gate.guard(send, { name: 'transfer_money' })

// Small ones run at once.
assert.equal(await transfer({ amount: 50, to: 'Bo' }, { key: 'call-1' }), 'sent 50 to Bo')

// Large ones wait until a person has seen exactly this call and said yes.
const waiting = transfer({ amount: 18_400, to: 'Northwind' }, { key: 'call-2' })
const [asked] = (await pendingSoon()).approvals
assert.ok(asked)
assert.equal(transfers.length, 1)
await gate.approvals.decide(asked.id, {
  by: {
    issuer: 'example',
    subject: 'ana',
    email: 'ana@example.com',
    emailVerified: true,
    groups: ['finance'],
    roles: ['approver'],
    assurance: 'signed-in',
  },
  verdict: 'approve',
  seen: asked.digest,
})
assert.equal(await waiting, 'sent 18400 to Northwind')
assert.equal(transfers.length, 2)

await gate.close()
await store.close()
rmSync(folder, { recursive: true })
console.log('One small transfer ran at once; the large one ran once, after Ana said yes.')

/** The question is written by the call above; look until it is there. */
async function pendingSoon() {
  for (;;) {
    const page = await store.list({ status: ['pending'] })
    if (page.approvals.length > 0) return page
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
