import type { ToolPart } from '../card.ts'
import { type ChatMessage, lastCalls } from './paused-turn.ts'

const ENDED = ['output-available', 'output-error', 'output-denied']

/**
 * For `sendAutomaticallyWhen`: the conversation goes on when the tools that run in the page have
 * answered, and not when the user ended a call with a text of their own.
 */
export function afterPageTools(names: readonly string[]) {
  return ({ messages }: { readonly messages: readonly ChatMessage[] }): boolean => {
    const calls = lastCalls(messages)
    const isOfPage = (call: ToolPart) =>
      names.includes(call.toolName ?? call.type.slice('tool-'.length))
    return (
      calls.some(isOfPage) &&
      calls.every((call) => ENDED.includes(call.state)) &&
      calls.every((call) => call.state !== 'output-error' || isOfPage(call))
    )
  }
}
