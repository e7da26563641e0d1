/** AWS Lambda durable functions on AWS's own emulator: a handler that waits for a callback, then a step. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type DurableContext,
  type DurableExecutionClient,
  type DurableExecutionInvocationInput,
  withDurableExecution,
} from '@aws/durable-execution-sdk-js'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { requireApproval, wakeUps } from '../../src/workflows/aws-durable/index.ts'
import { type EmulatedLambda, emulateLambda } from '../../test/workflows/aws-durable-lambda.ts'
import { ARGS, type Cycles } from '../cycle/contestant.ts'
import { askingGate, RESULT, requestOf, wakes } from './asking-gate.ts'
import { askedOnce, plainTable } from './plain-table.ts'

interface Input {
  readonly id: string
}

type Wait = (context: DurableContext, id: string) => Promise<unknown>

const { woken, take } = wakes()
const LOOK_MS = 5
const TIMEOUT = { minutes: 10 }

/** The emulator and the function it calls, in this process. */
async function functionOf(wait: Wait): Promise<EmulatedLambda> {
  const lambda: EmulatedLambda = await emulateLambda((_, event) => invoke(event))
  const durableExecutionClient: DurableExecutionClient = {
    checkpoint: (request) => lambda.checkpoint(request),
    getExecutionState: (request) => lambda.getExecutionState(request),
  }
  const handler = withDurableExecution(
    async ({ id }: Input, context: DurableContext) => {
      await wait(context, id)
      return context.step('transfer', async () => {
        woken(id)
        return RESULT
      })
    },
    { durableExecutionClient },
  )
  function invoke(event: DurableExecutionInvocationInput) {
    const context = { getRemainingTimeInMillis: () => 60_000 }
    return handler(event, context as Parameters<typeof handler>[1])
  }
  return lambda
}

async function ended(lambda: EmulatedLambda, arn: string): Promise<void> {
  for (;;) {
    const end = lambda.result(arn)
    if (end && 'output' in end) return
    if (end) throw new Error(end.error)
    await sleep(LOOK_MS)
  }
}

/** The emulator knows a callback a moment after the function does. */
async function complete(lambda: EmulatedLambda, callback: string): Promise<void> {
  for (;;) {
    try {
      await lambda.sendDurableExecutionCallbackSuccess({ CallbackId: callback })
      return
    } catch (error) {
      if (!String(error).includes('CallbackTimeoutException')) throw error
      await sleep(LOOK_MS)
    }
  }
}

export async function own(): Promise<Cycles> {
  const { asked, told } = askedOnce<string>()
  const lambda = await functionOf((context, id) =>
    context.waitForCallback('wait', async (callback) => told(id, callback), { timeout: TIMEOUT }),
  )
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const arn = await lambda.start('transfer', { id, ...ARGS })
      const callback = await question
      const sent = performance.now()
      await complete(lambda, callback)
      await ended(lambda, arn)
      return take(id, sent)
    },
    close: () => lambda.close(),
  }
}

export async function plain(folder: string): Promise<Cycles> {
  const table = await plainTable(folder)
  const { asked, told } = askedOnce<string>()
  const lambda = await functionOf(async (context, id) => {
    const ask = async (callback: string) => {
      await table.ask(id)
      told(id, callback)
    }
    await context.waitForCallback('wait', ask, { timeout: TIMEOUT })
    await context.step('answer', () => table.take(id))
  })
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const arn = await lambda.start('transfer', { id, ...ARGS })
      const callback = await question
      const sent = performance.now()
      await table.decide(id)
      await complete(lambda, callback)
      await ended(lambda, arn)
      return take(id, sent)
    },
    async close() {
      await lambda.close()
      await table.close()
    },
  }
}

export async function countersign(folder: string): Promise<Cycles> {
  const store = await openSqlite(`${folder}/countersign.db`)
  const channel = wakeUps({
    getDurableExecutionHistory: (request) => lambda.getDurableExecutionHistory(request),
    sendDurableExecutionCallbackSuccess: (request) =>
      lambda.sendDurableExecutionCallbackSuccess(request),
  })
  const { gate, asked, approve, close } = askingGate(store, [channel])
  const lambda = await functionOf((context, id) => requireApproval(context, gate, requestOf(id)))
  return {
    async cycle() {
      const id = crypto.randomUUID()
      const question = asked(id)
      const arn = await lambda.start('transfer', { id, ...ARGS })
      const stored = await question
      const sent = performance.now()
      await approve(stored)
      await ended(lambda, arn)
      return take(id, sent)
    },
    async close() {
      await lambda.close()
      await close()
    },
  }
}
