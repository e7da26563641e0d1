import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs'
import { isPlainObject } from '../../base/json/json.ts'
import { isHead } from '../../gate/proof/checkpoint.ts'
import type { Head } from '../../store/audit/audit-entry.ts'
import { usage } from '../failure.ts'
import { why } from '../files.ts'

/** How far a stream has come: the last entry of each chain, the last checkpoint of each tenant. */
export interface Cursor {
  readonly heads: ReadonlyMap<string, Head>
  readonly checkpoints: ReadonlyMap<string, { readonly n: number; readonly hash: string }>
}

const VERSION = 'countersign.stream.v1'

/** Where the last run of this stream ended; the beginning where there was none. */
export function readCursor(file: string): Cursor {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return { heads: new Map(), checkpoints: new Map() }
    }
    throw usage(`${file} cannot be read: ${why(error)}`, 'Name another file with --cursor.')
  }
  const read = parsed(text)
  if (!isPlainObject(read) || read.v !== VERSION) throw damaged(file)
  const { heads, checkpoints } = read
  if (!Array.isArray(heads) || !heads.every(isHead) || !Array.isArray(checkpoints)) {
    throw damaged(file)
  }
  return {
    heads: new Map(heads.map((head) => [head.writer, head])),
    checkpoints: new Map(checkpoints as [string, { n: number; hash: string }][]),
  }
}

/** Whole or not at all: a process may end at any moment. */
export function writeCursor(file: string, { heads, checkpoints }: Cursor): void {
  const draft = `${file}.new`
  const text = JSON.stringify({
    v: VERSION,
    heads: [...heads.values()],
    checkpoints: [...checkpoints],
  })
  const opened = openSync(draft, 'w', 0o600)
  try {
    writeSync(opened, `${text}\n`)
    fsyncSync(opened)
  } finally {
    closeSync(opened)
  }
  renameSync(draft, file)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function damaged(file: string): Error {
  return usage(
    `${file} is not the cursor of a stream`,
    'Move it away: the stream then begins with the first entry again.',
  )
}
