import type { ModelMessage } from 'ai'

type ToolContent = Extract<ModelMessage, { role: 'tool' }>['content']
type AssistantContent = Extract<ModelMessage, { role: 'assistant' }>['content']
/** What a page answered, as the messages carry it. */
export type Response = Extract<ToolContent[number], { type: 'tool-approval-response' }>

/** A call that paused, as the messages tell it. */
export interface Request {
  readonly approvalId: string
  readonly toolCallId: string
  readonly toolName: string
  readonly input: unknown
  readonly answer: Response | undefined
  /** The messages have a result for it. A no alone is none: who gave it is yet to be seen. */
  readonly isDone: boolean
  /** An earlier turn had a call of this id. What people said of that one may not be about this. */
  readonly isRepeated: boolean
}

/** The questions of the last turn that have no result yet. A newer message of the user ends it. */
export function openRequests(messages: readonly ModelMessage[]): Request[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  const after = messages.slice(last + 1)
  if (last === -1 || after.some(({ role }) => role !== 'tool')) return []
  return requestsIn(messages.slice(last), messages.slice(0, last)).filter(({ isDone }) => !isDone)
}

/** All questions since the user's last message. */
export function turnRequests(messages: readonly ModelMessage[]): Request[] {
  const from = messages.findLastIndex(({ role }) => role === 'user') + 1
  return requestsIn(messages.slice(from), messages.slice(0, from))
}

function requestsIn(
  messages: readonly ModelMessage[],
  earlier: readonly ModelMessage[],
): Request[] {
  const told = messages.flatMap((message) => (message.role === 'tool' ? message.content : []))
  const said = saidIn(messages)
  const before = new Set(
    saidIn(earlier).flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])),
  )
  const calls = new Map(
    said.flatMap((part) => (part.type === 'tool-call' ? [[part.toolCallId, part] as const] : [])),
  )
  return said.flatMap((part) => {
    if (part.type !== 'tool-approval-request' || part.isAutomatic) return []
    const { approvalId, toolCallId } = part
    const call = calls.get(toolCallId)
    if (!call) return []
    const answer = told.findLast(
      (one): one is Response =>
        one.type === 'tool-approval-response' && one.approvalId === approvalId,
    )
    const isDone = told.some(
      (one) => one.type === 'tool-result' && one.toolCallId === toolCallId && !isNo(one, answer),
    )
    const { toolName, input } = call
    const isRepeated = before.has(toolCallId)
    return [{ approvalId, toolCallId, toolName, input, answer, isDone, isRepeated }]
  })
}

function saidIn(messages: readonly ModelMessage[]): Exclude<AssistantContent, string> {
  return messages.flatMap(
    (message): Exclude<AssistantContent, string> =>
      message.role === 'assistant' && typeof message.content !== 'string' ? message.content : [],
  )
}

/**
 * What the SDK makes of a no in the page: a result that no tool gave. Of a part that is
 * `output-denied` already, as `AIChatAgent` has it, it is an error.
 */
export function isNo(part: ToolContent[number], answer: Response | undefined): boolean {
  if (part.type !== 'tool-result' || answer?.approved !== false) return false
  const { output } = part
  if (output.type === 'execution-denied') return true
  return output.type === 'error-text' && output.value === (answer.reason ?? DENIED)
}

/** As `convertToModelMessages` words a no without a reason. */
const DENIED = 'Tool call execution denied.'
