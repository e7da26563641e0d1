import { expect, vi } from 'vitest'
import { SCHEMA } from '../../src/store/postgres/admin/migrate.ts'
import { yes } from '../stores/crashable.ts'
import { openPostgres, rawClient } from '../stores/place.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'

vi.setConfig({ testTimeout: 30_000 })

/** As a newer release leaves it. */
async function migrated(url: string, besideOlder: boolean) {
  const client = await rawClient(url)
  await client.query(
    'insert into countersign.migrations (version, name, beside_older) select max(version) + 1, $1, $2 from countersign.migrations',
    ['next', besideOlder],
  )
}

promise(
  ['CS-UP-1'],
  'a server that runs stops when a newer release changes the schema under it',
  async () => {
    const url = await freshDatabase()
    const store = await openPostgres(url)
    const idle = await openPostgres(url)
    await yes(store)
    await migrated(url, true)
    await store.assertWritable()
    expect((await yes(store)).status).toBe('approved')
    await migrated(url, false)
    await expect(store.assertWritable()).rejects.toMatchObject({
      code: 'store_newer',
      message: expect.stringContaining(`schema ${SCHEMA + 2}`),
    })
    expect(store.lost.reason).toMatchObject({ code: 'store_newer' })
    await expect(yes(store)).rejects.toMatchObject({ code: 'store_newer' })
    // Without a question, too.
    await vi.waitFor(() => expect(idle.lost.aborted).toBe(true), { timeout: 10_000, interval: 50 })
    await expect(openPostgres(url)).rejects.toMatchObject({ code: 'store_newer' })
    await expect(openPostgres(url, { migrate: false })).rejects.toMatchObject({
      code: 'store_newer',
    })
  },
)
