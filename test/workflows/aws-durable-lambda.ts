/**
 * Lambda, as far as durable functions need it: AWS's own emulator keeps the executions, and calls
 * functions in another process, which may die. The API of it that wake-ups use is here too.
 */
import {
  type DurableExecutionClient,
  type DurableExecutionInvocationInput,
  DurableExecutionInvocationInputWithClient,
  type DurableExecutionInvocationOutput,
  type DurableLambdaHandler,
  type WireOperation,
} from '@aws/durable-execution-sdk-js'
import {
  type DurableOperation,
  LocalDurableTestRunner,
  type TestResult,
} from '@aws/durable-execution-sdk-js-testing'
import type { Json, JsonObject } from '../../src/base/json/json.ts'
import type {
  CallbackClient,
  ExecutionReader,
  HistoryEvent,
  Stopper,
} from '../../src/workflows/aws-durable/index.ts'

/** Calls the function; throws where its process is not there, or dies. */
export type Call = (
  workflow: string,
  event: DurableExecutionInvocationInput,
) => Promise<DurableExecutionInvocationOutput>

type Client = Pick<DurableExecutionClient, 'checkpoint' | 'getExecutionState'>

interface Execution {
  readonly runner: LocalDurableTestRunner<Json>
  client: DurableExecutionClient
  /** Of the last checkpoint: the function that is called next goes on from there. */
  token: string
  isStopped: boolean
  /** Callbacks that a forged wake-up has completed. */
  readonly forged: Set<string>
  ended?: TestResult<Json>
}

export interface EmulatedLambda extends CallbackClient, ExecutionReader, Stopper, Client {
  /** Resolves with the ARN. */
  start(workflow: string, input: JsonObject): Promise<string>
  result(arn: string): { output: Json } | { error: string } | undefined
  /**
   * Completes what waits for this approval: with a claim, then with no JSON, then as failed. False
   * where nothing waits.
   */
  forge(arn: string, approval: string): Promise<boolean>
  close(): Promise<void>
}

const PAUSE = 50

/** One emulator for the process. */
let opened = 0
let emulator: Promise<void> = Promise.resolve()

function open(): Promise<void> {
  opened += 1
  if (opened === 1) {
    emulator = emulator.then(() => LocalDurableTestRunner.setupTestEnvironment({ skipTime: false }))
  }
  return emulator
}

function close(): Promise<void> {
  opened -= 1
  if (opened === 0) emulator = emulator.then(() => LocalDurableTestRunner.teardownTestEnvironment())
  return emulator
}

export async function emulateLambda(call: Call): Promise<EmulatedLambda> {
  await open()
  const executions = new Map<string, Execution>()
  let isClosed = false

  function get(arn: string | undefined): Execution {
    const execution = executions.get(arn ?? '')
    if (execution) return execution
    throw Object.assign(new Error(`there is no ${arn}`), { name: 'ResourceNotFoundException' })
  }

  /** Calls the function until it answers: each time with all that was kept by then. */
  async function invoke(workflow: string, arn: string): Promise<DurableExecutionInvocationOutput> {
    const execution = get(arn)
    for (;;) {
      // Lambda does not call the function of a stopped execution again.
      if (isClosed || execution.isStopped) return new Promise(() => {})
      try {
        return await call(workflow, {
          DurableExecutionArn: arn,
          CheckpointToken: execution.token,
          InitialExecutionState: { Operations: await keptOf(arn, execution) },
        })
      } catch {
        await new Promise((resolve) => setTimeout(resolve, PAUSE))
      }
    }
  }

  return {
    start: (workflow, input) =>
      new Promise((resolve, reject) => {
        const handlerFunction: DurableLambdaHandler = async (event) => {
          if (!DurableExecutionInvocationInputWithClient.isInstance(event)) throw new Error('?')
          const { DurableExecutionArn: arn, CheckpointToken: token } = event
          const client = event.durableExecutionClient
          const known = executions.get(arn)
          executions.set(arn, {
            isStopped: false,
            forged: new Set(),
            ...known,
            runner,
            client,
            token,
          })
          resolve(arn)
          return invoke(workflow, arn)
        }
        const runner = new LocalDurableTestRunner<Json>({ handlerFunction })
        runner.run({ payload: input }).then((ended) => {
          for (const one of executions.values()) if (one.runner === runner) one.ended = ended
        }, reject)
      }),
    result(arn) {
      const { ended } = get(arn)
      if (ended?.getStatus() === 'SUCCEEDED') return { output: ended.getResult() ?? null }
      return ended && { error: ended.getError().errorMessage ?? 'failed' }
    },
    async forge(arn, approval) {
      const execution = get(arn)
      const name = `countersign:${approval}`
      const open = operationsOf(execution).findLast((one) => one.getName() === name)
      const id = open?.getId() ?? ''
      if (open?.getStatus() !== 'STARTED' || execution.forged.has(id)) return false
      const forms = [
        () => open.sendCallbackSuccess('{"approved":true,"status":"approved"}'),
        () => open.sendCallbackSuccess('{"approved":'),
        () => open.sendCallbackFailure({ ErrorMessage: 'approved' }),
      ]
      await forms[execution.forged.size % forms.length]?.()
      execution.forged.add(id)
      return true
    },
    async checkpoint(request) {
      const execution = get(request.DurableExecutionArn)
      const kept = await execution.client.checkpoint(request)
      execution.token = kept.CheckpointToken ?? execution.token
      return kept
    },
    getExecutionState: (request) =>
      get(request.DurableExecutionArn).client.getExecutionState(request),
    async getDurableExecutionHistory({ DurableExecutionArn }) {
      const events: HistoryEvent[] = operationsOf(get(DurableExecutionArn))
        .flatMap((operation) => operation.getEvents() ?? [])
        .sort((one, other) => (other.EventId ?? 0) - (one.EventId ?? 0))
      return { Events: events }
    },
    async sendDurableExecutionCallbackSuccess({ CallbackId }) {
      for (const execution of executions.values()) {
        const found = operationsOf(execution).find(
          (one) => one.getOperationData()?.CallbackDetails?.CallbackId === CallbackId,
        )
        if (found) return found.sendCallbackSuccess()
      }
      throw new Error('CallbackTimeoutException')
    },
    async stopDurableExecution({ DurableExecutionArn }) {
      get(DurableExecutionArn).isStopped = true
    },
    async getDurableExecution({ DurableExecutionArn }) {
      const { isStopped, ended } = get(DurableExecutionArn)
      return { Status: isStopped ? 'STOPPED' : (ended?.getStatus() ?? 'RUNNING') }
    },
    async close() {
      isClosed = true
      await close()
    },
  }
}

async function keptOf(arn: string, { client, token }: Execution): Promise<WireOperation[]> {
  const kept: WireOperation[] = []
  let marker: string | undefined
  do {
    const page = await client.getExecutionState({
      DurableExecutionArn: arn,
      CheckpointToken: token,
      Marker: marker ?? '',
    })
    kept.push(...(page.Operations ?? []))
    marker = page.NextMarker
  } while (marker)
  return kept
}

function operationsOf({ runner }: Execution): DurableOperation[] {
  const found: DurableOperation[] = []
  for (let index = 0; ; index += 1) {
    const operation = runner.getOperationByIndex(index)
    if (operation.getOperationData() === undefined) return found
    found.push(operation)
  }
}
