import type { AddressInfo } from 'node:net'
import { Inngest, type InngestFunction } from 'inngest'
import { createServer } from 'inngest/node'
import type { JsonObject } from '../../src/base/json/json.ts'
import {
  guardStep,
  requireApproval,
  waitForApproval,
  wakeUps as wakeUpsOf,
} from '../../src/workflows/inngest/index.ts'
import type { WorkerParts } from './worker.ts'
import type { WorkerConfig } from './worker-config.ts'

/** It prints every error that ends a run, which here is most of them. */
const quiet = { debug() {}, info() {}, warn() {}, error() {} }

export function clientOf(baseUrl: string, id = 'cases'): Inngest {
  return new Inngest({ id, baseUrl, isDev: true, logger: quiet })
}

/** Serves functions, and tells the executor where, as a deploy does. */
export async function serveFunctions(
  client: Inngest,
  functions: readonly InngestFunction.Any[],
): Promise<{ close(): void }> {
  const server = createServer({ client, functions: [...functions] })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const synced = await fetch(`http://127.0.0.1:${port}/api/inngest`, { method: 'PUT' })
  if (!synced.ok) throw new Error(`the functions are not known: ${await synced.text()}`)
  return {
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

export async function wakeUps({ engineDatabase }: WorkerConfig) {
  return wakeUpsOf(clientOf(engineDatabase))
}

export async function work({ config, gate, tools, bodies }: WorkerParts): Promise<void> {
  const client = clientOf(config.engineDatabase)
  const pay = guardStep(gate, tools.pay)
  const breaks = guardStep(gate, tools.break)
  const checkpointing = config.own?.checkpointing === 'true'
  const functions = Object.entries(bodies).map(([id, body]) =>
    client.createFunction({ id, triggers: { event: `cases/${id}` }, checkpointing }, (ctx) =>
      body({
        input: ctx.event.data as JsonObject,
        step: (label, doing) => ctx.step.run(label, doing) as ReturnType<typeof doing>,
        waitForApproval: (request) => waitForApproval(ctx, gate, request),
        requireApproval: (request) => requireApproval(ctx, gate, request),
        pay: (args, options) => pay(ctx, args, options),
        break: (args) => breaks(ctx, args),
        both: ([one, other]) => Promise.all([one(), other()]),
      }),
    ),
  )
  await serveFunctions(client, functions)
}
