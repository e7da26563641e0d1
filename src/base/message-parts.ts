/*
 * A question is the owner's template with values from the call filled in. A value can hold any
 * text, so every surface draws it apart: otherwise an agent could write sentences in our voice.
 */

/** Where a message holds a value from the call: from one UTF-16 position up to another. */
export type ValueRange = readonly [start: number, end: number]

/** As it arrives over HTTP. */
type SomeRanges = readonly (readonly number[])[]

export interface MessagePart {
  readonly text: string
  /** It came with the call, so it says nothing that Countersign or the policy's owner says. */
  readonly quoted: boolean
}

/** A message cut at its values. Without usable ranges, all of it counts as a value. */
export function messageParts(
  message: string,
  ranges: SomeRanges | undefined,
): readonly MessagePart[] {
  if (message === '') return []
  if (ranges === undefined || !areInOrder(ranges, message.length)) {
    return [{ text: message, quoted: true }]
  }
  const parts: MessagePart[] = []
  let at = 0
  for (const [start = 0, end = 0] of ranges) {
    if (start > at) parts.push({ text: message.slice(at, start), quoted: false })
    parts.push(...valueParts(message.slice(start, end)))
    at = end
  }
  if (at < message.length) parts.push({ text: message.slice(at), quoted: false })
  return parts
}

function areInOrder(ranges: SomeRanges, length: number): boolean {
  let last = 0
  for (const [start = -1, end = -1] of ranges) {
    if (!(start >= last && end >= start && end <= length)) return false
    last = end
  }
  return true
}

/** A list of texts reads better as one value after the other than as JSON. */
function valueParts(text: string): MessagePart[] {
  const items = textsIn(text)
  if (items === undefined) return [{ text, quoted: true }]
  return items.flatMap((item, index): MessagePart[] => [
    ...(index === 0 ? [] : [{ text: ', ', quoted: false }]),
    { text: item, quoted: true },
  ])
}

function textsIn(text: string): readonly string[] | undefined {
  if (!text.startsWith('["') || !text.endsWith('"]')) return undefined
  try {
    const list: unknown = JSON.parse(text)
    const isTexts = Array.isArray(list) && list.every((one) => typeof one === 'string')
    return isTexts ? list : undefined
  } catch {
    return undefined
  }
}

/** The ranges of a message that was cut to so many characters. */
export function cutRanges(ranges: SomeRanges, length: number): ValueRange[] {
  return ranges
    .filter(([start = 0]) => start < length)
    .map(([start = 0, end = 0]) => [start, Math.min(end, length)])
}

/**
 * The message for surfaces that know plain text only: each value stands in « », and neither mark
 * can occur inside of one, so no value can end its own quotation.
 */
export function markedMessage(message: string, ranges: SomeRanges | undefined): string {
  return markedParts(messageParts(message, ranges))
}

/** The same of parts that were put together in another way. */
export function markedParts(
  parts: readonly MessagePart[],
  shown: (text: string) => string = (text) => text,
  shownValue = shown,
): string {
  return parts
    .map(({ text, quoted }) => (quoted ? `«${shownValue(withoutMarks(text))}»` : shown(text)))
    .join('')
}

/** The single marks say the same to a reader, and end nothing. */
function withoutMarks(text: string): string {
  return text.replaceAll('«', '<<').replaceAll('»', '>>')
}
