import { make } from './make.ts'

/** The connection URL of a new, empty database in the run's own real Postgres. */
export function freshDatabase(): Promise<string> {
  return make('database')
}

/**
 * The same in a Postgres where no test leaves a transaction open: one that goes on anywhere in a
 * server holds the feeds of all its databases back.
 */
export function quietDatabase(): Promise<string> {
  return make('quiet-database')
}
