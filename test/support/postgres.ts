import { make } from './make.ts'

/** The connection URL of a new, empty database in the run's own real Postgres. */
export function freshDatabase(): Promise<string> {
  return make('database')
}
