import type { JsonObject } from '../../src/base/json/json.ts'
import { stopExecution } from '../../src/workflows/aws-durable/index.ts'
import { freePorts } from '../support/free-ports.ts'
import type { EngineHarness, Result, Started } from './world.ts'

/** AWS's own emulator of durable executions, from npm. */
export const awsDurable: EngineHarness = {
  name: 'AWS Lambda durable functions',
  engine: 'aws-durable',
  async open() {
    const [port = 0] = await freePorts(1)

    async function ask<T>(what: string, body: JsonObject): Promise<T> {
      const answer = await fetch(`http://127.0.0.1:${port}/${what}`, {
        method: 'POST',
        body: JSON.stringify(body),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(text)
      return JSON.parse(text) as T
    }

    return {
      database: '',
      own: { port: String(port) },
      start: (workflow, input) => ask<Started>('start', { workflow, input }),
      async result({ id }) {
        return (await ask<Result | null>('result', { id })) ?? undefined
      },
      async cancel({ id }, gate) {
        const lambda = {
          stopDurableExecution: () => ask('stop', { id }),
        }
        await stopExecution(lambda, gate, id)
      },
      async forge({ id }, approval) {
        await ask('forge', { id, name: `countersign:${approval}` })
      },
      async expireLeases() {},
      async close() {},
    }
  },
}
