import { lazyStore } from '../lazy-store.ts'
import type { Store } from '../store.ts'
import { openSqlite, type SqliteOptions } from './open-store.ts'

export type { SqliteOptions } from './open-store.ts'

/**
 * Approvals in one local file, for any number of processes of one machine. Opens itself when it is
 * first used; `gate.ready()` says what is wrong with it.
 */
export function sqliteStore(path: string, options: SqliteOptions = {}): Store {
  const { tenant = 'default' } = options
  return lazyStore({ name: 'sqlite', tenant, open: () => openSqlite(path, options) })
}
