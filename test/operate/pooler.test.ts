import { expect, onTestFinished, test, vi } from 'vitest'
import { checkDatabase } from '../../src/store/postgres/admin/check.ts'
import { asking, claiming, deciding } from '../../src/testing/commands.ts'
import { openPostgres, rawClient } from '../stores/place.ts'
import { hasPgBouncer, startPgBouncer } from '../support/pgbouncer.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'

vi.setConfig({ testTimeout: 60_000 })

async function pooled() {
  const url = await freshDatabase()
  const { url: through, stop } = await startPgBouncer(url)
  onTestFinished(stop)
  return { url, through }
}

/** Asks here, decides there, claims here: what two servers do. */
async function oneCall(url: string, options: { direct?: string }) {
  const [here, there] = [await openPostgres(url, options), await openPostgres(url, options)]
  const done = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const request = asking()
      const { approval } = await here.apply(request.id, request)
      const waiting = here.waitFor(approval.id, approval.revision)
      await there.apply(approval.id, deciding(approval))
      const decided = await waiting
      const claims = await Promise.allSettled([
        here.apply(approval.id, claiming(decided)),
        there.apply(approval.id, claiming(decided)),
      ])
      return claims.filter(({ status }) => status === 'fulfilled').length
    }),
  )
  expect(done).toEqual(done.map(() => 1))
  return { here, there }
}

const isListening = async (url: string) => {
  const client = await rawClient(url)
  const { rows } = await client.query(
    "select 1 from pg_stat_activity where query = 'listen countersign' and datname = current_database()",
  )
  return rows.length
}

test.runIf(hasPgBouncer)(
  'behind PgBouncer in transaction mode two servers work, look instead of listening, and say so',
  async () => {
    const { url, through } = await pooled()
    const { here } = await oneCall(through, {})
    expect(here.warnings.join()).toContain('COUNTERSIGN_DB_DIRECT')
    // What one client listens to, another would hear.
    expect(await isListening(url)).toBe(0)
    expect(await checkDatabase(through)).toMatchObject({ isPooled: true, direct: undefined })
  },
)

test.runIf(hasPgBouncer)('an address past PgBouncer is listened at', async () => {
  const { url, through } = await pooled()
  const { here } = await oneCall(through, { direct: url })
  expect(here.warnings.join()).not.toContain('pooler')
  // Of the two only one has a caller that waits.
  expect(await isListening(url)).toBe(1)
  expect(await checkDatabase(through, url)).toMatchObject({ isPooled: true, direct: 'same' })
})

promise(['CS-PG-3'], 'an address that leads to another database is not listened at', async () => {
  const [url, other] = [await freshDatabase(), await freshDatabase()]
  await (await openPostgres(other)).close()
  await oneCall(url, { direct: other })
  expect(await isListening(other)).toBe(0)
  expect((await checkDatabase(url, other)).direct).toBe('other')
  expect((await checkDatabase(url, 'postgres://x@127.0.0.1:1/x')).direct).toBe('unreachable')
  expect(await checkDatabase(url, url)).toMatchObject({ isPooled: false, direct: 'same' })
})
