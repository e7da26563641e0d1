/**
 * A session of the Claude Agent SDK behind a gate: the run ends with a call that waits, is decided
 * about, and goes on when the session is resumed. Needs ANTHROPIC_API_KEY, and
 * `npm install @anthropic-ai/claude-agent-sdk`, which is large and not free software.
 */
import assert from 'node:assert/strict'
import { createSdkMcpServer, type Options, query, tool } from '@anthropic-ai/claude-agent-sdk'
import { createGate, parsePolicy } from 'countersign'
import { guardQuery, type Waiting, waitingIn } from 'countersign/claude-agent-sdk'
import { memoryStore } from 'countersign/memory'
import { z } from 'zod'

const policy = `version: 1
mcp_servers:
  - { alias: bank, command: none, allowed_tools: [{ name: pay, approval: true }] }
`
const gate = createGate({
  policy: parsePolicy({ owner: { file: 'countersign.yaml', text: policy } }),
  store: memoryStore(),
  agent: 'biller',
})

const paid: number[] = []
const pay = tool('pay', 'Pays somebody.', { to: z.string(), amount: z.number() }, async (args) => {
  paid.push(args.amount)
  return { content: [{ type: 'text', text: `paid ${args.amount} to ${args.to}` }] }
})

const ask = guardQuery(gate, query, { mode: 'suspend' })
const options = (): Options => ({
  mcpServers: { bank: createSdkMcpServer({ name: 'bank', version: '1.0.0', tools: [pay] }) },
  // Claude Code would not ask about it. The policy does.
  allowedTools: ['mcp__bank__pay'],
  settingSources: [],
})

let waiting: Waiting | undefined
for await (const message of ask({ prompt: 'Pay 40 to Lena.', options: options() })) {
  waiting ??= waitingIn(message)
}
assert.ok(waiting)
assert.equal(paid.length, 0)
console.log('The run waits with', waiting.name, waiting.args)

// What the inbox does when somebody presses the button.
const [asked] = (await gate.approvals.list({ status: ['pending'] })).approvals
assert.ok(asked)
await gate.approvals.decide(asked.id, {
  by: {
    issuer: 'example',
    subject: 'ana',
    groups: [],
    roles: ['approver'],
    assurance: 'signed-in',
  },
  verdict: 'approve',
  seen: asked.digest,
})

const resumed = { ...options(), resume: waiting.session }
for await (const message of ask({ prompt: '', options: resumed })) {
  if (message.type !== 'result' || message.subtype !== 'success') continue
  if (message.stop_reason === 'end_turn') console.log('The model says:', message.result)
}
assert.equal(paid.length, 1)
console.log('Ana said yes; paid once.')
