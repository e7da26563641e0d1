import { printable } from './print/printable.ts'
import type { Output } from './shell.ts'

/** Lines for people to look at later: written together, so that no call waits for its own. */
export interface BatchedLog {
  (line: string): void
  flush(): void
}

const EVERY_MS = 100

export function batchedLog(out: Output, prefix: string): BatchedLog {
  let held: string[] = []
  const flush = () => {
    const lines = held
    held = []
    if (lines.length > 0)
      void out.write(lines.map((line) => `${prefix}${printable(line)}\n`).join(''))
  }
  const log = (line: string) => {
    if (held.push(line) === 1) setTimeout(flush, EVERY_MS)
  }
  return Object.assign(log, { flush })
}
