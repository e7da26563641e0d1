import { expect, onTestFinished, vi } from 'vitest'
import { policyOf } from '../../../test/support/policy.ts'
import { promise } from '../../../test/support/promise.ts'
import { createGate } from '../../gate/gate.ts'
import { memoryStore } from '../../store/memory.ts'
import { kim } from '../../testing/adapter-play.ts'
import { beforeTool } from './hook.ts'

function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = policyOf('version: 1\ntools: { Bash: { approval: true } }\n')
  const gate = createGate({ policy, store, agent: 'claude-code' })
  const hooked = { gate, store, waitFor: 60_000 }
  const call = { tool: 'Bash', args: { command: 'git push' } }
  const about = { event: 'PreToolUse', session: 's', cwd: '/srv/app', attempt: 'a' } as const
  return { gate, ask: () => beforeTool({ ...about, ...call }, hooked) }
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
