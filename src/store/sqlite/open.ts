import { closeSync, openSync, realpathSync, statfsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { CountersignError } from '../../base/errors.ts'
import { immediately, retryBusy } from './connection.ts'
import { APPLICATION_ID, MIGRATIONS } from './migrations/migrations.ts'

/** Below this, SQLite can lose a commit when two connections meet a checkpoint in WAL mode. */
const OLDEST_SAFE = [3, 51, 3] as const

/** How long the event loop may stand still for another process's lock. */
const BUSY_BLOCKS_MS = 20

/** File systems that other machines share. Their locks and their memory maps do not hold. */
const NETWORK_FILE_SYSTEMS = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB2'],
  [0xff534d42, 'CIFS'],
  [0x5346414f, 'AFS'],
  [0x00c36400, 'Ceph'],
  [0x01021997, '9p'],
])

export interface OpenFile {
  readonly db: DatabaseSync
  /** With links resolved: what the file really is. */
  readonly path: string
  /** Names the file itself, wherever it is moved. A copy has another. */
  readonly place: string
}

/** Opens or creates the file, and refuses whatever would make a commit less than durable. */
export async function openFile(path: string): Promise<OpenFile> {
  if (path === ':memory:') {
    throw new CountersignError('usage', 'a store in memory is no file', {
      hint: 'Use memoryStore().',
    })
  }
  assertVersion()
  // Created here and not by SQLite: only its owner may read what agents ask.
  closeSync(openSync(path, 'a', 0o600))
  const real = realpathSync(path)
  assertLocal(real)
  const db = new DatabaseSync(real, { timeout: BUSY_BLOCKS_MS, enableForeignKeyConstraints: true })
  try {
    await retryBusy(() => {
      assertOurs(db, path)
      setUp(db, path)
    })
    await retryBusy(() => migrate(db, path))
    return { db, path: real, place: placeOf(real) }
  } catch (error) {
    db.close()
    throw error
  }
}

function assertVersion(): void {
  const probe = new DatabaseSync(':memory:')
  const version = String(probe.prepare('select sqlite_version() as version').get()?.version)
  probe.close()
  const parts = version.split('.').map(Number)
  for (const [index, least] of OLDEST_SAFE.entries()) {
    const part = parts[index] ?? 0
    if (part > least) return
    if (part < least) {
      throw new CountersignError('store_unsafe', `SQLite ${version} can lose commits`, {
        hint: `Use a Node.js with SQLite ${OLDEST_SAFE.join('.')} or newer: 22.23 or newer of Node 22, or Node 24. Postgres and memory stores work on older ones.`,
      })
    }
  }
}

function assertLocal(path: string): void {
  const kind = NETWORK_FILE_SYSTEMS.get(statfsSync(path).type)
  if (kind === undefined) return
  throw new CountersignError('store_unsafe', `${path} is on ${kind}, where SQLite is not safe`, {
    hint: 'Keep the file on a local disk, or use Postgres.',
  })
}

/** Any other program's database is left alone. */
function assertOurs(db: DatabaseSync, path: string): void {
  const id = pragma(db, 'application_id')
  const tables = Number(db.prepare('select count(*) as n from sqlite_schema').get()?.n)
  if (id === APPLICATION_ID || (id === 0 && tables === 0)) return
  throw new CountersignError('store_unsafe', `${path} is not a database of Countersign`)
}

function setUp(db: DatabaseSync, path: string): void {
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma fullfsync = on;
    pragma checkpoint_fullfsync = on;
    pragma trusted_schema = off;
    pragma wal_autocheckpoint = 4000;
    pragma cache_size = -16000;
  `)
  const found = { journal: pragma(db, 'journal_mode'), synchronous: pragma(db, 'synchronous') }
  if (found.journal !== 'wal' || found.synchronous !== 2) {
    throw new CountersignError(
      'store_unsafe',
      `${path} runs with journal_mode ${found.journal} and synchronous ${found.synchronous}`,
    )
  }
  setDefensive(db, true)
}

/** Node 22 has no such switch. It guards the schema against SQL from outside, and we run none. */
function setDefensive(db: DatabaseSync, active: boolean): void {
  ;(db as { enableDefensive?: (active: boolean) => void }).enableDefensive?.(active)
}

function migrate(db: DatabaseSync, path: string): void {
  // Looked at before taking the lock: most of the time there is nothing to do.
  if (schemaVersion(db, path) === MIGRATIONS.length) return
  // A migration may reword a check, which only the schema itself holds.
  setDefensive(db, false)
  try {
    immediately(db, () => {
      const version = schemaVersion(db, path)
      for (const { sql } of MIGRATIONS.slice(version)) db.exec(sql)
      db.exec(`pragma user_version = ${MIGRATIONS.length}`)
      db.exec(`pragma application_id = ${APPLICATION_ID}`)
    })
  } finally {
    setDefensive(db, true)
  }
}

function schemaVersion(db: DatabaseSync, path: string): number {
  const version = Number(pragma(db, 'user_version'))
  if (version <= MIGRATIONS.length) return version
  throw new CountersignError(
    'store_newer',
    `${path} was written by a newer Countersign (schema ${version}, this one knows ${MIGRATIONS.length})`,
    { hint: 'Update Countersign; a database never goes back to an older schema.' },
  )
}

function pragma(db: DatabaseSync, name: string): unknown {
  return db.prepare(`pragma ${name}`).get()?.[name]
}

/**
 * Inode and birth of a file survive moving it, and neither survives copying it. Where the file
 * system does not keep the birth, it shows the last change instead, which is no name.
 */
export function placeOf(path: string): string {
  const { ino, birthtimeNs, ctimeNs } = statSync(path, { bigint: true })
  const birth = birthtimeNs > 0n && birthtimeNs < ctimeNs ? `@${birthtimeNs}` : ''
  return `inode:${ino}${birth}`
}
