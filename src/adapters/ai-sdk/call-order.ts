import type { ModelMessage } from 'ai'

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>

/**
 * For `prepareStep`: the model reads the results of one turn in the order of its calls. The SDK puts
 * what ran before a pause first, then what was approved, then what was denied.
 */
export function inCallOrder({ messages }: { readonly messages: readonly ModelMessage[] }): {
  messages: ModelMessage[]
} {
  const ordered: ModelMessage[] = []
  let order: ReadonlyMap<string, number> = new Map()
  for (const message of messages) {
    const last = ordered.at(-1)
    if (message.role === 'tool' && last?.role === 'tool') {
      ordered[ordered.length - 1] = sorted([...last.content, ...message.content], last, order)
    } else if (message.role === 'tool') {
      ordered.push(sorted(message.content, message, order))
    } else {
      if (message.role === 'assistant') order = callsOf(message)
      ordered.push(message)
    }
  }
  return { messages: ordered }
}

function callsOf({ content }: Extract<ModelMessage, { role: 'assistant' }>) {
  const parts = typeof content === 'string' ? [] : content
  const ids = parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))
  return new Map(ids.map((id, index) => [id, index]))
}

/** Results of unknown calls stay behind the others, in the order they came in. */
function sorted(
  content: ToolMessage['content'],
  message: ToolMessage,
  order: ReadonlyMap<string, number>,
): ToolMessage {
  const placeOf = (part: ToolMessage['content'][number]) =>
    part.type === 'tool-result' ? (order.get(part.toolCallId) ?? order.size) : -1
  return { ...message, content: content.toSorted((one, two) => placeOf(one) - placeOf(two)) }
}
