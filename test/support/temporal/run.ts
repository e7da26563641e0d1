import { randomUUID } from 'node:crypto'
import proto, { type temporal } from '@temporalio/proto'

const { EventType } = proto.temporal.api.enums.v1

export type Event = temporal.api.history.v1.IHistoryEvent
export type Started = temporal.api.history.v1.IWorkflowExecutionStartedEventAttributes
export type ActivityCommand = temporal.api.command.v1.IScheduleActivityTaskCommandAttributes
export type Failure = temporal.api.failure.v1.IFailure

/** What the server knows of one run of a workflow. */
export interface Run {
  readonly id: string
  readonly runId: string
  readonly queue: string
  readonly events: Event[]
  /** What happened while a worker has a task: it is told after the worker's commands. */
  readonly buffered: { readonly timer?: string; readonly happen: () => void }[]
  readonly timers: Map<
    string,
    { readonly startedEventId: unknown; readonly handle: NodeJS.Timeout }
  >
  readonly activities: Map<string, Activity>
  /** Why workers failed tasks of it: none does, where code is deterministic. */
  readonly failures: Failure[]
  task: WorkflowTask | undefined
  /** The start of the last task that was completed. */
  previousStart: number
  /** The type of the event that ended it. */
  closed: string | undefined
}

export interface WorkflowTask {
  readonly scheduledId: number
  /** With a worker. */
  taken?: { readonly token: string; readonly startedId: number; readonly lost: NodeJS.Timeout }
}

export interface Activity {
  readonly id: string
  readonly scheduledId: number
  readonly attributes: ActivityCommand
  attempt: number
  failure: Failure | undefined
  isCancelRequested: boolean
  beats: number
  taken: TakenActivity | undefined
}

export interface TakenActivity {
  readonly token: string
  readonly identity: string
  readonly limit: NodeJS.Timeout
  silence: NodeJS.Timeout | undefined
}

export function newRun(id: string, queue: string, events: Event[] = [], runId = newRunId()): Run {
  return {
    id,
    runId,
    queue,
    events,
    buffered: [],
    timers: new Map(),
    activities: new Map(),
    failures: [],
    task: undefined,
    previousStart: 0,
    closed: undefined,
  }
}

export function newRunId(): string {
  return randomUUID()
}

/** Appends to the history; resolves the name of the attributes from that of the type. */
export function add(run: Run, type: string, attributes: object = {}): number {
  const eventId = run.events.length + 1
  const key = `${type.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())}EventAttributes`
  const eventType = (EventType as unknown as Record<string, number>)[`EVENT_TYPE_${type}`]
  if (eventType === undefined) throw new Error(`there is no event ${type}`)
  run.events.push({ eventId, eventTime: now(), eventType, [key]: attributes } as unknown as Event)
  return eventId
}

export function startOf(run: Run): Started {
  return run.events[0]?.workflowExecutionStartedEventAttributes ?? {}
}

export function now(): { seconds: number; nanos: number } {
  const ms = Date.now()
  return { seconds: Math.floor(ms / 1_000), nanos: (ms % 1_000) * 1_000_000 }
}

interface Duration {
  readonly seconds?: unknown
  readonly nanos?: unknown
}

export function millis(duration: Duration | null | undefined): number {
  return Number(duration?.seconds ?? 0) * 1_000 + Number(duration?.nanos ?? 0) / 1e6
}

/** The longest that a timer of Node can be. */
const LONGEST = 2 ** 31 - 1

export function after(ms: number, work: () => void): NodeJS.Timeout {
  return setTimeout(work, Math.min(ms, LONGEST)).unref()
}
