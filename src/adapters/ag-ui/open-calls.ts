import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'

/** A tool call as AG-UI messages carry it. */
export interface AgUiToolCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

/** As much of AG-UI's messages as is looked at. */
export interface AgUiMessage {
  readonly role: string
  readonly toolCalls?: readonly AgUiToolCall[] | undefined
  readonly toolCallId?: string | undefined
}

/** Calls of the conversation that have no result yet, in their order. */
export function openCalls(messages: readonly AgUiMessage[]): AgUiToolCall[] {
  const answered = new Set(
    messages.flatMap(({ role, toolCallId }) =>
      role === 'tool' && toolCallId !== undefined ? [toolCallId] : [],
    ),
  )
  const open = new Map<string, AgUiToolCall>()
  for (const { role, toolCalls = [] } of messages) {
    if (role !== 'assistant') continue
    // Of two calls with one id the first counts: the second cannot take its place.
    for (const call of toolCalls) {
      if (!answered.has(call.id) && !open.has(call.id)) open.set(call.id, call)
    }
  }
  return [...open.values()]
}

/** Undefined for what is not a JSON object: a model may have written anything. */
export function argumentsOf({
  function: { arguments: text },
}: AgUiToolCall): JsonObject | undefined {
  try {
    // Tools without arguments are often called with an empty text.
    const value = text === '' ? {} : parseStrict(text)
    return isPlainObject(value) ? (value as JsonObject) : undefined
  } catch {
    return undefined
  }
}
