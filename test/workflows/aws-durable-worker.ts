import { AsyncLocalStorage } from 'node:async_hooks'
import {
  type DurableContext,
  type DurableExecutionClient,
  type DurableExecutionInvocationInput,
  withDurableExecution,
} from '@aws/durable-execution-sdk-js'
import type { JsonObject } from '../../src/base/json/json.ts'
import {
  type CallbackClient,
  guardStep,
  requireApproval,
  waitForApproval,
  wakeUps as wakeUpsOf,
} from '../../src/workflows/aws-durable/index.ts'
import { callMethod, serveMethods } from './aws-durable-wire.ts'
import type { Doing } from './bodies.ts'
import type { WorkerParts } from './worker.ts'
import type { WorkerConfig } from './worker-config.ts'

export async function wakeUps({ engineDatabase: lambda }: WorkerConfig) {
  const client: CallbackClient = {
    getDurableExecutionHistory: (request) => callMethod(lambda, 'history', request),
    sendDurableExecutionCallbackSuccess: (request) => callMethod(lambda, 'succeed', request),
  }
  return wakeUpsOf(client)
}

/** The functions, in a process of their own. */
export async function work({ config, gate, tools, bodies }: WorkerParts): Promise<void> {
  const { engineDatabase: lambda, own } = config
  const pay = guardStep(gate, tools.pay)
  const breaks = guardStep(gate, tools.break)
  /** In a branch, steps belong to the context of the branch. */
  const branch = new AsyncLocalStorage<DurableContext>()
  const durableExecutionClient: DurableExecutionClient = {
    checkpoint: (request) => callMethod(lambda, 'checkpoint', request),
    getExecutionState: (request) => callMethod(lambda, 'state', request),
  }

  const doing = (root: DurableContext, input: JsonObject): Doing => {
    const context = () => branch.getStore() ?? root
    return {
      input,
      step: async (label, does) => context().step(label, does),
      waitForApproval: (request) => waitForApproval(context(), gate, request),
      requireApproval: (request) => requireApproval(context(), gate, request),
      pay: (args, options) => pay(context(), args, options),
      break: (args) => breaks(context(), args),
      async both(works) {
        const branches = works.map((does) => (child: DurableContext) => branch.run(child, does))
        const done = await root.parallel('both', branches)
        done.throwIfError()
        return done.getResults()
      },
    }
  }

  interface Invocation {
    readonly workflow: string
    readonly event: DurableExecutionInvocationInput
  }
  const invoke = ({ workflow, event }: Invocation) => {
    const body = bodies[workflow]
    if (!body) throw new Error(`there is no workflow ${workflow}`)
    const handler = withDurableExecution(
      (input: JsonObject, context: DurableContext) => body(doing(context, input)),
      { durableExecutionClient },
    )
    const context = { getRemainingTimeInMillis: () => 60_000 }
    return handler(event, context as Parameters<typeof handler>[1])
  }
  await serveMethods({ invoke }, Number(own?.port))
}
