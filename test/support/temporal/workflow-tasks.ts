import type { temporal } from '@temporalio/proto'
import { isClosing } from './commands.ts'
import { GrpcError, INVALID_ARGUMENT, NOT_FOUND } from './grpc.ts'
import type { TaskQueues } from './queues.ts'
import { add, after, type Failure, now, type Run, startOf } from './run.ts'

type Service = typeof temporal.api.workflowservice.v1
type Completed = Service['RespondWorkflowTaskCompletedRequest']['prototype']

/** How long a worker may keep a task of a workflow, as servers have it. */
const TASK_TIMEOUT = 10_000
/** Before a task that failed is given out again. */
const FAILED_PAUSE = 500

export interface WorkflowTasks {
  /** Tells a workflow what happened: at once, or after the task that a worker has. */
  happen(run: Run, work: () => void, timer?: string): void
  schedule(run: Run): void
  poll(queue: string, identity: string, gone: AbortSignal): Promise<object>
  /** Ends a task; `apply` adds the events of its commands. */
  complete(token: string, request: Completed, apply: (run: Run, completedId: number) => void): void
  fail(token: string, failure: Failure, cause: number, identity: string): void
  /** Takes back what workers hold. */
  expire(): void
}

/** `UNHANDLED_COMMAND`: a workflow may not end before it has heard everything. */
const UNHANDLED_COMMAND = 1

export function workflowTasks(queues: TaskQueues): WorkflowTasks {
  const tokens = new Map<string, Run>()
  let made = 0

  function schedule(run: Run): void {
    if (run.closed || run.task) return
    const scheduledId = add(run, 'WORKFLOW_TASK_SCHEDULED', {
      taskQueue: { name: run.queue },
      startToCloseTimeout: { seconds: TASK_TIMEOUT / 1_000 },
      attempt: 1,
    })
    run.task = { scheduledId }
    queues.push(`workflow ${run.queue}`, run)
  }

  /** What was kept back while a worker had the task. */
  function flush(run: Run): boolean {
    const kept = run.buffered.splice(0)
    for (const { happen } of kept) happen()
    return kept.length > 0
  }

  /** The task of a token, which is used up. */
  function taken(token: string): [Run, number, number] {
    const run = tokens.get(token)
    tokens.delete(token)
    const task = run?.task
    if (!run || task?.taken?.token !== token) {
      throw new GrpcError(NOT_FOUND, 'Workflow task not found.')
    }
    clearTimeout(task.taken.lost)
    return [run, task.scheduledId, task.taken.startedId]
  }

  function timeOut(run: Run): void {
    const { scheduledId, taken: holder } = run.task ?? {}
    if (!holder || run.closed) return
    clearTimeout(holder.lost)
    tokens.delete(holder.token)
    add(run, 'WORKFLOW_TASK_TIMED_OUT', {
      scheduledEventId: scheduledId,
      startedEventId: holder.startedId,
      timeoutType: 1,
    })
    run.task = undefined
    flush(run)
    schedule(run)
  }

  return {
    schedule,
    happen(run, work, timer) {
      if (run.closed) return
      if (run.task?.taken) {
        run.buffered.push({ happen: work, ...(timer === undefined ? {} : { timer }) })
        return
      }
      work()
      schedule(run)
    },
    poll: (queue, identity, gone) =>
      queues.poll(`workflow ${queue}`, gone, (run: Run) => {
        const { task } = run
        if (run.closed || !task || task.taken) return undefined
        made += 1
        const token = `workflow task ${made}`
        const startedId = add(run, 'WORKFLOW_TASK_STARTED', {
          scheduledEventId: task.scheduledId,
          identity,
          requestId: token,
        })
        task.taken = { token, startedId, lost: after(TASK_TIMEOUT, () => timeOut(run)) }
        tokens.set(token, run)
        return {
          taskToken: Buffer.from(token),
          workflowExecution: { workflowId: run.id, runId: run.runId },
          workflowType: startOf(run).workflowType,
          previousStartedEventId: run.previousStart,
          startedEventId: startedId,
          attempt: 1,
          history: { events: [...run.events] },
          scheduledTime: now(),
          startedTime: now(),
          workflowExecutionTaskQueue: { name: run.queue },
        }
      }),
    complete(token, request, apply) {
      const [run, scheduledEventId, startedEventId] = taken(token)
      if (request.commands.some(isClosing) && run.buffered.length > 0) {
        add(run, 'WORKFLOW_TASK_FAILED', {
          scheduledEventId,
          startedEventId,
          cause: UNHANDLED_COMMAND,
        })
        run.task = undefined
        flush(run)
        schedule(run)
        throw new GrpcError(INVALID_ARGUMENT, 'UnhandledCommand')
      }
      run.previousStart = startedEventId
      const completedId = add(run, 'WORKFLOW_TASK_COMPLETED', {
        scheduledEventId,
        startedEventId,
        identity: request.identity,
        sdkMetadata: request.sdkMetadata,
        meteringMetadata: request.meteringMetadata,
      })
      apply(run, completedId)
      run.task = undefined
      if (run.closed) return
      if (flush(run) || request.forceCreateNewWorkflowTask) schedule(run)
    },
    fail(token, failure, cause, identity) {
      const [run, scheduledEventId, startedEventId] = taken(token)
      run.failures.push(failure)
      add(run, 'WORKFLOW_TASK_FAILED', {
        scheduledEventId,
        startedEventId,
        cause,
        failure,
        identity,
      })
      run.task = undefined
      flush(run)
      after(FAILED_PAUSE, () => schedule(run))
    },
    expire() {
      for (const run of [...tokens.values()]) timeOut(run)
    },
  }
}
