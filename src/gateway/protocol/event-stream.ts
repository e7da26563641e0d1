import { createParser } from 'eventsource-parser'

export interface StreamReader {
  onEvent(event: {
    readonly event: string | undefined
    readonly data: string
    readonly id: string | undefined
  }): void
  /** Milliseconds the server wants to be left alone before the next attempt. */
  onRetry(ms: number): void
}

const LONGEST_RETRY = 999_999_999

/** Cuts a stream of server-sent events into its events. */
export function createEventReader(longest: number, { onEvent, onRetry }: StreamReader) {
  const decoder = new TextDecoder()
  let isTooLong = false
  const parser = createParser({
    maxBufferSize: longest,
    onEvent: ({ event, data, id }) => onEvent({ event, data, id }),
    onRetry: (ms) => {
      if (ms <= LONGEST_RETRY) onRetry(ms)
    },
    // A field with another name is no problem of ours.
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') isTooLong = true
    },
  })
  return {
    /** False when an event is longer than one may be. */
    push(chunk: Uint8Array): boolean {
      // JSON holds no returns, so those there are belong to ends of lines. The parser looks for both
      // ends anew at each return, which takes quadratic time for a chunk of nothing else.
      if (!isTooLong) parser.feed(decoder.decode(chunk, { stream: true }).replaceAll('\r', ''))
      return !isTooLong
    },
  }
}
