import type { AddressInfo } from 'node:net'
import { stopExecution, wakeUps } from '../../src/workflows/aws-durable/index.ts'
import { freePorts } from '../support/free-ports.ts'
import { type EmulatedLambda, emulateLambda } from './aws-durable-lambda.ts'
import { callMethod, serveMethods } from './aws-durable-wire.ts'
import type { EngineHarness } from './world.ts'

/** AWS's own emulator, from npm, calls functions that run in the worker with the real SDK. */
export const awsDurable: EngineHarness = {
  name: 'AWS Lambda durable functions',
  engine: 'aws-durable',
  async open() {
    const [port = 0] = await freePorts(1)
    const lambda: EmulatedLambda = await emulateLambda((workflow, event) =>
      callMethod(`http://127.0.0.1:${port}`, 'invoke', { workflow, event }),
    )
    const server = await serveMethods({
      checkpoint: lambda.checkpoint,
      state: lambda.getExecutionState,
      history: lambda.getDurableExecutionHistory,
      succeed: lambda.sendDurableExecutionCallbackSuccess,
    })
    return {
      database: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      own: { port: String(port) },
      wakeUps: wakeUps(lambda),
      start: async (workflow, input) => ({ id: await lambda.start(workflow, input) }),
      result: async ({ id }) => lambda.result(id),
      cancel: ({ id }, gate) => stopExecution(lambda, gate, id),
      async forge({ id }, approval) {
        await lambda.forge(id, approval)
      },
      // Lambda notices that a function is gone, and calls it again.
      async expireLeases() {},
      async close() {
        server.close()
        server.closeAllConnections()
        await lambda.close()
      },
    }
  },
}
