import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import type { Random } from '../../bench/lib/random.ts'
import { openFolder, userForPostgres } from '../../test/support/postgres-binaries.ts'
import { readJournals } from './journal.ts'
import { type Cut, imageAfter, type NameModel, namesIn, writeImage } from './power-cut.ts'

/** A folder whose changes are recorded by processes that run with `env`; see shim.c. */
export interface Disk {
  readonly root: string
  readonly env: Readonly<Record<string, string>>
  /** The same for a command line: `env NAME=VALUE …`. */
  readonly command: readonly string[]
  counts(): DiskCounts
  /** From now on syncs are answered and not carried out. */
  ignoreSyncs(): void
  /** The next writes or syncs fail with this error number. */
  failNext(failure: Failure): void
  /**
   * The power goes: the folder becomes what the disk would hold. Processes that use it must be gone.
   */
  cut(random: Random, names: NameModel): Cut
  /** Files that differ from what the journal says; none when every change was recorded. */
  unrecorded(): string[]
  remove(): void
}

export interface DiskCounts {
  readonly writes: number
  readonly syncs: number
  readonly failed: number
}

interface Failure {
  readonly of: 'writes' | 'syncs'
  /** How many still succeed. */
  readonly after: number
  readonly count: number
  readonly errno: number
}

/** Words of 8 bytes in the control file, as in shim.c. */
const WORD = {
  writes: 1,
  syncs: 2,
  failed: 3,
  failWritesFrom: 4,
  failSyncsFrom: 5,
  failFor: 6,
  failErrno: 7,
  ignoresSyncs: 8,
} as const

/** Why this machine cannot simulate a disk; undefined when it can. */
export function lacksDisk(): string | undefined {
  if (process.platform !== 'linux') return 'it preloads a library, which is done on Linux only'
  return spawnSync('cc', ['--version']).status === 0
    ? undefined
    : 'it needs a C compiler, and there is no `cc` here'
}

let shim: string | undefined

/** Compiled once per process, where every user can read it. */
function compiledShim(): string {
  if (shim !== undefined) return shim
  const folder = mkdtempSync(
    path.join(openFolder(userForPostgres() !== undefined), 'countersign-disk-'),
  )
  chmodSync(folder, 0o755)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'shim.so')
  const source = path.join(import.meta.dirname, 'shim.c')
  const flags = ['-O2', '-Wall', '-shared', '-fPIC', '-o', file, source, '-ldl', '-lpthread']
  const built = spawnSync('cc', flags, { encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`the disk does not compile: ${built.stderr}`)
  shim = file
  return file
}

/** What is in the folder now counts as synced. */
export function newDisk(folder: string): Disk {
  const library = compiledShim()
  mkdirSync(folder, { recursive: true })
  const root = realpathSync(folder)
  const own = mkdtempSync(
    path.join(openFolder(userForPostgres() !== undefined), 'countersign-journal-'),
  )
  chmodSync(own, 0o755)
  const journals = path.join(own, 'journals')
  const base = path.join(own, 'base')
  const control = path.join(own, 'control')
  writeFileSync(control, Buffer.alloc(4096))
  chmodSync(control, 0o666)
  let names = snapshot()

  function snapshot() {
    for (const old of [journals, base]) rmSync(old, { recursive: true, force: true })
    mkdirSync(journals)
    chmodSync(journals, 0o777)
    cpSync(root, base, { recursive: true })
    return namesIn(root)
  }

  function word(index: number): number {
    return Number(readFileSync(control).readBigUInt64LE(index * 8))
  }

  function setWord(index: number, value: number): void {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(BigInt(value))
    const file = openSync(control, 'r+')
    writeSync(file, bytes, 0, 8, index * 8)
    closeSync(file)
  }

  const env = {
    LD_PRELOAD: library,
    DISK_ROOT: root,
    DISK_JOURNAL: journals,
    DISK_CONTROL: control,
  }
  const recorded = () =>
    readJournals(readdirSync(journals).map((name) => readFileSync(path.join(journals, name))))
  return {
    root,
    env,
    command: ['env', ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
    counts: () => ({
      writes: word(WORD.writes),
      syncs: word(WORD.syncs),
      failed: word(WORD.failed),
    }),
    ignoreSyncs: () => setWord(WORD.ignoresSyncs, 1),
    failNext({ of, after, count, errno }) {
      setWord(WORD.failErrno, errno)
      setWord(WORD.failFor, count)
      const isWrites = of === 'writes'
      const done = word(isWrites ? WORD.writes : WORD.syncs)
      setWord(isWrites ? WORD.failWritesFrom : WORD.failSyncsFrom, done + after + 1)
    },
    cut(random, model) {
      const image = imageAfter({ root, base, names, records: recorded(), random, model })
      writeImage(image, { root, base })
      names = snapshot()
      return image.cut
    },
    unrecorded() {
      const { files } = imageAfter({ root, base, names, records: recorded(), model: 'everything' })
      return [...files].flatMap(([name, bytes]) => {
        const real = path.join(root, name)
        const isSame = existsSync(real) && readFileSync(real).equals(bytes)
        return isSame || name.endsWith('-shm') ? [] : [name]
      })
    },
    remove: () => rmSync(own, { recursive: true, force: true }),
  }
}
