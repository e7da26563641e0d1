import { randomUUID } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import path from 'node:path'
import { isPlainObject } from '../../base/json/json.ts'
import type { Head } from './audit-entry.ts'
import { withFileLock } from './file-lock.ts'

/** How far each writer of each database had come, kept outside of the database. */
interface HeadRecord {
  readonly version: 1
  readonly databases: { readonly [database: string]: WriterHeads }
  /** There were more databases than are kept: one that is not in here may have been. */
  readonly dropped?: true
}

interface WriterHeads {
  readonly [writer: string]: { readonly seq: number; readonly hash: string; readonly at: number }
}

export interface HeadFile {
  /** Heads once written for this database; undefined when there are none, null when unknown. */
  read(database: string): Head[] | 'unreadable' | undefined | null
  /** Remembers a head, and writes the file soon. */
  note(database: string, head: Head, at: number): void
  /** Resolves when everything noted is in the file. */
  flush(): Promise<void>
  /**
   * Names the folder that the file lies in, for databases that several folders write to. Kept in a
   * file of its own: a folder that lost its heads is still the same folder. Undefined when it has
   * no name yet.
   */
  folder(): string | undefined
  /** The same, and names the folder if it has none. */
  nameFolder(): string
}

interface Noted {
  readonly database: string
  readonly head: Head
  readonly at: number
}

const WRITE_EVERY_MS = 100
const WRITERS_KEPT = 64
const DATABASES_KEPT = 16

export function headFile(file: string): HeadFile {
  let noted: Noted | undefined
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  // Of its own: tenants of one program, and containers that share a folder, have one process id.
  const draft = `${file}.${randomUUID()}.tmp`

  function readAll(): HeadRecord | 'unreadable' | undefined {
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT'
      return isMissing ? undefined : 'unreadable'
    }
    try {
      const value: unknown = JSON.parse(text)
      return isRecord(value) ? value : 'unreadable'
    } catch {
      return 'unreadable'
    }
  }

  /** Under a lock: another process that reads and writes in between would lose our head. */
  async function write(): Promise<void> {
    const latest = noted
    if (latest === undefined) return
    noted = undefined
    while (!(await withFileLock(`${file}.lock`, (isHeld) => writeMerged(latest, isHeld)))) {}
  }

  /** False when the lock was lost before the file was replaced. */
  async function writeMerged(latest: Noted, isHeld: () => Promise<boolean>): Promise<boolean> {
    const before = readAll()
    const known = before === undefined || before === 'unreadable' ? NOTHING : before
    const record = merge(known, latest)
    // Written whole beside it and moved over it: a reader never meets half a file.
    const handle = await open(draft, 'w', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(record, undefined, 1)}\n`)
      await handle.datasync()
    } finally {
      await handle.close()
    }
    if (!(await isHeld())) return false
    await rename(draft, file)
    return true
  }

  function writeNext(): Promise<void> {
    writing = writing.then(write, write)
    return writing
  }

  return {
    read(database) {
      const record = readAll()
      if (record === undefined || record === 'unreadable') return record
      const writers = record.databases[database]
      if (writers === undefined) return record.dropped ? null : undefined
      return Object.entries(writers).map(([writer, { seq, hash }]) => ({ writer, seq, hash }))
    },
    note(database, head, at) {
      noted = { database, head, at }
      timer ??= setTimeout(() => {
        timer = undefined
        // A file that cannot be written now is written with the next head, or complained of at close.
        writeNext().catch(() => {})
      }, WRITE_EVERY_MS)
      timer.unref()
    },
    async flush() {
      clearTimeout(timer)
      timer = undefined
      await writing.catch(() => {})
      await writeNext()
    },
    folder: () => readFolder(nameFile(file)),
    nameFolder: () => readFolder(nameFile(file)) ?? writeFolder(nameFile(file)),
  }
}

function nameFile(file: string): string {
  return path.join(path.dirname(file), 'folder.json')
}

function readFolder(file: string): string | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isPlainObject(value) && typeof value.id === 'string' ? value.id : undefined
  } catch {
    return undefined
  }
}

/** Two processes that start at once agree on the name: a link appears whole, and only once. */
function writeFolder(file: string): string {
  const id = randomUUID()
  const draft = `${file}.${id}.tmp`
  writeFileSync(draft, `${JSON.stringify({ id })}\n`, { mode: 0o600 })
  try {
    linkSync(draft, file)
  } catch (error) {
    const known = readFolder(file)
    if (known === undefined) throw error
    return known
  } finally {
    rmSync(draft, { force: true })
  }
  return id
}

const NOTHING: HeadRecord = { version: 1, databases: {} }

function merge({ databases, dropped }: HeadRecord, { database, head, at }: Noted): HeadRecord {
  const { writer, seq, hash } = head
  const known = databases[database]?.[writer]
  const newer = known && known.seq > seq ? known : { seq, hash, at }
  const writers = { ...databases[database], [writer]: newer }
  const newest = (heads: WriterHeads) => Math.max(...Object.values(heads).map((one) => one.at))
  const all = Object.entries({ ...databases, [database]: latest(writers) })
  const kept = all.sort(([, a], [, b]) => newest(b) - newest(a)).slice(0, DATABASES_KEPT)
  const isDropped = dropped || kept.length < all.length
  return {
    version: 1,
    databases: Object.fromEntries(kept),
    ...(isDropped ? { dropped: true as const } : {}),
  }
}

function latest(writers: WriterHeads): WriterHeads {
  const kept = Object.entries(writers)
    .sort(([, a], [, b]) => b.at - a.at)
    .slice(0, WRITERS_KEPT)
  return Object.fromEntries(kept)
}

function isRecord(value: unknown): value is HeadRecord {
  if (!isPlainObject(value) || value.version !== 1 || !isPlainObject(value.databases)) return false
  return Object.values(value.databases).every(
    (writers) => isPlainObject(writers) && Object.values(writers).every(isHead),
  )
}

function isHead(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    typeof value.seq === 'number' &&
    typeof value.hash === 'string' &&
    typeof value.at === 'number'
  )
}
