/**
 * A Temporal frontend, small enough to read: the real client and the real worker talk to it over
 * gRPC. In memory. It keeps histories, gives out tasks of workflows and activities, fires timers,
 * delivers signals and cancellations, and counts workers that are silent as dead. It has no queries,
 * updates, child workflows, schedules, visibility and sticky queues.
 */
import type { temporal } from '@temporalio/proto'
import { activityTasks } from './activity-tasks.ts'
import { apply, close } from './commands.ts'
import { ALREADY_EXISTS, GrpcError, NOT_FOUND, serveGrpc } from './grpc.ts'
import { taskQueues } from './queues.ts'
import { resetTo } from './reset.ts'
import { add, type Event, newRun, type Run, startOf } from './run.ts'
import { type Handlers, unaryOf } from './service.ts'
import { workflowTasks } from './workflow-tasks.ts'

export interface Frontend {
  readonly address: string
  history(workflow: string, runId?: string): Event[]
  /** Messages of the task failures of all runs: non-determinism is among them. */
  taskFailures(): string[]
  /** As after the timeouts of whatever workers hold. */
  expire(): void
  close(): Promise<void>
}

const STATUS: Readonly<Record<string, number>> = {
  WORKFLOW_EXECUTION_COMPLETED: 2,
  WORKFLOW_EXECUTION_FAILED: 3,
  WORKFLOW_EXECUTION_CANCELED: 4,
  WORKFLOW_EXECUTION_TERMINATED: 5,
  WORKFLOW_EXECUTION_CONTINUED_AS_NEW: 6,
}
const RUNNING = 1
const REJECT_DUPLICATE = 3
const CLOSE_EVENT = 2
const HEALTHY = Uint8Array.of(8, 1)

export async function startTemporal(): Promise<Frontend> {
  /** All runs of an id, newest last. */
  const chains = new Map<string, Run[]>()
  const queues = taskQueues()
  const tasks = workflowTasks(queues)
  const activities = activityTasks(queues, tasks)

  type Named = { readonly workflowId?: string | null; readonly runId?: string | null }
  function find(named: Named | null | undefined): Run {
    const chain = chains.get(named?.workflowId ?? '') ?? []
    const run = named?.runId ? chain.find(({ runId }) => runId === named.runId) : chain.at(-1)
    if (!run) throw new GrpcError(NOT_FOUND, `workflow not found for ID: ${named?.workflowId}`)
    return run
  }
  function open(named: Named | null | undefined): Run {
    const run = find(named)
    if (run.closed) throw new GrpcError(NOT_FOUND, 'workflow execution already completed')
    return run
  }
  function keep(run: Run): void {
    chains.set(run.id, [...(chains.get(run.id) ?? []), run])
  }

  function start(id: string, queue: string, given: object, chain: object = {}): Run {
    const run = newRun(id, queue)
    keep(run)
    add(run, 'WORKFLOW_EXECUTION_STARTED', {
      ...given,
      workflowTaskTimeout: { seconds: 10 },
      originalExecutionRunId: run.runId,
      firstExecutionRunId: run.runId,
      attempt: 1,
      workflowId: id,
      ...chain,
    })
    tasks.schedule(run)
    return run
  }

  const continueAsNew = (
    run: Run,
    given: temporal.api.command.v1.IContinueAsNewWorkflowExecutionCommandAttributes,
  ) => {
    const { workflowType = startOf(run).workflowType, input, taskQueue, header } = given
    const next = start(
      run.id,
      taskQueue?.name || run.queue,
      { workflowType, input, taskQueue: { name: taskQueue?.name || run.queue }, header },
      {
        firstExecutionRunId: startOf(run).firstExecutionRunId,
        continuedExecutionRunId: run.runId,
        initiator: 1,
      },
    )
    return next.runId
  }

  const text = (token: Uint8Array) => Buffer.from(token).toString()
  const handlers: Handlers = {
    GetSystemInfo: () => ({
      serverVersion: '1.29.0',
      capabilities: {
        signalAndQueryHeader: true,
        internalErrorDifferentiation: true,
        activityFailureIncludeHeartbeat: true,
        encodedFailureAttributes: true,
        upsertMemo: true,
        sdkMetadata: true,
      },
    }),
    DescribeNamespace: ({ namespace }) => ({
      namespaceInfo: { name: namespace, state: 1, id: 'small' },
      config: {},
      replicationConfig: {},
    }),
    StartWorkflowExecution({ workflowId, workflowIdReusePolicy, taskQueue, ...request }) {
      const before = chains.get(workflowId)?.at(-1)
      if (before && (!before.closed || workflowIdReusePolicy === REJECT_DUPLICATE)) {
        throw new GrpcError(ALREADY_EXISTS, 'Workflow execution already exists')
      }
      const { workflowType, input, identity, memo, searchAttributes, header } = request
      const given = { workflowType, input, identity, memo, searchAttributes, header, taskQueue }
      const { runId } = start(workflowId, taskQueue?.name ?? '', given)
      return { runId, started: true }
    },
    PollWorkflowTaskQueue: ({ taskQueue, identity }, gone) =>
      tasks.poll(taskQueue?.name ?? '', identity, gone),
    RespondWorkflowTaskCompleted(request) {
      tasks.complete(text(request.taskToken), request, (run, completedId) => {
        for (const command of request.commands) {
          apply({ tasks, activities, continueAsNew }, run, command, completedId)
        }
      })
      return {}
    },
    RespondWorkflowTaskFailed({ taskToken, failure, cause, identity }) {
      tasks.fail(text(taskToken), failure ?? {}, cause, identity)
      return {}
    },
    PollActivityTaskQueue: ({ taskQueue, identity }, gone) =>
      activities.poll(taskQueue?.name ?? '', identity, gone),
    RespondActivityTaskCompleted({ taskToken, result }) {
      activities.complete(text(taskToken), result)
      return {}
    },
    RespondActivityTaskFailed({ taskToken, failure }) {
      activities.fail(text(taskToken), failure ?? {})
      return {}
    },
    RespondActivityTaskCanceled({ taskToken, details }) {
      activities.cancelled(text(taskToken), details)
      return {}
    },
    RecordActivityTaskHeartbeat: ({ taskToken }) => ({
      cancelRequested: activities.beat(text(taskToken)),
    }),
    SignalWorkflowExecution({ workflowExecution, signalName, input, identity, header }) {
      const run = open(workflowExecution)
      tasks.happen(run, () => {
        add(run, 'WORKFLOW_EXECUTION_SIGNALED', { signalName, input, identity, header })
      })
      return {}
    },
    RequestCancelWorkflowExecution({ workflowExecution, reason, identity }) {
      const run = open(workflowExecution)
      tasks.happen(run, () => {
        add(run, 'WORKFLOW_EXECUTION_CANCEL_REQUESTED', { cause: reason, identity })
      })
      return {}
    },
    TerminateWorkflowExecution({ workflowExecution, reason, identity }) {
      close(open(workflowExecution), 'WORKFLOW_EXECUTION_TERMINATED', { reason, identity })
      return {}
    },
    ResetWorkflowExecution({ workflowExecution, workflowTaskFinishEventId, reason }) {
      const from = find(workflowExecution)
      const run = resetTo(from, Number(workflowTaskFinishEventId), reason)
      if (!from.closed) close(from, 'WORKFLOW_EXECUTION_TERMINATED', { reason })
      keep(run)
      tasks.schedule(run)
      return { runId: run.runId }
    },
    DescribeWorkflowExecution({ execution }) {
      const run = find(execution)
      const { workflowType } = startOf(run)
      return {
        workflowExecutionInfo: {
          execution: { workflowId: run.id, runId: run.runId },
          type: workflowType,
          startTime: run.events[0]?.eventTime,
          status: run.closed === undefined ? RUNNING : STATUS[run.closed],
          historyLength: run.events.length,
          taskQueue: run.queue,
          memo: {},
          searchAttributes: {},
        },
        executionConfig: {},
      }
    },
    GetWorkflowExecutionHistory({ execution, historyEventFilterType, maximumPageSize }) {
      const { events } = find(execution)
      const isClose = historyEventFilterType === CLOSE_EVENT
      return { history: { events: isClose ? events.slice(-1) : paged(events, maximumPageSize) } }
    },
    PollNexusTaskQueue: (_, gone) => queues.poll('nexus', gone, () => undefined),
    ShutdownWorker: () => ({}),
    RecordWorkerHeartbeat: () => ({}),
    ResetStickyTaskQueue: () => ({}),
  }

  const server = await serveGrpc((path) =>
    path === '/grpc.health.v1.Health/Check' ? () => HEALTHY : unaryOf(path, handlers),
  )
  return {
    address: server.address,
    history: (workflowId, runId) => find({ workflowId, runId: runId ?? null }).events,
    taskFailures: () =>
      [...chains.values()]
        .flat()
        .flatMap(({ failures }) => failures.map((one) => one.message ?? '')),
    expire() {
      tasks.expire()
      activities.expire()
    },
    async close() {
      for (const run of [...chains.values()].flat()) {
        if (!run.closed) close(run, 'WORKFLOW_EXECUTION_TERMINATED', {})
      }
      await server.close()
    },
  }
}

function paged(events: readonly Event[], size: number): readonly Event[] {
  return size > 0 ? events.slice(0, size) : events
}
