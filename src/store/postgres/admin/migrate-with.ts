import { CountersignError, isCountersignError } from '../../../base/errors.ts'
import { loadDriver, unavailable } from '../connect.ts'
import { LOCK, transaction } from '../open.ts'
import { migrate, SCHEMA } from './migrate.ts'
import { grantSql, quoted, type RoleNames } from './roles.ts'

interface Who extends Partial<Pick<RoleNames, 'server' | 'auditor'>> {
  /** Become this role first: what is made belongs to it. */
  readonly role?: string | undefined
}

/** What a job does before servers start, on a connection of its own. */
export async function migrateWith(
  url: string,
  { role, server, auditor }: { [Name in keyof Who]: Who[Name] | undefined },
): Promise<{ schema: number; applied: string[] }> {
  const { pool } = await loadDriver(url)
  pool.options.max = 1
  try {
    // The one connection there is keeps it.
    if (role !== undefined) await pool.query(`set role ${quoted(role)}`)
    const applied = await migrate(pool)
    const grants = grantSql({ ...(server ? { server } : {}), ...(auditor ? { auditor } : {}) })
    if (grants.length > 0) {
      await transaction(pool, async (client) => {
        // Two that grant at once get in each other's way.
        await client.query('select pg_advisory_xact_lock($1)', [LOCK])
        await client.query(grants.join('\n'))
      })
    }
    return { schema: SCHEMA, applied }
  } catch (error) {
    if (isCountersignError(error)) throw error
    if (error instanceof Error && 'code' in error && error.code === '42501') {
      throw new CountersignError(
        'store_unavailable',
        `this role may not change the schema: ${error.message}`,
        {
          hint: 'Sign in as the migrator and add --role OWNER; `countersign db roles` makes both.',
        },
      )
    }
    throw unavailable(error)
  } finally {
    await pool.end()
  }
}
