/** Cuts a stream of server-sent events into the data of its events. */
export function createEventReader(longest: number, onData: (data: string) => void) {
  const decoder = new TextDecoder()
  // Pieces are put together once an event is whole: joining at each would be slow for large ones.
  let pieces: string[] = []
  let length = 0
  let last = ''

  function finish(event: string): void {
    const data = dataOf(event)
    if (data !== undefined && data !== '') onData(data)
  }

  return {
    /** False when an event is longer than one may be. */
    push(chunk: Uint8Array): boolean {
      // An end may lie across two pieces, so the end of the one before comes first. JSON holds no
      // returns, so those there are belong to ends of lines.
      let text = last + decoder.decode(chunk, { stream: true }).replaceAll('\r', '')
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        finish(pieces.join('') + text.slice(0, end))
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

function dataOf(event: string): string | undefined {
  const lines = event
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(line[5] === ' ' ? 6 : 5))
  return lines.length === 0 ? undefined : lines.join('\n')
}
