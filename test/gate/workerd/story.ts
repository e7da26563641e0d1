import { createGate, type Gate } from '../../../src/gate/gate.ts'
import type { Outcome } from '../../../src/gate/outcome.ts'
import { combinePolicy } from '../../../src/policy/load/combine.ts'
import { loadOwner } from '../../../src/policy/load/load.ts'
import { smallStore } from './small-store.ts'

const POLICY = 'version: 1\ntools: { pay: { approval: true }, nuke: { approval: false } }\n'

const kim = {
  issuer: 'https://id.example.com',
  subject: 'kim',
  groups: [],
  roles: ['approver'],
  assurance: 'signed-in',
} as const

/** One call of each kind, from asking to result. The same on every runtime. */
export async function story(): Promise<readonly (readonly [string, unknown])[]> {
  const loaded = loadOwner({ file: 'countersign.yaml', text: POLICY })
  if (!loaded.ok) throw new Error('the policy does not load')
  const gate = createGate({
    policy: combinePolicy({ owner: loaded.document }),
    store: smallStore(),
    agent: 'biller',
    run: 'chat-1',
  })
  const tool = async (args: { amount?: number }) => ({ paid: args.amount ?? 0 })
  await gate.ready()
  const allowed = gate.run({ tool: 'read', args: { amount: 1 } }, tool)
  const approved = gate.run({ tool: 'pay', args: { amount: 5 } }, tool)
  await answer(gate, 'approve')
  const denied = gate.run({ tool: 'pay', args: { amount: 6 } }, tool, { waitFor: '1m' })
  await answer(gate, 'deny')
  const lapsed = gate.run({ tool: 'pay', args: { amount: 7 } }, tool, { waitFor: 10 })
  const outcomes: Outcome[] = await Promise.all([allowed, approved, denied])
  // A timer of a Worker runs only while something is awaited.
  return [...outcomes, await lapsed].map(told)
}

async function answer(gate: Gate, verdict: 'approve' | 'deny'): Promise<void> {
  for (;;) {
    const [approval] = (await gate.approvals.list({ status: ['pending'] })).approvals
    if (approval) {
      await gate.approvals.decide(approval.id, { by: kim, verdict, seen: approval.digest })
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

function told(outcome: Outcome): readonly [string, unknown] {
  return [
    'code' in outcome ? outcome.code : outcome.status,
    'result' in outcome ? outcome.result : outcome.modelMessage,
  ]
}
