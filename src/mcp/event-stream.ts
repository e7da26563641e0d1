/** Cuts a stream of server-sent events into the data of its events. */
export function createEventReader(longest: number, onData: (data: string) => void) {
  const decoder = new TextDecoder()
  let held = ''
  return {
    /** False when an event is longer than one may be. */
    push(chunk: Uint8Array): boolean {
      held += decoder.decode(chunk, { stream: true })
      if (held.includes('\r')) held = held.replaceAll('\r\n', '\n')
      for (;;) {
        const end = held.indexOf('\n\n')
        if (end < 0) return held.length <= longest
        const data = dataOf(held.slice(0, end))
        held = held.slice(end + 2)
        if (data !== undefined && data !== '') onData(data)
      }
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
