import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { migrateWith } from '../../src/store/postgres/admin/migrate-with.ts'
import { type RoleNames, roleSql } from '../../src/store/postgres/admin/roles.ts'

interface SplitRoles extends Readonly<Record<keyof RoleNames, string>> {
  readonly names: RoleNames
}

/** A database with the four roles of `countersign db roles`, migrated, and an address for each. */
export async function splitRoles(url: string): Promise<SplitRoles> {
  // Roles belong to the whole server, which other tests share.
  const some = randomUUID().slice(0, 8)
  const names = {
    owner: `owner-${some}`,
    migrator: `migrator-${some}`,
    server: `server-${some}`,
    auditor: `auditor-${some}`,
  }
  const { pathname } = new URL(url)
  const admin = new Client({ connectionString: url })
  await admin.connect()
  for (const sql of [roleSql(pathname.slice(1), names).join('\n')]) await admin.query(sql)
  await admin.end()
  const as = (name: string) => {
    const own = new URL(url)
    own.username = name
    return own.href
  }
  const { owner: role, server, auditor } = names
  await migrateWith(as(names.migrator), { role, server, auditor })
  return {
    names,
    owner: as(names.owner),
    migrator: as(names.migrator),
    server: as(names.server),
    auditor: as(names.auditor),
  }
}
