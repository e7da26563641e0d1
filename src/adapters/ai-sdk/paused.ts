import { isToolUIPart, type UIMessage } from 'ai'

/**
 * Whether the last turn of a chat has calls that people were asked about and that have not ended.
 * Only the approvals know whether they are decided: `resumeTurn` asks them.
 */
export function isPaused(messages: readonly UIMessage[]): boolean {
  const last = messages.at(-1)
  return (
    last?.role === 'assistant' &&
    last.parts.some(
      (part) =>
        isToolUIPart(part) &&
        (part.state === 'approval-requested' || part.state === 'approval-responded'),
    )
  )
}
