import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, vi } from 'vitest'
import { newFolder, openPostgres, openSqlite, rawClient } from '../stores/place.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const LATER = { timeout: 20_000, interval: 200 }

promise(
  ['CS-SERVE-10'],
  'a Postgres that takes no writes is not ready, and ready again when it does',
  async () => {
    const url = await freshDatabase()
    const { send } = running({ store: await openPostgres(url) })
    expect((await send('/readyz')).status).toBe(200)
    const admin = await rawClient(url)
    const name = new URL(url).pathname.slice(1)
    const readOnly = async (to: 'on' | 'off') => {
      await admin.query(`alter database ${name} set default_transaction_read_only = ${to}`)
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()`,
      )
    }
    await readOnly('on')
    await vi.waitFor(async () => expect((await send('/readyz')).status).toBe(503), LATER)
    await admin.query('set default_transaction_read_only = off')
    await readOnly('off')
    await vi.waitFor(async () => expect((await send('/readyz')).status).toBe(200), LATER)
  },
  60_000,
)

promise(['CS-SERVE-10'], 'a file that takes no writes is not ready', async () => {
  const file = path.join(newFolder(), 'approvals.db')
  const store = await openSqlite(file, { busyFor: 50 })
  const { send } = running({ store })
  expect((await send('/readyz')).status).toBe(200)
  const other = new DatabaseSync(file)
  other.exec('begin immediate')
  await vi.waitFor(async () => expect((await send('/readyz')).status).toBe(503), LATER)
  other.exec('rollback')
  other.close()
  await vi.waitFor(async () => expect((await send('/readyz')).status).toBe(200), LATER)
})
