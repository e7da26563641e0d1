import { expect, onTestFinished, vi } from 'vitest'
import { policyOf } from '../../../test/support/policy.ts'
import { promise } from '../../../test/support/promise.ts'
import { createGate } from '../../gate/gate.ts'
import { memoryStore } from '../../store/memory/index.ts'
import { kim } from '../../testing/adapter-play.ts'
import { beforeTool } from './hook.ts'

function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = policyOf('version: 1\ntools: { Bash: { approval: true } }\n')
  const gate = createGate({ policy, store, agent: 'claude-code' })
  const hooked = { gate, store, waitFor: 60_000 }
  const call = { tool: 'Bash', args: { command: 'git push' } }
  const about = {
    agent: 'claude-code',
    event: 'PreToolUse',
    session: 's',
    cwd: '/srv/app',
    attempt: 'a',
  } as const
  const input = { ...about, ...call }
  return { gate, hooked, input, ask: () => beforeTool(input, hooked) }
}

promise(
  ['CS-HOOK-2'],
  'a no is told as one just given, and only later as an older one',
  async () => {
    const { gate, ask } = open()
    const answer = ask()
    const [asked] = await vi.waitFor(async () => {
      const { approvals } = await gate.approvals.list({ status: ['pending'] })
      expect(approvals).toHaveLength(1)
      return approvals
    })
    const { id = '', digest: seen = '' } = asked ?? {}
    await gate.approvals.decide(id, { by: kim, verdict: 'deny', seen, reason: 'Not today' })
    const reason = (output: unknown) =>
      (output as { output: { hookSpecificOutput: { permissionDecisionReason: string } } }).output
        .hookSpecificOutput.permissionDecisionReason
    expect(reason(await answer)).toMatch(/Bash was denied by a person .* Reason: Not today\./)
    expect(reason(await ask())).toMatch(/Bash was already denied by a person in this run/)
  },
)

promise(
  ['CS-HOOK-2'],
  'a no that comes between two looks at the question is told as one just given',
  async () => {
    const { gate, hooked, input } = open()
    const decided = async () => {
      const [asked] = (await gate.approvals.list({ status: ['pending'] })).approvals
      const { id = '', digest: seen = '' } = asked ?? {}
      await gate.approvals.decide(id, { by: kim, verdict: 'deny', seen })
      return id
    }
    // Noticed by the next check only.
    let checks = 0
    const check: typeof gate.check = async (...args) => {
      if (++checks === 2) await decided()
      return gate.check(...args)
    }
    // Wakes although nothing has changed, so that the question is looked at once more.
    const store = Object.assign(Object.create(hooked.store), { waitFor: async () => {} })
    const first = await beforeTool(input, { ...hooked, store, gate: { ...gate, check } })
    expect(JSON.stringify(first)).toMatch(/Bash was denied by a person/)
  },
)

promise(
  ['CS-HOOK-2'],
  'a no that comes between two requests is told as one just given',
  async () => {
    const { gate, hooked, input } = open()
    const first = await beforeTool(input, { ...hooked, waitFor: 0 })
    if (!('pending' in first)) throw new Error('nothing waits')
    const { id, digest: seen } = first.pending
    await gate.approvals.decide(id, { by: kim, verdict: 'deny', seen })
    const second = await beforeTool(input, { ...hooked, waited: id })
    expect(JSON.stringify(second)).toMatch(/Bash was denied by a person/)
  },
)

promise(['CS-HOOK-2'], 'a yes is not spent when Claude Code is gone', async () => {
  const { gate, hooked, input } = open()
  const first = await beforeTool(input, { ...hooked, waitFor: 0 })
  if (!('pending' in first)) throw new Error('nothing waits')
  const { id, digest: seen } = first.pending
  await gate.approvals.decide(id, { by: kim, verdict: 'approve', seen })
  const gone = await beforeTool(input, { ...hooked, signal: AbortSignal.abort() })
  expect(gone).toMatchObject({ pending: { id, status: 'approved' } })
  expect(JSON.stringify(await beforeTool(input, hooked))).toContain('"allow"')
})
