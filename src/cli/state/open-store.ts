import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import { CountersignError } from '../../base/errors.ts'
import type { Store } from '../../store/store.ts'
import { whyNotWritten } from '../files.ts'
import { type Place, STATE_FOLDER } from './database.ts'

export interface DatabaseOptions {
  readonly db?: string
  readonly tenant?: string
}

/** `--db` and `--tenant`, the same for every command that writes to the database. */
export function takesDatabase(command: Command): Command {
  return command
    .option('--db <where>', 'sqlite:PATH or postgres://…; else COUNTERSIGN_DB, else .countersign/')
    .option('--tenant <name>', 'whose approvals, where several share a database')
}

export async function openStore(place: Place, { tenant }: DatabaseOptions): Promise<Store> {
  makeFolder(place.folder)
  const options = {
    head: path.join(place.folder, 'head.json'),
    ...(tenant === undefined ? {} : { tenant }),
  }
  if (place.kind === 'postgres') {
    const { openPostgres } = await import('../../store/postgres/open-store.ts')
    const { url, direct, migrate } = place
    return openPostgres(url, { ...options, migrate, ...(direct ? { direct } : {}) })
  }
  const { openSqlite } = await import('../../store/sqlite/open-store.ts')
  return openSqlite(place.path, options)
}

/** For its owner only: what agents ask may be secret. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    if (path.basename(folder) !== STATE_FOLDER) return
    chmodSync(folder, 0o700)
    writeFileSync(path.join(folder, '.gitignore'), '*\n')
  } catch (error) {
    throw new CountersignError(
      'store_unavailable',
      `${folder} cannot be made: ${whyNotWritten(error)}`,
      { hint: 'Name another place with --db sqlite:PATH.', cause: error },
    )
  }
}
