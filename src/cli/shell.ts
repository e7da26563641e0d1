import { type Paint, paintFor } from './print/colour.ts'
import { jsonText } from './print/printable.ts'

/** What a command may touch of the process it runs in. */
export interface Shell {
  readonly out: Output
  readonly err: Output
  readonly stdin: NodeJS.ReadableStream
  /** The terminal itself, for what draws on it instead of writing lines. */
  readonly screen?: NodeJS.WritableStream
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
}

/** Runs a command's body; what it answers becomes the exit code. */
export type Run = (body: (shell: Shell) => number | Promise<number>) => Promise<void>

export interface Output {
  readonly paint: Paint
  readonly terminal: boolean
  /** How wide the terminal is, where it is one. */
  readonly columns?: number | undefined
  line(text: string): void
  json(value: unknown): void
  /** Writes text as it is; the promise, if any, resolves when the reader has room for more. */
  write(text: string): Promise<void> | undefined
  /** True once the reader has closed the pipe, as after `… | head`. */
  closed(): boolean
}

export function processShell(): Shell {
  return {
    out: createOutput(process.stdout),
    err: createOutput(process.stderr),
    stdin: process.stdin,
    screen: process.stdout,
    env: process.env,
    cwd: process.cwd(),
  }
}

function createOutput(stream: NodeJS.WriteStream): Output {
  let closed = false
  // A reader that closed the pipe has seen enough; that is not an error of ours.
  stream.on('error', () => {
    closed = true
  })
  const write = (text: string): Promise<void> | undefined => {
    if (closed || stream.write(text)) return undefined
    return new Promise((resolve) => {
      const settle = () => {
        stream.off('drain', settle)
        stream.off('close', settle)
        stream.off('error', settle)
        resolve()
      }
      stream.on('drain', settle)
      stream.on('close', settle)
      stream.on('error', settle)
    })
  }
  return {
    paint: paintFor(stream),
    terminal: stream.isTTY === true,
    columns: stream.isTTY ? stream.columns : undefined,
    line: (text) => void write(`${text}\n`),
    json: (value) => void write(`${jsonText(value, 2)}\n`),
    write,
    closed: () => closed,
  }
}
