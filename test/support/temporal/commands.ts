import proto, { type temporal } from '@temporalio/proto'
import type { ActivityTasks } from './activity-tasks.ts'
import { GrpcError, UNIMPLEMENTED } from './grpc.ts'
import { type ActivityCommand, add, after, millis, type Run } from './run.ts'
import type { WorkflowTasks } from './workflow-tasks.ts'

const { CommandType } = proto.temporal.api.enums.v1

type Command = temporal.api.command.v1.ICommand

/** `START_TIMER` */
function kindOf({ commandType }: Command): string {
  return String(CommandType[commandType ?? 0]).replace('COMMAND_TYPE_', '')
}

export function isClosing(command: Command): boolean {
  return Object.hasOwn(CLOSES, kindOf(command))
}

const CLOSES = {
  COMPLETE_WORKFLOW_EXECUTION: 'WORKFLOW_EXECUTION_COMPLETED',
  FAIL_WORKFLOW_EXECUTION: 'WORKFLOW_EXECUTION_FAILED',
  CANCEL_WORKFLOW_EXECUTION: 'WORKFLOW_EXECUTION_CANCELED',
  CONTINUE_AS_NEW_WORKFLOW_EXECUTION: 'WORKFLOW_EXECUTION_CONTINUED_AS_NEW',
} as const

export function close(run: Run, type: string, attributes: object): void {
  add(run, type, attributes)
  run.closed = type
  for (const { handle } of run.timers.values()) clearTimeout(handle)
  run.timers.clear()
  for (const { taken } of run.activities.values()) {
    clearTimeout(taken?.limit)
    clearTimeout(taken?.silence)
  }
  run.activities.clear()
  run.buffered.length = 0
}

export interface Applying {
  readonly tasks: WorkflowTasks
  readonly activities: ActivityTasks
  /** Starts the next run of a chain. Returns its id. */
  readonly continueAsNew: (
    run: Run,
    attributes: temporal.api.command.v1.IContinueAsNewWorkflowExecutionCommandAttributes,
  ) => string
}

/** What a workflow wants, as events of its history. */
export function apply(
  { tasks, activities, continueAsNew }: Applying,
  run: Run,
  command: Command,
  completedId: number,
): void {
  const by = { workflowTaskCompletedEventId: completedId }
  const kind = kindOf(command)
  switch (kind) {
    case 'START_TIMER': {
      const timer = command.startTimerCommandAttributes ?? {}
      const timerId = timer.timerId ?? ''
      const startedEventId = add(run, 'TIMER_STARTED', { ...timer, ...by })
      const fire = () => {
        run.timers.delete(timerId)
        add(run, 'TIMER_FIRED', { timerId, startedEventId })
      }
      const handle = after(millis(timer.startToFireTimeout), () => tasks.happen(run, fire, timerId))
      run.timers.set(timerId, { startedEventId, handle })
      return
    }
    case 'CANCEL_TIMER': {
      const timerId = command.cancelTimerCommandAttributes?.timerId ?? ''
      const timer = run.timers.get(timerId)
      clearTimeout(timer?.handle)
      run.timers.delete(timerId)
      // It fired while the worker decided to cancel it: then it never fired.
      const fired = run.buffered.findIndex((one) => one.timer === timerId)
      if (fired >= 0) run.buffered.splice(fired, 1)
      add(run, 'TIMER_CANCELED', { timerId, startedEventId: timer?.startedEventId, ...by })
      return
    }
    case 'SCHEDULE_ACTIVITY_TASK': {
      const attributes: ActivityCommand = command.scheduleActivityTaskCommandAttributes ?? {}
      activities.schedule(
        run,
        attributes,
        add(run, 'ACTIVITY_TASK_SCHEDULED', { ...attributes, ...by }),
      )
      return
    }
    case 'REQUEST_CANCEL_ACTIVITY_TASK': {
      const { scheduledEventId } = command.requestCancelActivityTaskCommandAttributes ?? {}
      const cancelId = add(run, 'ACTIVITY_TASK_CANCEL_REQUESTED', { scheduledEventId, ...by })
      activities.cancel(run, Number(scheduledEventId), cancelId)
      return
    }
    case 'RECORD_MARKER':
      add(run, 'MARKER_RECORDED', { ...command.recordMarkerCommandAttributes, ...by })
      return
    case 'UPSERT_WORKFLOW_SEARCH_ATTRIBUTES':
      add(run, kind, { ...command.upsertWorkflowSearchAttributesCommandAttributes, ...by })
      return
    case 'COMPLETE_WORKFLOW_EXECUTION':
      close(run, CLOSES[kind], { ...command.completeWorkflowExecutionCommandAttributes, ...by })
      return
    case 'FAIL_WORKFLOW_EXECUTION':
      close(run, CLOSES[kind], { ...command.failWorkflowExecutionCommandAttributes, ...by })
      return
    case 'CANCEL_WORKFLOW_EXECUTION':
      close(run, CLOSES[kind], { ...command.cancelWorkflowExecutionCommandAttributes, ...by })
      return
    case 'CONTINUE_AS_NEW_WORKFLOW_EXECUTION': {
      const attributes = command.continueAsNewWorkflowExecutionCommandAttributes ?? {}
      const newExecutionRunId = continueAsNew(run, attributes)
      close(run, CLOSES[kind], { ...attributes, newExecutionRunId, ...by })
      return
    }
    default:
      throw new GrpcError(UNIMPLEMENTED, `${kind} is not part of this server`)
  }
}
