import type { IncomingMessage } from 'node:http'
import { createEventReader } from '../protocol/event-stream.ts'
import { LONGEST_MESSAGE } from '../protocol/transport.ts'

/** How one HTTP answer ended, once it has. */
export interface Ended {
  readonly status: number
  readonly isStream: boolean
  readonly isTooLong: boolean
  /** The last event that had a name: from there the server can go on. */
  readonly lastEvent: string | undefined
  /** Milliseconds the server wants us to wait before we come back. */
  readonly retry: number | undefined
}

/** Hands on every message of an answer, be it plain JSON or a stream of events. */
export function readAnswer(
  response: IncomingMessage,
  onText: (text: string) => void,
  onEnd: (ended: Ended) => void,
): void {
  const { statusCode: status = 0, headers } = response
  const isStream = headers['content-type']?.startsWith('text/event-stream') === true
  const isJson = headers['content-type']?.startsWith('application/json') === true
  let isTooLong = false
  let lastEvent: string | undefined
  let retry: number | undefined
  const reader = createEventReader(LONGEST_MESSAGE, {
    onEvent: ({ id, data }) => {
      lastEvent = id ?? lastEvent
      if (data !== '') onText(data)
    },
    onRetry: (ms) => {
      retry = ms
    },
  })
  const chunks: Uint8Array[] = []
  let length = 0
  response.on('data', (chunk: Uint8Array) => {
    length += chunk.length
    isTooLong = isStream ? !reader.push(chunk) : length > LONGEST_MESSAGE
    if (isTooLong) response.destroy()
    else if (isJson) chunks.push(chunk)
  })
  response.on('error', () => {})
  response.on('close', () => {
    if (isJson && response.complete && !isTooLong) onText(Buffer.concat(chunks).toString())
    onEnd({ status, isStream, isTooLong, lastEvent, retry })
  })
}
