import type { JsonObject } from '../../base/json/json.ts'
import { isWake } from '../waking.ts'

/** What a suspended call says of itself: `suspendPayload` of the run. */
export interface Waiting {
  readonly countersign: 'waits'
  readonly callId: string
  readonly name: string
  readonly args: JsonObject
  readonly message: string
}

/**
 * Whether the call of this id waits for people. A tool can suspend itself with whatever it has
 * fetched, and that may look like this; it cannot name the call it is fetched by.
 */
export function isWaiting(payload: unknown, callId: string | undefined): payload is Waiting {
  const { countersign, callId: own } = (payload ?? {}) as Partial<Waiting>
  return countersign === 'waits' && own !== undefined && own === callId
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
 * Whether `resumeRun` woke a call up that its tool has suspended, because the tool's own payload
 * looks like that of a sub-agent which waits for people. The tool has no answer yet.
 */
export function isWokenInVain({ agent }: ToolContext): boolean {
  const { resumeData, suspendPayload, toolCallId } = agent ?? {}
  return isWake(resumeData) && suspendPayload != null && !isWaiting(suspendPayload, toolCallId)
}

/**
 * Whether Mastra goes on with a call that its tool has suspended. A model can put `resumeData` among
 * the arguments of a call; what the call was suspended with comes from Mastra alone.
 */
export function isResumedItself({ agent }: ToolContext): boolean {
  const { resumeData, suspendPayload, toolCallId } = agent ?? {}
  return resumeData != null && suspendPayload != null && !isWaiting(suspendPayload, toolCallId)
}
