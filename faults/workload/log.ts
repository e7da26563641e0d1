import { closeSync, existsSync, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs'

/** Where in the life of one process a line was written, across all its logs. */
export interface Stamp {
  readonly pid: number
  readonly order: number
}

export interface Log<T> {
  write(line: T): void
  close(): void
}

let order = 0

/** Lines that are on the disk when `write` returns: what a killed process said stays said. */
export function openLog<T extends object>(path: string): Log<T> {
  const file = openSync(path, 'a', 0o600)
  return {
    write(line) {
      order += 1
      // One write: a process that is killed has written all of a line or nothing.
      writeSync(file, `${JSON.stringify({ pid: process.pid, order, ...line })}\n`)
      fdatasyncSync(file)
    },
    close: () => closeSync(file),
  }
}

export function readLog<T>(path: string): (T & Stamp)[] {
  if (!existsSync(path)) return []
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T & Stamp)
}
