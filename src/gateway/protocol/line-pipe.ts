import type { Readable, Writable } from 'node:stream'
import { createSplitter, type Line } from '../../base/lines.ts'
import type { Message } from './message.ts'

/** Messages as lines of JSON, one each way. */
export interface LinePipe {
  /** `text`: the message, where it is written already. False where the reader is gone. */
  send(message: Message, text?: string): boolean
}

export interface PipeOptions {
  /** Longest line in bytes; a longer one arrives as undefined. */
  readonly longest: number
  onLine(line: Line): void
  onEnd(): void
}

export function linePipe(input: Readable, output: Writable, options: PipeOptions): LinePipe {
  const splitter = createSplitter(options.longest)
  let ended = false
  const end = () => {
    if (ended) return
    ended = true
    options.onEnd()
  }
  input.on('data', (chunk: Uint8Array) => {
    for (const line of splitter.push(chunk)) options.onLine(line)
  })
  input.on('end', end)
  input.on('close', end)
  input.on('error', end)
  // The reader may be gone at any time; that ends the connection and nothing else.
  output.on('error', end)
  return {
    send(message, text = JSON.stringify(message)) {
      if (ended || !output.writable) return false
      output.write(`${text}\n`)
      return true
    },
  }
}
