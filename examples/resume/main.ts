/** A run that is suspended, and goes on by itself once a person has decided: onDecided(). */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createGate, definePolicy, onDecided } from 'countersign'
import { sqliteStore } from 'countersign/sqlite'

const policy = definePolicy({ tools: { send_mail: { approval: true } } })
const folder = mkdtempSync(path.join(tmpdir(), 'countersign-resume-'))
const file = path.join(folder, 'countersign.db')

// One process asks, saves what it needs to go on, and ends.
const asking = sqliteStore(file)
const agent = createGate({ policy, store: asking, agent: 'mail-bot' })
const call = { tool: 'send_mail', args: { to: 'ana@example.com' }, run: 'chat-1', key: 'call-1' }
const saved = new Map([[call.run, call]])
const asked = await agent.run(call, () => 'sent', { wait: false })
assert.equal(asked.status, 'pending')
await asking.close()

// Another one resumes whatever has been decided, also while it was not running.
const store = sqliteStore(file)
const gate = createGate({ policy, store, agent: 'mail-bot' })
const mails: unknown[] = []
const resumed = new Promise<void>((resolve) => {
  onDecided(gate, async ({ call: { run } }) => {
    const next = run === undefined ? undefined : saved.get(run)
    if (!next) return
    // The same call again: it runs on the yes, and on a no it is told so. Repeating it is safe.
    const outcome = await gate.run(next, ({ to }) => mails.push(to), { wait: false })
    assert.equal(outcome.status, 'succeeded')
    resolve()
  })
})

// A person decides: in the inbox, or as here from code that has authenticated them.
const [waiting] = (await gate.approvals.list({ status: ['pending'] })).approvals
assert.ok(waiting)
await gate.approvals.decide(waiting.id, {
  by: {
    issuer: 'https://id.example.com',
    subject: 'kim',
    email: 'kim@example.com',
    emailVerified: true,
    groups: [],
    roles: ['approver'],
    assurance: 'signed-in',
  },
  verdict: 'approve',
  seen: waiting.digest,
})
await resumed
assert.deepEqual(mails, ['ana@example.com'])

await gate.close()
await store.close()
rmSync(folder, { recursive: true, force: true })
console.log('The run went on by itself, once.')
