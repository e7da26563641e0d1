import { lazyStore } from '../lazy-store.ts'
import type { Store } from '../store.ts'
import { openPostgres, type PostgresOptions } from './open-store.ts'

export type { PostgresOptions } from './open-store.ts'

/**
 * Approvals in Postgres, for any number of servers and no other coordinator. Opens itself when it is
 * first used; `gate.ready()` says what is wrong with it.
 */
export function postgresStore(url: string, options: PostgresOptions = {}): Store {
  const { tenant = 'default' } = options
  return lazyStore({ name: 'postgres', tenant, open: () => openPostgres(url, options) })
}
