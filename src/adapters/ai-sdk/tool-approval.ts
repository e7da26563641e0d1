import { asSchema, type ModelMessage, type Tool, type ToolSet } from 'ai'
import { guardedBehind, standsAtPause } from './guarded-tool.ts'

/** What the SDK's `toolApproval` may say of a call. */
type Said =
  | undefined
  | 'not-applicable'
  | 'approved'
  | 'denied'
  | 'user-approval'
  | {
      readonly type: 'not-applicable' | 'approved' | 'denied' | 'user-approval'
      readonly reason?: string
    }

type Status =
  | { type: 'not-applicable' }
  | { type: 'approved' | 'denied' | 'user-approval'; reason?: string }

/** What the SDK gives a `toolApproval` that is a function. */
interface Asked {
  readonly toolCall: {
    readonly toolCallId: string
    readonly toolName: string
    readonly input: unknown
  }
  readonly tools: unknown
  readonly toolsContext: unknown
  readonly runtimeContext: unknown
  readonly messages: ModelMessage[]
}

/** The application's own `toolApproval`, in either of the SDK's two forms. */
// biome-ignore lint/suspicious/noExplicitAny: the SDK types these by each application's tools.
type OwnApproval = ((options: any) => unknown) | { readonly [tool: string]: unknown }

/**
 * For `toolApproval` of generateText, streamText and ToolLoopAgent, which the SDK puts above
 * `needsApproval` of the tools: what the application asks itself comes first, and what it lets pass
 * is asked about by the gate. What policy denies is denied in the SDK's own words.
 */
export function guardApproval(tools: ToolSet, own?: OwnApproval) {
  return async (asked: Asked): Promise<Status> => {
    const said = statusOf(await ownAnswer(own, asked))
    // Answered first: only then are others asked, so that a yes of theirs never stands for it.
    if (said.type === 'denied' || said.type === 'user-approval') return said
    const { toolCallId, toolName, input } = asked.toolCall
    const tool = guardedBehind(Object.hasOwn(tools, toolName) ? tools[toolName] : undefined)
    if (!tool) return said
    const { messages, toolsContext } = asked
    const context = await contextFor(tool.tool, memberOf(toolsContext, toolName))
    const now = await standsAtPause(tool, input, { toolCallId, messages, context })
    if (now?.status === 'pending') return { type: 'user-approval' }
    if (now?.status === 'blocked') return { type: 'denied', reason: now.modelMessage }
    return said
  }
}

async function ownAnswer(own: OwnApproval | undefined, asked: Asked): Promise<Said> {
  if (typeof own === 'function') return (await own(asked)) as Said
  const { toolCall, messages, toolsContext, runtimeContext } = asked
  const { toolCallId, toolName, input } = toolCall
  const one = memberOf(own, toolName)
  if (typeof one !== 'function') return one as Said
  const toolContext = await contextFor(
    memberOf(asked.tools, toolName) as Tool | undefined,
    memberOf(toolsContext, toolName),
  )
  return (await one(input, { toolCallId, messages, toolContext, runtimeContext })) as Said
}

/** As the SDK hands it on: what the tool's own schema makes of it. */
async function contextFor(tool: Tool | undefined, given: unknown): Promise<unknown> {
  if (tool?.contextSchema === undefined) return given
  const read = await asSchema(tool.contextSchema).validate?.(given)
  if (read === undefined) return given
  if (!read.success) throw read.error
  return read.value
}

/** Names come from models, so nothing inherited is a member. */
function memberOf(record: unknown, name: string): unknown {
  if (typeof record !== 'object' || record === null || !Object.hasOwn(record, name))
    return undefined
  return (record as Readonly<Record<string, unknown>>)[name]
}

function statusOf(said: Said): Status {
  if (said === undefined) return { type: 'not-applicable' }
  return (typeof said === 'string' ? { type: said } : said) as Status
}
