import { DBOSClient } from '@dbos-inc/dbos-sdk'
import type { Json } from '../../src/base/json/json.ts'
import { cancelWorkflow } from '../../src/workflows/dbos/index.ts'
import type { EngineHarness } from './world.ts'

export function dbosPostgres(freshDatabase: () => Promise<string>): EngineHarness {
  return {
    name: 'DBOS on Postgres',
    engine: 'dbos',
    async open() {
      const database = await freshDatabase()
      let client: DBOSClient | undefined
      // The worker makes the tables, so the first use comes after its start.
      const opened = async () => {
        client ??= await DBOSClient.create({ systemDatabaseUrl: database })
        return client
      }
      let started = 0
      return {
        database,
        async start(workflowName, input, id) {
          started += 1
          const workflowID = id ?? `${workflowName}-${String(input.id)}-${started}`
          const options = { workflowName, workflowID, queueName: 'cases', appVersion: 'v1' }
          await (await opened()).enqueue(options, input)
          return { id: workflowID }
        },
        async result({ id }) {
          const found = await (await opened()).getWorkflow(id)
          if (found?.status === 'SUCCESS') return { output: found.output as Json }
          if (found?.status === 'ERROR') return { error: String(found.error) }
          return found?.status === 'CANCELLED' ? { error: 'canceled' } : undefined
        },
        async cancel({ id }, gate) {
          await cancelWorkflow(await opened(), gate, id)
        },
        async forge({ id }, approval) {
          await (await opened()).send(id, { approved: true }, `countersign:${approval}`)
        },
        // A worker that starts takes over what its predecessor of the same name had.
        async expireLeases() {},
        async close() {
          await client?.destroy()
        },
      }
    },
  }
}
