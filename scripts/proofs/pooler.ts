/**
 * Every case that a store must pass, through the real PgBouncer in transaction mode, with the role of
 * a server and with three connections, so that they change hands all the time.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { storeCases } from '../../src/testing/store-cases.ts'
import { hasPgBouncer, startPgBouncer } from '../../test/support/pgbouncer.ts'
import { splitRoles } from '../../test/support/postgres-roles.ts'
import { startPostgres } from '../../test/support/start-postgres.ts'

const failed: string[] = []
const SLOW_MS = 10_000

async function another(url: string): Promise<string> {
  const name = `pooled_${randomUUID().slice(0, 8)}`
  const admin = new Client({ connectionString: url })
  await admin.connect()
  await admin.query(`create database ${name}`)
  await admin.end()
  return url.replace(/\/[^/]*$/, `/${name}`)
}

async function play(url: string, direct: string | undefined): Promise<void> {
  for (const { name, run } of storeCases) {
    const opened: Store[] = []
    const open = async (options: PostgresOptions) => {
      const store = await openPostgres(url, {
        ...{ migrate: false, ...options },
        ...(direct === undefined ? {} : { direct }),
      })
      opened.push(store)
      return store
    }
    const begun = performance.now()
    try {
      await run({
        open: (options) => open({ tenant: randomUUID(), ...options }),
        share: ({ tenant }, options) => open({ tenant, ...options }),
        pass: (ms) => sleep(ms),
      })
    } catch (error) {
      failed.push(`${direct === undefined ? 'looking' : 'listening'}: ${name}: ${error}`)
    } finally {
      for (const store of opened) await store.close()
      const took = performance.now() - begun
      if (took > SLOW_MS) process.stdout.write(`${Math.round(took)} ms: ${name}\n`)
    }
  }
}

if (!hasPgBouncer) {
  process.stdout.write('PgBouncer is not installed: apt-get install pgbouncer\n')
  process.exitCode = 1
} else {
  const postgres = await startPostgres()
  try {
    for (const isListening of [false, true]) {
      // Some cases name their tenants: each round has a database of its own.
      const { server } = await splitRoles(await another(postgres.url))
      const pooler = await startPgBouncer(server)
      try {
        await play(pooler.url, isListening ? server : undefined)
      } finally {
        await pooler.stop()
      }
    }
  } finally {
    await postgres.stop()
  }
  for (const line of failed) process.stdout.write(`${line}\n`)
  process.stdout.write(`${2 * storeCases.length} cases, ${failed.length} failed\n`)
  process.exitCode = failed.length === 0 ? 0 : 1
}
