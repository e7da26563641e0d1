import type { UIMessage } from 'ai'

/** What the person typed last, where the server never got it. An edited message keeps its id. */
export function unsentText(
  mine: readonly UIMessage[],
  kept: readonly UIMessage[],
): string | undefined {
  const last = mine.findLast(({ role }) => role === 'user')
  if (last === undefined) return undefined
  const text = textOf(last)
  return kept.some((one) => one.id === last.id && textOf(one) === text) ? undefined : text
}

function textOf({ parts }: UIMessage): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
