import type { Gate } from '../../src/gate/gate.ts'
import { wakeUps, withdrawOnEnd } from '../../src/workflows/inngest/index.ts'
import { startExecutor } from '../support/inngest/executor.ts'
import { clientOf, serveFunctions } from './inngest-worker.ts'
import type { EngineHarness } from './world.ts'

/** `checkpointing`: the SDK reports steps while it goes on, as it does unless told otherwise. */
export function inngestExecutor({ checkpointing = true } = {}): EngineHarness {
  return {
    name: checkpointing ? 'Inngest' : 'Inngest without checkpointing',
    engine: 'inngest',
    async open() {
      const executor = await startExecutor()
      const client = clientOf(executor.url)
      let office: Promise<{ close(): void }> | undefined
      /** Served by the process that has the database, as its users would do. */
      const withdrawing = (gate: Gate) => {
        const own = clientOf(executor.url, 'office')
        office ??= serveFunctions(own, [withdrawOnEnd(own, gate)])
        return office
      }
      return {
        database: executor.url,
        own: { checkpointing: String(checkpointing) },
        wakeUps: wakeUps(client),
        async start(workflow, input, id) {
          const event = { name: `cases/${workflow}`, data: input }
          const { ids } = await client.send({ ...event, ...(id === undefined ? {} : { id }) })
          return { id: executor.runOf(ids[0] ?? '') }
        },
        async result({ id }) {
          const end = executor.end(id)
          return end && 'cancelled' in end ? { error: 'cancelled' } : end
        },
        async cancel({ id }, gate) {
          await withdrawing(gate)
          await fetch(`${executor.url}/v1/runs/${id}`, { method: 'DELETE' })
        },
        async forge(_, approval) {
          await client.sendSignal({ signal: `countersign:${approval}`, data: { approved: true } })
        },
        // The request of a dead worker fails at once, and the next worker gets it.
        async expireLeases() {},
        async close() {
          ;(await office)?.close()
          await executor.close()
        },
      }
    },
  }
}
