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
  readonly requestContext?: { entries(): Iterable<readonly [string, unknown]> }
  readonly workspace?: unknown
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

/**
 * Whether Mastra goes on with a call that its tool has suspended. A model can put `resumeData` among
 * the arguments of a call; what the call was suspended with comes from Mastra alone.
 */
export function isResumedItself({ agent }: ToolContext): boolean {
  const { resumeData, suspendPayload } = agent ?? {}
  return resumeData != null && suspendPayload != null && !isWaiting(suspendPayload)
}
