export interface StreamEvent {
  readonly data: string
  readonly id: string | undefined
  readonly retry: number | undefined
}

/** Cuts a stream of server-sent events into its events. */
export function createEventReader(longest: number, onEvent: (event: StreamEvent) => void) {
  const decoder = new TextDecoder()
  // Pieces are put together once an event is whole: joining at each would be slow for large ones.
  let pieces: string[] = []
  let length = 0
  let last = ''

  return {
    /** False when an event is longer than one may be. */
    push(chunk: Uint8Array): boolean {
      // An end may lie across two pieces, so the end of the one before comes first. JSON holds no
      // returns, so those there are belong to ends of lines.
      let text = last + decoder.decode(chunk, { stream: true }).replaceAll('\r', '')
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        onEvent(eventOf(pieces.join('') + text.slice(0, end)))
        pieces = []
        length = 0
        text = text.slice(end + 2)
      }
      last = text.endsWith('\n') ? '\n' : ''
      const rest = text.slice(0, text.length - last.length)
      if (rest !== '') pieces.push(rest)
      length += rest.length
      return length <= longest
    },
  }
}

function eventOf(text: string): StreamEvent {
  const data: string[] = []
  let id: string | undefined
  let retry: number | undefined
  for (const line of text.split('\n')) {
    const colon = line.indexOf(':')
    const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (line.startsWith('data:')) data.push(value)
    else if (line.startsWith('id:')) id = value
    else if (line.startsWith('retry:') && /^\d{1,9}$/.test(value)) retry = Number(value)
  }
  return { data: data.join('\n'), id, retry }
}
