import type { LlmRequest } from '@google/adk'

type Part = NonNullable<LlmRequest['contents'][number]['parts']>[number]

/**
 * The results of one turn in the order of its calls, as the model reads them. The ADK has them in
 * the order in which they came, and after a pause that is another one.
 */
export function inOrder({ contents }: LlmRequest): void {
  for (const { parts = [] } of contents) {
    const ids = parts.flatMap(({ functionCall }) => functionCall?.id ?? [])
    if (ids.length > 1 && new Set(ids).size === ids.length) arrange(contents, ids)
  }
}

/** Puts the results of these calls into the places that they have together. */
function arrange(contents: LlmRequest['contents'], ids: readonly string[]): void {
  const places: { readonly parts: Part[]; readonly index: number }[] = []
  const results: Part[] = []
  for (const { parts = [] } of contents) {
    for (const [index, part] of parts.entries()) {
      if (!ids.includes(part.functionResponse?.id ?? '')) continue
      places.push({ parts, index })
      results.push(part)
    }
  }
  const placeOf = ({ functionResponse }: Part) => ids.indexOf(functionResponse?.id ?? '')
  const sorted = results.toSorted((one, other) => placeOf(one) - placeOf(other))
  for (const [number, { parts, index }] of places.entries()) {
    const part = sorted[number]
    if (part) parts[index] = part
  }
}
