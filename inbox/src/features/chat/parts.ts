import { isToolUIPart, type UIMessage } from 'ai'

type AnyPart = UIMessage['parts'][number]
export type ToolPart = Extract<AnyPart, { toolCallId: string }>

/** What the server says of a call that people were asked about. */
export interface AskedCall {
  readonly toolCallId: string
  readonly approval: string
  readonly level: string
}

export const isTool = (part: AnyPart): part is ToolPart => isToolUIPart(part)

export const toolName = (part: ToolPart) =>
  part.type === 'dynamic-tool' ? part.toolName : part.type.slice('tool-'.length)

export function askedCalls({ parts }: Pick<UIMessage, 'parts'>): Map<string, AskedCall> {
  const asked = parts.flatMap((part) =>
    part.type === 'data-approval' && 'data' in part ? [part.data as AskedCall] : [],
  )
  return new Map(asked.map((one) => [one.toolCallId, one]))
}

/** Questions of the last message that have no answer yet, in the order of the calls. */
export function openQuestions(messages: readonly UIMessage[]): AskedCall[] {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return []
  const asked = askedCalls(last)
  return last.parts.filter(isTool).flatMap(({ state, toolCallId }) => {
    const one = state === 'approval-requested' ? asked.get(toolCallId) : undefined
    return one ? [one] : []
  })
}

/** Whether the last message has calls that neither ran nor were refused, as far as this page knows. */
export function isUnsettled(messages: readonly UIMessage[]): boolean {
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return false
  const stages = last.parts.filter(isTool).map(stageOf)
  return stages.includes('waiting') || stages.includes('running')
}

/** How a call stands, for people. */
export function stageOf({ state }: ToolPart) {
  switch (state) {
    case 'input-streaming':
    case 'input-available':
      return 'running'
    case 'approval-requested':
      return 'waiting'
    case 'approval-responded':
      return 'running'
    case 'output-available':
      return 'ran'
    case 'output-denied':
      return 'not-run'
    default:
      return 'failed'
  }
}
