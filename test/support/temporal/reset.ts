import { GrpcError, INVALID_ARGUMENT } from './grpc.ts'
import { add, newRun, type Run } from './run.ts'

const RESET_WORKFLOW = 20

/**
 * The same workflow as a new run, from the task that ended with this event. Only where nothing was
 * under way then: this server does not start timers and activities again.
 */
export function resetTo(from: Run, finishId: number, reason: string): Run {
  const events = from.events.slice(0, finishId - 1)
  const completed = from.events[finishId - 1]?.workflowTaskCompletedEventAttributes
  const open = new Set<number>()
  for (const [index, event] of events.entries()) {
    const { activityTaskScheduledEventAttributes, timerStartedEventAttributes } = event
    if (activityTaskScheduledEventAttributes ?? timerStartedEventAttributes) open.add(index + 1)
    const ended =
      event.activityTaskCompletedEventAttributes?.scheduledEventId ??
      event.timerFiredEventAttributes?.startedEventId ??
      event.timerCanceledEventAttributes?.startedEventId
    if (ended != null) open.delete(Number(ended))
  }
  if (!completed || open.size > 0) {
    throw new GrpcError(INVALID_ARGUMENT, 'this server cannot reset to that event')
  }
  const run = newRun(from.id, from.queue, events)
  add(run, 'WORKFLOW_TASK_FAILED', {
    scheduledEventId: completed.scheduledEventId,
    startedEventId: completed.startedEventId,
    cause: RESET_WORKFLOW,
    failure: { message: reason, resetWorkflowFailureInfo: {} },
    baseRunId: from.runId,
    newRunId: run.runId,
  })
  // Signals that came since are delivered once more.
  for (const { workflowExecutionSignaledEventAttributes: signal } of from.events.slice(finishId)) {
    if (signal) add(run, 'WORKFLOW_EXECUTION_SIGNALED', signal)
  }
  return run
}
