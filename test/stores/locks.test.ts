import { expect, vi } from 'vitest'
import { claiming } from '../../src/testing/commands.ts'
import { approved } from '../../src/testing/store-cases/expect.ts'
import { locking } from '../../src/testing/store-cases/lock.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { openPostgres, rawClient, WAITS_FOR_LOCK } from './place.ts'

/** Of an approval that it wrote a server knows everything; another one reads it first. */
const CLAIMERS: readonly [string][] = [['the server that asked'], ['another server']]

async function waitsForLock(claimer: string): Promise<void> {
  const url = await freshDatabase()
  const asker = await openPostgres(url)
  const approval = await approved(asker)
  const store = claimer === 'another server' ? await openPostgres(url) : asker
  const [setter, onlooker] = [await rawClient(url), await rawClient(url)]
  await setter.query('begin')
  await setter.query('select pg_advisory_xact_lock(hashtextextended($1, 4748))', [store.tenant])
  const claim = store.apply(approval.id, claiming(approval))
  claim.catch(() => {})
  await vi.waitFor(
    async () => expect((await onlooker.query(WAITS_FOR_LOCK)).rowCount).toBe(1),
    5_000,
  )
  const { changes } = locking({ approval: approval.id })
  const [{ kind, id, value } = { kind: '', id: '', value: null }] = changes
  await setter.query(
    `insert into countersign.records (tenant, kind, id, revision, at, value)
     values ($1, $2, $3, 1, 1, $4)`,
    [store.tenant, kind, id, JSON.stringify(value)],
  )
  await setter.query('commit')
  await expect(claim).rejects.toMatchObject({ code: 'locked' })
  expect((await store.get(approval.id))?.execution).toBeUndefined()
}

promise.each(
  ['CS-LOCK-2'],
  'a claim waits for a lock that is being set, and sees it',
  CLAIMERS,
  waitsForLock,
)

promise(['CS-LOCK-2'], 'a lock is set only when no claim is under way', async () => {
  const url = await freshDatabase()
  const store = await openPostgres(url)
  const [claimer, onlooker] = [await rawClient(url), await rawClient(url)]
  await claimer.query('begin')
  await claimer.query('select pg_advisory_xact_lock_shared(hashtextextended($1, 4748))', [
    store.tenant,
  ])
  let isSet = false
  const setting = store.amend(locking({ everything: true })).then((done) => {
    isSet = done
  })
  await vi.waitFor(
    async () => expect((await onlooker.query(WAITS_FOR_LOCK)).rowCount).toBe(1),
    5_000,
  )
  expect(isSet).toBe(false)
  await claimer.query('commit')
  await setting
  expect(isSet).toBe(true)
})
