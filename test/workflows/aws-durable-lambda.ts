/** The API of Lambda that wake-ups use, over the executions of AWS's own emulator. */
import type {
  DurableOperation,
  LocalDurableTestRunner,
  TestResult,
} from '@aws/durable-execution-sdk-js-testing'
import type { Json } from '../../src/base/json/json.ts'
import type {
  CallbackClient,
  ExecutionReader,
  HistoryEvent,
  Stopper,
} from '../../src/workflows/aws-durable/index.ts'

type Runner = LocalDurableTestRunner<Json>

export class Execution {
  isStopped = false
  #ended: TestResult<Json> | undefined
  readonly arn: string
  readonly #runner: Runner
  #forged = 0

  constructor(arn: string, runner: Runner) {
    this.arn = arn
    this.#runner = runner
  }

  end(result: TestResult<Json>): void {
    this.#ended = result
  }

  get status(): string {
    if (this.isStopped) return 'STOPPED'
    return this.#ended?.getStatus() ?? 'RUNNING'
  }

  result(): { output: Json } | { error: string } | undefined {
    if (this.#ended?.getStatus() === 'SUCCEEDED') return { output: this.#ended.getResult() ?? null }
    return this.#ended && { error: this.#ended.getError().errorMessage ?? 'failed' }
  }

  operations(): DurableOperation[] {
    const found: DurableOperation[] = []
    for (let index = 0; ; index += 1) {
      const operation = this.#runner.getOperationByIndex(index)
      if (operation.getOperationData() === undefined) return found
      found.push(operation)
    }
  }

  callback(id: string): DurableOperation | undefined {
    return this.operations().find((one) => one.getCallbackDetails()?.callbackId === id)
  }

  /** Completes what waits under this name with a claim, a failure, or bytes that are no JSON. */
  async forge(name: string): Promise<void> {
    const open = this.operations().find(
      (one) => one.getName() === name && one.getStatus() === 'STARTED',
    )
    this.#forged += 1
    if (this.#forged % 3 === 0) await open?.sendCallbackSuccess('{"approved":')
    else if (this.#forged % 3 === 1)
      await open?.sendCallbackSuccess('{"approved":true,"status":"approved"}')
    else await open?.sendCallbackFailure({ ErrorType: 'Approved', ErrorMessage: 'approved' })
  }
}

const known = new Map<string, Execution>()

function get(arn: string): Execution {
  const execution = known.get(arn)
  if (execution) return execution
  throw Object.assign(new Error(`there is no ${arn}`), { name: 'ResourceNotFoundException' })
}

const lambda: CallbackClient & Stopper & ExecutionReader = {
  async getDurableExecutionHistory({ DurableExecutionArn }) {
    const events: HistoryEvent[] = get(DurableExecutionArn)
      .operations()
      .flatMap((operation) => operation.getEvents() ?? [])
      .sort((one, other) => (other.EventId ?? 0) - (one.EventId ?? 0))
    return { Events: events }
  },
  async sendDurableExecutionCallbackSuccess({ CallbackId }) {
    for (const execution of known.values()) {
      const callback = execution.callback(CallbackId)
      if (callback) return callback.sendCallbackSuccess()
    }
    throw new Error('CallbackTimeoutException')
  },
  async stopDurableExecution({ DurableExecutionArn }) {
    get(DurableExecutionArn).isStopped = true
  },
  async getDurableExecution({ DurableExecutionArn }) {
    return { Status: get(DurableExecutionArn).status }
  },
}

export const executions = {
  lambda,
  get,
  add(arn: string, runner: Runner): Execution {
    const execution = new Execution(arn, runner)
    known.set(arn, execution)
    return execution
  },
}
