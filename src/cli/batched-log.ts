import { printable } from './printable.ts'
import type { Output } from './shell.ts'

/** Lines for people to look at later: written together, so that no call waits for its own. */
export interface BatchedLog {
  (line: string): void
  flush(): void
}

const EVERY_MS = 100

export function batchedLog(out: Output, prefix: string): BatchedLog {
  let held = ''
  const flush = () => {
    if (held !== '') void out.write(held)
    held = ''
  }
  const log = (line: string) => {
    if (held === '') setTimeout(flush, EVERY_MS)
    held += `${prefix}${printable(line)}\n`
  }
  return Object.assign(log, { flush })
}
