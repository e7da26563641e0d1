import { AsyncLocalStorage } from 'node:async_hooks'
import { createServer } from 'node:http'
import { type DurableContext, withDurableExecution } from '@aws/durable-execution-sdk-js'
import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import {
  guardStep,
  requireApproval,
  waitForApproval,
  wakeUps as wakeUpsOf,
} from '../../src/workflows/aws-durable/index.ts'
import { type Execution, executions } from './aws-durable-lambda.ts'
import type { Body, Doing } from './bodies.ts'
import type { WorkerParts } from './worker.ts'
import type { WorkerConfig } from './worker-config.ts'

export async function wakeUps(_: WorkerConfig) {
  return wakeUpsOf(executions.lambda)
}

/**
 * AWS's own emulator keeps executions in the memory of one process, so the worker is Lambda and the
 * functions at once, and the test speaks with it over HTTP.
 */
export async function work({ config, gate, tools, bodies }: WorkerParts): Promise<void> {
  await LocalDurableTestRunner.setupTestEnvironment({ skipTime: false })
  const pay = guardStep(gate, tools.pay)
  const breaks = guardStep(gate, tools.break)
  /** In a branch, steps belong to the context of the branch. */
  const branch = new AsyncLocalStorage<DurableContext>()

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
        return done.getResults()
      },
    }
  }

  function start(body: Body, input: JsonObject): Promise<Execution> {
    return new Promise((resolve, reject) => {
      let execution: Execution | undefined
      const handler = withDurableExecution(async (given: JsonObject, context: DurableContext) => {
        if (!execution) {
          execution = executions.add(context.executionContext.durableExecutionArn, runner)
          resolve(execution)
        }
        // Lambda does not call the function of a stopped execution again.
        if (execution.isStopped) throw new Error('stopped')
        return body(doing(context, given))
      })
      const runner = new LocalDurableTestRunner<Json>({ handlerFunction: handler })
      runner.run({ payload: input }).then((result) => execution?.end(result), reject)
    })
  }

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const asked = JSON.parse(Buffer.concat(chunks).toString()) as JsonObject
    try {
      const answer = await answerOf(request.url ?? '', asked)
      response.end(JSON.stringify(answer ?? null))
    } catch (error) {
      response.writeHead(500).end(String(error))
    }
  })

  async function answerOf(url: string, asked: JsonObject): Promise<Json | undefined> {
    if (url === '/start') {
      const body = bodies[String(asked.workflow)]
      if (!body) throw new Error(`there is no workflow ${String(asked.workflow)}`)
      return { id: (await start(body as Body, asked.input as JsonObject)).arn }
    }
    const execution = executions.get(String(asked.id))
    if (url === '/result') return execution.result() as Json | undefined
    if (url === '/forge') {
      await execution.forge(String(asked.name))
      return null
    }
    await executions.lambda.stopDurableExecution({ DurableExecutionArn: execution.arn })
    return null
  }

  await new Promise<void>((resolve) =>
    server.listen(Number(config.own?.port), '127.0.0.1', resolve),
  )
}
