import { onTestFinished, vi } from 'vitest'
import { createGate } from '../../src/gate/gate.ts'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { kim } from '../../src/testing/adapter-play.ts'

const POLICY = `version: 1
defaults: { undeclared: allow }
tools:
  pay: { approval: { edit: true } }
  wipe: { approval: true }
mcp_servers:
  - { alias: files, command: files, allowed_tools: [{ name: look, approval: true }] }
`

/** `pay` and `wipe` ask, everything else runs; `look` of the server `files` asks. */
export function open() {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const policy = parsePolicy({ owner: { file: 'countersign.yaml', text: POLICY } })
  return createGate({ policy, store, agent: 'biller' })
}

export type Gate = ReturnType<typeof open>

export async function pending(gate: Gate) {
  return (await gate.approvals.list({ status: ['pending'] })).approvals
}

/** Decides the one call that waits, as soon as it does. */
export async function decide(
  gate: Gate,
  verdict: 'approve' | 'deny',
  args?: object,
): Promise<string> {
  const one = await vi.waitFor(
    async () => {
      const [first] = await pending(gate)
      if (!first) throw new Error('no call waits')
      return first
    },
    { timeout: 15_000 },
  )
  const edit = args === undefined ? {} : { args: args as never }
  await gate.approvals.decide(one.id, { by: kim, verdict, seen: one.digest, ...edit })
  return one.id
}
