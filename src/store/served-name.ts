import { hash } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'

/** A database, as a command or a store names it. */
export type ServedPlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly url: string }

/** As the stores have it. */
const DEFAULT_TENANT = 'default'

/**
 * Names the approvals of one tenant in one database, without giving a password away. A server writes
 * it into server.json: several databases and tenants may share a folder.
 */
export function servedName(place: ServedPlace, tenant = DEFAULT_TENANT): string {
  const where = place.kind === 'sqlite' ? realFile(place.path) : databaseName(place.url)
  return hash('sha256', JSON.stringify([place.kind, where, tenant]))
}

/** Before it is made, a file is known by a name that may lead over links. */
function realFile(file: string): string {
  return existsSync(file) ? realpathSync.native(file) : file
}

/** Two users of a database reach the same approvals in it. */
function databaseName(given: string): string {
  if (!URL.canParse(given)) return given
  const { hostname, port, pathname, search } = new URL(given)
  return `${hostname}:${port || '5432'}${pathname}${search}`
}
