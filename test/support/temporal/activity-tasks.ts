import { GrpcError, NOT_FOUND } from './grpc.ts'
import type { TaskQueues } from './queues.ts'
import {
  type Activity,
  type ActivityCommand,
  add,
  after,
  type Failure,
  millis,
  now,
  type Run,
  startOf,
} from './run.ts'
import type { WorkflowTasks } from './workflow-tasks.ts'

const TIMED_OUT = { startToClose: 1, heartbeat: 4 } as const
const RETRY_STATE = { nonRetryable: 2, attempts: 4, cancelled: 7 } as const

interface Given {
  readonly run: Run
  readonly activity: Activity
}

export interface ActivityTasks {
  schedule(run: Run, attributes: ActivityCommand, scheduledId: number): void
  cancel(run: Run, scheduledId: number, cancelId: number): void
  poll(queue: string, identity: string, gone: AbortSignal): Promise<object>
  complete(token: string, result: unknown): void
  fail(token: string, failure: Failure): void
  cancelled(token: string, details: unknown): void
  /** Whether the activity is to stop. */
  beat(token: string): boolean
  /** Takes back what workers hold. */
  expire(): void
}

export function activityTasks(queues: TaskQueues, tasks: WorkflowTasks): ActivityTasks {
  const tokens = new Map<string, Given>()
  let made = 0

  function give(run: Run, activity: Activity): void {
    queues.push(`activity ${activity.attributes.taskQueue?.name}`, { run, activity })
  }

  function known(token: string): Given {
    const given = tokens.get(token)
    if (!given || given.run.closed || given.activity.taken?.token !== token) {
      throw new GrpcError(NOT_FOUND, 'activity task not found')
    }
    return given
  }

  /** The attempt of a token is over. */
  function ended(token: string): Given {
    const given = known(token)
    release(given.activity)
    return given
  }

  function release({ taken }: Activity): void {
    clearTimeout(taken?.limit)
    clearTimeout(taken?.silence)
    tokens.delete(taken?.token ?? '')
  }

  /** Ends an activity: only then is it in the history that it was started. */
  function record({ run, activity }: Given, type: string, attributes: object): void {
    const identity = activity.taken?.identity ?? ''
    activity.taken = undefined
    run.activities.delete(activity.id)
    tasks.happen(run, () => {
      const startedEventId = add(run, 'ACTIVITY_TASK_STARTED', {
        scheduledEventId: activity.scheduledId,
        identity,
        requestId: activity.id,
        attempt: activity.attempt,
        lastFailure: activity.failure,
      })
      add(run, type, {
        ...attributes,
        scheduledEventId: activity.scheduledId,
        startedEventId,
        identity,
      })
    })
  }

  /** Another attempt, where the policy of the activity has one. */
  function retry(given: Given, failure: Failure): void {
    const { run, activity } = given
    const { maximumAttempts, initialInterval, backoffCoefficient, maximumInterval } =
      activity.attributes.retryPolicy ?? {}
    const isFinal = failure.applicationFailureInfo?.nonRetryable === true
    const isOver = activity.attempt >= (maximumAttempts || Number.POSITIVE_INFINITY)
    if (isFinal || isOver || activity.isCancelRequested) {
      const isTimeout = failure.timeoutFailureInfo != null
      record(given, isTimeout ? 'ACTIVITY_TASK_TIMED_OUT' : 'ACTIVITY_TASK_FAILED', {
        failure,
        retryState: isFinal
          ? RETRY_STATE.nonRetryable
          : isOver
            ? RETRY_STATE.attempts
            : RETRY_STATE.cancelled,
      })
      return
    }
    const pause =
      (millis(initialInterval) || 1_000) * (backoffCoefficient || 2) ** (activity.attempt - 1)
    activity.taken = undefined
    activity.failure = failure
    activity.attempt += 1
    after(Math.min(pause, millis(maximumInterval) || 100_000), () => give(run, activity))
  }

  function timeOut(given: Given, kind: keyof typeof TIMED_OUT): void {
    const { activity, run } = given
    if (!activity.taken || run.closed) return
    release(activity)
    retry(given, {
      message: `activity ${kind} timeout`,
      timeoutFailureInfo: { timeoutType: TIMED_OUT[kind] },
    })
  }

  function listen(given: Given): NodeJS.Timeout | undefined {
    const silence = millis(given.activity.attributes.heartbeatTimeout)
    return silence > 0 ? after(silence, () => timeOut(given, 'heartbeat')) : undefined
  }

  return {
    schedule(run, attributes, scheduledId) {
      const activity: Activity = {
        id: attributes.activityId ?? '',
        scheduledId,
        attributes,
        attempt: 1,
        failure: undefined,
        isCancelRequested: false,
        beats: 0,
        taken: undefined,
      }
      run.activities.set(activity.id, activity)
      give(run, activity)
    },
    cancel(run, scheduledId, cancelId) {
      const activity = [...run.activities.values()].find((one) => one.scheduledId === scheduledId)
      if (!activity) return
      activity.isCancelRequested = true
      if (activity.taken) return
      // No worker has it, so it is cancelled already. Told after the commands of this task.
      run.activities.delete(activity.id)
      tasks.happen(run, () => {
        add(run, 'ACTIVITY_TASK_CANCELED', {
          scheduledEventId: scheduledId,
          latestCancelRequestedEventId: cancelId,
        })
      })
    },
    poll: (queue, identity, gone) =>
      queues.poll(`activity ${queue}`, gone, (given: Given) => {
        const { run, activity } = given
        const { attributes } = activity
        if (run.closed || activity.taken || run.activities.get(activity.id) !== activity) {
          return undefined
        }
        made += 1
        const token = `activity task ${made}`
        tokens.set(token, given)
        const limit = millis(attributes.startToCloseTimeout) || 3_600_000
        activity.taken = {
          token,
          identity,
          limit: after(limit, () => timeOut(given, 'startToClose')),
          silence: listen(given),
        }
        return {
          taskToken: Buffer.from(token),
          workflowNamespace: 'default',
          workflowType: startOf(run).workflowType,
          workflowExecution: { workflowId: run.id, runId: run.runId },
          activityType: attributes.activityType,
          activityId: activity.id,
          header: attributes.header,
          input: attributes.input,
          scheduledTime: now(),
          currentAttemptScheduledTime: now(),
          startedTime: now(),
          attempt: activity.attempt,
          scheduleToCloseTimeout: attributes.scheduleToCloseTimeout ?? { seconds: 315_360_000 },
          startToCloseTimeout: attributes.startToCloseTimeout,
          heartbeatTimeout: attributes.heartbeatTimeout ?? { seconds: 0 },
          retryPolicy: attributes.retryPolicy,
        }
      }),
    complete(token, result) {
      record(ended(token), 'ACTIVITY_TASK_COMPLETED', { result })
    },
    fail(token, failure) {
      retry(ended(token), failure)
    },
    cancelled(token, details) {
      record(ended(token), 'ACTIVITY_TASK_CANCELED', { details })
    },
    beat(token) {
      const given = known(token)
      const { taken } = given.activity
      given.activity.beats += 1
      clearTimeout(taken?.silence)
      if (taken) taken.silence = listen(given)
      return given.activity.isCancelRequested
    },
    expire() {
      for (const given of [...tokens.values()]) timeOut(given, 'heartbeat')
    },
  }
}
