/** What a person typed before the conversation had an address: said by the page that opens there. */
let first: { readonly id: string; readonly text: string } | undefined

export function keepFirst(id: string, text: string): void {
  first = { id, text }
}

/** Once. */
export function takeFirst(id: string): string | undefined {
  if (first?.id !== id) return undefined
  const { text } = first
  first = undefined
  return text
}
