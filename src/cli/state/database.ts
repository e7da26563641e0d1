import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { CountersignError } from '../../base/errors.ts'
import { usage } from '../failure.ts'
import { findPolicy } from '../files.ts'
import type { Shell } from '../shell.ts'

/** Where the approvals are. `folder` holds what belongs beside them: head.json, server.json, keys. */
export type Place =
  | { readonly kind: 'sqlite'; readonly path: string; readonly folder: string }
  | {
      readonly kind: 'postgres'
      readonly url: string
      readonly folder: string
      /** Past a pooler, for LISTEN. */
      readonly direct?: string
      /** False where a job of the owner brings the schema up to date. */
      readonly migrate: boolean
    }

/** What an option says, else COUNTERSIGN_DB, else the default. */
export function databasePlace(
  db: string | undefined,
  { cwd, env }: Pick<Shell, 'cwd' | 'env'>,
): Place {
  const said = db ?? env.COUNTERSIGN_DB
  if (said === undefined || said === '') {
    return sqlitePlace(path.join(stateFolder(cwd, env), 'approvals.db'))
  }
  if (/^postgres(ql)?:\/\//.test(said)) {
    const { COUNTERSIGN_DB_DIRECT: direct = '', COUNTERSIGN_MIGRATE: migrate } = env
    return {
      kind: 'postgres',
      url: said,
      folder: stateFolder(cwd, env),
      ...(direct === '' ? {} : { direct }),
      migrate: !['0', 'off', 'false', 'no'].includes(migrate ?? ''),
    }
  }
  const [, file] = /^sqlite:(.+)$/s.exec(said) ?? []
  if (file === undefined) {
    // Not repeated: it may hold a password.
    throw usage('--db is not understood', 'Use sqlite:PATH or postgres://USER@HOST/NAME.')
  }
  return sqlitePlace(path.resolve(cwd, file.replace(/^\/\/(?=\/)/, '')))
}

/** With links followed: from another folder, without its head.json, it would pass for a copy. */
function sqlitePlace(named: string): Place {
  const file = existsSync(named) ? realpathSync.native(named) : named
  return { kind: 'sqlite', path: file, folder: path.dirname(file) }
}

export const STATE_FOLDER = '.countersign'

/** Beside the nearest policy, else in the home folder. */
function stateFolder(cwd: string, env: Shell['env']): string {
  const policy = findPolicy(cwd)
  const beside =
    policy === undefined ? env.HOME || homedir() : path.resolve(cwd, path.dirname(policy))
  return path.join(beside, STATE_FOLDER)
}

/** Where the approvals are, for people: without a user or a password. */
export function placeWords(place: Place): string {
  if (place.kind === 'sqlite') return place.path
  if (!URL.canParse(place.url)) return 'Postgres'
  const { hostname, port, pathname } = new URL(place.url)
  return `Postgres, ${hostname}${port === '' ? '' : `:${port}`}${pathname}`
}

/**
 * A database of the home folder that a start without a choice no longer uses, because a policy makes
 * the folder beside it the default and there is none in it yet. Undefined: nothing is left behind.
 */
export function leftBehind(
  db: string | undefined,
  { cwd, env }: Pick<Shell, 'cwd' | 'env'>,
): string | undefined {
  const place = databasePlace(db, { cwd, env })
  if ((db ?? env.COUNTERSIGN_DB ?? '') !== '' || place.kind !== 'sqlite') return undefined
  const home = path.join(env.HOME || homedir(), STATE_FOLDER, 'approvals.db')
  return existsSync(place.path) || !existsSync(home) ? undefined : home
}

/** Looking at a database must not make one. */
export function assertThere(place: Place): void {
  if (place.kind === 'postgres' || existsSync(place.path)) return
  throw new CountersignError('store_unavailable', `there is no database at ${place.path}`, {
    hint: 'Run `countersign start` once to make one, or name another with --db.',
  })
}
