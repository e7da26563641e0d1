import type { JsonObject } from '../../base/json.ts'

/** What a suspended call says of itself: `suspendPayload` of the run. */
export interface Waiting {
  readonly countersign: 'waits'
  readonly callId: string
  readonly name: string
  readonly args: JsonObject
  readonly message: string
}

export function isWaiting(payload: unknown): payload is Waiting {
  return (payload as Partial<Waiting> | null | undefined)?.countersign === 'waits'
}

/** As much of what Mastra hands to tools as is looked at. */
export interface ToolContext {
  readonly runId?: string
  readonly abortSignal?: AbortSignal
  /** Tools of other SDKs get it here. */
  readonly toolCallId?: string
  readonly agent?: AgentContext
}

export interface AgentContext {
  readonly toolCallId?: string
  readonly suspend?: (payload: unknown, options?: unknown) => Promise<unknown>
  /** What the call was suspended with, and what it is resumed with. */
  readonly suspendPayload?: unknown
  readonly resumeData?: unknown
}

interface OwnContext {
  readonly context: ToolContext
  /** Whether the tool has suspended itself. */
  isSuspended(): boolean
}

/**
 * What the tool itself is given. Data that woke our question is not an answer to a question of the
 * tool, so it never sees that.
 */
export function ownContext(context: ToolContext, isOurs: boolean): OwnContext {
  const { agent } = context
  const suspend = agent?.suspend
  let isSuspended = false
  if (!agent || !suspend) return { context, isSuspended: () => false }
  const own: AgentContext = {
    ...agent,
    suspend(...payload) {
      isSuspended = true
      return suspend(...payload)
    },
    ...(isOurs ? { resumeData: undefined, suspendPayload: undefined } : {}),
  }
  return { context: { ...context, agent: own }, isSuspended: () => isSuspended }
}

interface Inside {
  /** As a person changed them. */
  readonly args?: JsonObject
}

/** Kept as the result of a call that was started and has suspended itself. */
export function keptPause(args: JsonObject | undefined): object {
  return { mastra: 'suspended', ...(args === undefined ? {} : { args }) }
}

export function readPause(result: unknown): Inside | undefined {
  const { mastra } = (result ?? {}) as { readonly mastra?: unknown }
  return mastra === 'suspended' ? (result as Inside) : undefined
}
