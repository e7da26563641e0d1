import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import type { Random } from '../../bench/lib/random.ts'
import type { DiskRecord } from './journal.ts'

/**
 * When a name (a file made, moved or removed) is on the disk. `ordered`, as on a file system with a
 * journal: names reach the disk in order; syncing a folder, or a file that is new or was moved,
 * takes all names before it along. `strict`, what POSIX promises: a sync of the folder and nothing
 * else; of the rest any part may be there.
 */
export type NameModel = 'ordered' | 'strict'

/** What became of the writes that were not synced. */
const FATES = ['none', 'all', 'in order', 'sectors', 'pages'] as const
type Fate = (typeof FATES)[number]

export interface Cut {
  readonly fate: Fate
  /** Writes that were not synced, and those of them that are gone, in whole or in part. */
  readonly unsynced: number
  readonly dropped: number
  /** The same for names. */
  readonly unsyncedNames: number
  readonly droppedNames: number
}

export interface Names {
  /** By path relative to the root; the inode of what is there. */
  readonly files: ReadonlyMap<string, bigint>
  readonly folders: ReadonlySet<string>
}

interface Image {
  readonly cut: Cut
  /** Files that are not as in the snapshot. */
  readonly files: ReadonlyMap<string, Buffer>
  readonly removed: readonly string[]
  readonly folders: readonly string[]
}

type DataChange = Extract<DiskRecord, { kind: 'write' | 'truncate' }>

/** A file, whatever it is called. */
interface Inode {
  bytes: Bytes
  pending: DataChange[]
  isTouched: boolean
}

interface NameChange {
  readonly sequence: bigint
  readonly inode?: Inode
  readonly adds?: string
  readonly removes?: string
  readonly makes?: string
}

/** Grows in steps: a log is written a page at a time. */
class Bytes {
  #buffer: Buffer
  #size: number

  constructor(initial: Buffer) {
    this.#buffer = initial
    this.#size = initial.length
  }

  get all(): Buffer {
    return this.#buffer.subarray(0, this.#size)
  }

  resize(size: number): void {
    if (size > this.#buffer.length) {
      const larger = Buffer.alloc(Math.max(size, this.#buffer.length * 2))
      this.#buffer.copy(larger, 0, 0, this.#size)
      this.#buffer = larger
    }
    if (size < this.#size) this.#buffer.fill(0, size, this.#size)
    this.#size = size
  }

  write(data: Buffer, offset: number): void {
    if (offset + data.length > this.#size) this.resize(offset + data.length)
    data.copy(this.#buffer, offset)
  }
}

export function namesIn(root: string): Names {
  const files = new Map<string, bigint>()
  const folders = new Set<string>()
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const name = path.relative(root, path.join(entry.parentPath, entry.name))
    if (entry.isDirectory()) folders.add(name)
    else files.set(name, statSync(path.join(root, name), { bigint: true }).ino)
  }
  return { files, folders }
}

interface History {
  readonly root: string
  /** A copy of the folder as it was when the records begin, all of it synced. */
  readonly base: string
  readonly names: Names
  readonly records: readonly DiskRecord[]
  /** `everything`: no power cut at all. */
  readonly model: NameModel | 'everything'
  readonly random?: Random
}

export function imageAfter({ root, base, names, records, model, random }: History): Image {
  const inodes = new Map<bigint, Inode>()
  const live = new Map<string, Inode>()
  /** Files of the snapshot that were used; their numbers may be given to others later. */
  const origins = new Map<string, Inode>()
  const load = (name: string): Inode => {
    const bytes = new Bytes(readFileSync(path.join(base, name)))
    const inode: Inode = { bytes, pending: [], isTouched: false }
    origins.set(name, inode)
    return inode
  }
  const lazy = new Map([...names.files].map(([name, number]) => [number, name]))
  const inodeOf = (number: bigint): Inode => {
    const known = inodes.get(number)
    if (known) return known
    const name = lazy.get(number)
    const inode = name === undefined ? empty() : load(name)
    inodes.set(number, inode)
    return inode
  }
  const at = (name: string): Inode | undefined => {
    const number = names.files.get(name)
    return live.get(name) ?? (number === undefined || gone.has(name) ? undefined : inodeOf(number))
  }
  /** Names of the snapshot that mean something else, or nothing, by now. */
  const gone = new Set<string>()
  const durable = new Map<string, Inode>()
  const durablyGone = new Set<string>()
  const folders = new Set(names.folders)
  let waiting: NameChange[] = []

  const rename = (change: NameChange): void => {
    if (change.removes !== undefined) {
      live.delete(change.removes)
      gone.add(change.removes)
    }
    if (change.adds !== undefined && change.inode) {
      live.set(change.adds, change.inode)
      gone.add(change.adds)
    }
    waiting.push(change)
  }
  const settle = (change: NameChange): void => {
    if (change.removes !== undefined) {
      durable.delete(change.removes)
      durablyGone.add(change.removes)
      folders.delete(change.removes)
    }
    if (change.adds !== undefined && change.inode) durable.set(change.adds, change.inode)
    if (change.makes !== undefined) folders.add(change.makes)
  }
  const settleWhere = (isDue: (change: NameChange, index: number) => boolean): void => {
    const due = waiting.filter(isDue)
    waiting = waiting.filter((change) => !due.includes(change))
    due.forEach(settle)
  }
  const nameOf = (absolute: string) => path.relative(root, path.normalize(absolute))

  for (const record of records) {
    const { kind, sequence } = record
    if (kind === 'write' || kind === 'truncate') {
      inodeOf(record.file).pending.push(record)
    } else if (kind === 'sync') {
      const inode = inodeOf(record.file)
      for (const change of inode.pending) apply(inode, change)
      inode.pending = []
      if (model === 'strict') continue
      const last = waiting.findLastIndex((change) => change.inode === inode)
      settleWhere((_, index) => index <= last)
    } else if (kind === 'syncfail') {
      // As on Linux: what could not be written counts as clean from now on, and no later sync tries
      // it again. Processes go on reading it until the power goes.
      const inode = inodeOf(record.file)
      if (model === 'everything') for (const change of inode.pending) apply(inode, change)
      inode.pending = []
    } else if (kind === 'create') {
      const inode = empty()
      inodes.set(record.file, inode)
      lazy.delete(record.file)
      rename({ sequence, inode, adds: nameOf(record.path) })
    } else if (kind === 'rename' || kind === 'link') {
      const inode = at(nameOf(record.path))
      // Not made by a call that the shim sees (stdio): such files are lost with the power.
      if (!inode) continue
      const removes = kind === 'rename' ? { removes: nameOf(record.path) } : {}
      rename({ sequence, inode, adds: nameOf(record.to), ...removes })
    } else if (kind === 'unlink' || kind === 'rmdir') {
      rename({ sequence, removes: nameOf(record.path) })
    } else if (kind === 'mkdir') {
      rename({ sequence, makes: nameOf(record.path) })
    } else {
      const folder = nameOf(record.path)
      const isIn = (name: string | undefined) =>
        name !== undefined &&
        path.relative(folder, path.dirname(name) === '.' ? '' : path.dirname(name)) === ''
      settleWhere(
        ({ adds, removes, makes }) =>
          model !== 'strict' || isIn(adds) || isIn(removes) || isIn(makes),
      )
    }
  }

  const fate: Fate = random ? random.pick(FATES) : 'all'
  const all = [...new Set([...inodes.values(), ...origins.values()])]
  const unsynced = all.reduce((sum, { pending }) => sum + pending.length, 0)
  const unsyncedNames = waiting.length
  const keptNames = keepNames(waiting, { fate, model, random })
  keptNames.forEach(settle)
  let dropped = 0
  const sequences = all.flatMap(({ pending }) => pending.map((change) => change.sequence))
  sequences.sort((a, b) => (a < b ? -1 : 1))
  const last = random ? sequences[random.below(sequences.length + 1)] : undefined
  // A share of its own for each cut: nearly nothing lost is another disk than nearly all.
  const share = random?.pick([0.1, 0.5, 0.9]) ?? 1
  for (const inode of all) {
    for (const change of inode.pending) {
      if (fate === 'all' || (fate === 'in order' && (last === undefined || change.sequence < last)))
        apply(inode, change)
      else if (fate === 'none' || fate === 'in order' || !random) dropped += 1
      else if (!applyPart(inode, change, { random, share, unit: fate === 'pages' ? 4096 : 512 }))
        dropped += 1
    }
  }
  const files = new Map<string, Buffer>()
  for (const [name, inode] of durable) {
    const folder = path.dirname(name)
    if (folder === '.' || folders.has(folder)) files.set(name, inode.bytes.all)
  }
  for (const [name, { isTouched, bytes }] of origins) {
    if (isTouched && !durable.has(name) && !durablyGone.has(name)) files.set(name, bytes.all)
  }
  return {
    cut: { fate, unsynced, dropped, unsyncedNames, droppedNames: unsyncedNames - keptNames.length },
    files,
    removed: [...durablyGone].filter((name) => !durable.has(name)),
    folders: [...folders],
  }
}

function empty(): Inode {
  return { bytes: new Bytes(Buffer.alloc(0)), pending: [], isTouched: true }
}

function keepNames(
  waiting: readonly NameChange[],
  { fate, model, random }: { fate: Fate; model: History['model']; random: Random | undefined },
): readonly NameChange[] {
  if (fate === 'all' || !random) return waiting
  if (fate === 'none') return []
  if (model === 'strict') return waiting.filter(() => random.chance(0.5))
  return waiting.slice(0, random.below(waiting.length + 1))
}

function apply(inode: Inode, change: DataChange): void {
  inode.isTouched = true
  if (change.kind === 'truncate') inode.bytes.resize(change.size)
  else inode.bytes.write(change.data, change.offset)
}

/** Some of its sectors; each of them whole. False when something of it is gone. */
function applyPart(
  inode: Inode,
  change: DataChange,
  { random, share, unit }: { random: Random; share: number; unit: number },
): boolean {
  if (change.kind === 'truncate') {
    const isKept = random.chance(share)
    if (isKept) apply(inode, change)
    return isKept
  }
  const { data, offset } = change
  const end = offset + data.length
  let isWhole = true
  for (let from = offset; from < end; ) {
    const to = Math.min(end, (Math.floor(from / unit) + 1) * unit)
    if (random.chance(share)) {
      inode.isTouched = true
      inode.bytes.write(data.subarray(from - offset, to - offset), from)
    } else isWhole = false
    from = to
  }
  // The new size can be there before what was written: then there are zeros.
  if (!isWhole && end > inode.bytes.all.length && random.chance(0.5)) {
    inode.isTouched = true
    inode.bytes.resize(end)
  }
  return isWhole
}

/** Puts the image in place of what is in the folder. */
export function writeImage(
  { files, removed, folders }: Image,
  { root, base }: { root: string; base: string },
): void {
  const { uid, gid, mode } = statSync(root)
  const own = (place: string, bits: number) => {
    chmodSync(place, bits)
    chownSync(place, uid, gid)
  }
  for (const name of readdirSync(root)) rmSync(path.join(root, name), { recursive: true })
  cpSync(base, root, { recursive: true })
  for (const name of removed) rmSync(path.join(root, name), { recursive: true, force: true })
  for (const name of [...folders].sort()) mkdirSync(path.join(root, name), { recursive: true })
  for (const [name, bytes] of files) {
    // Volatile by design: SQLite builds it anew when the first process opens the database.
    if (!name.endsWith('-shm')) writeFileSync(path.join(root, name), bytes)
  }
  // The machine was off for a while.
  const before = new Date(Date.now() - 60_000)
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const place = path.join(entry.parentPath, entry.name)
    own(place, entry.isDirectory() ? 0o700 : 0o600)
    utimesSync(place, before, before)
  }
  own(root, mode & 0o777)
}
