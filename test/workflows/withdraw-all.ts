import type { Gate } from '../../src/gate/gate.ts'
import { idIn } from '../../src/workflows/engine.ts'
import type { Started } from './world.ts'

/** What ends a workflow of Cloudflare has to withdraw its questions: the platform tells no code. */
export async function withdrawAll(gate: Gate, engine: string, { id }: Started): Promise<void> {
  const { approvals } = await gate.approvals.list({ status: ['pending'] }, {})
  for (const { id: approval, call } of approvals) {
    if (idIn(engine, call.run) === id) {
      await gate.approvals.withdraw(approval, { agent: call.agent })
    }
  }
}
