import type { Pool } from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openPostgres } from '../../../test/stores/place.ts'
import { freshDatabase } from '../../../test/support/postgres.ts'
import { asking, deciding } from '../../testing/commands.ts'
import { createChanges } from '../engine/changes.ts'
import { loadDriver } from './connect.ts'
import { listen } from './listen.ts'
import { createRecentWrites } from './recent.ts'

test('a change that could not be read when it was seen is told once it can be', async () => {
  const url = await freshDatabase()
  const writer = await openPostgres(url)
  const request = asking()
  const { approval } = await writer.apply(request.id, request)
  const driver = await loadDriver(url)
  onTestFinished(() => driver.pool.end())
  let failed = 0
  const query = (text: string, values: unknown[]) => {
    if (failed === 3 || !/^select id, body, seal/.test(text)) return driver.pool.query(text, values)
    failed += 1
    return Promise.reject(new Error('Connection terminated'))
  }
  const changes = createChanges(
    async () => approval,
    () => listening.start(),
  )
  const listening = listen({
    driver: { ...driver, pool: { query } as unknown as Pool },
    changes,
    recent: createRecentWrites(),
    tenant: 'default',
    instance: 'another',
    isPooled: false,
    place: '',
  })
  onTestFinished(() => listening.close())
  const told = changes.waitFor(approval.id, approval.revision)
  // At the first look; then by the notification, and by the poll that sees the change.
  await expect.poll(() => failed, { timeout: 5_000 }).toBe(1)
  await writer.apply(approval.id, deciding(approval))
  await expect.poll(() => failed, { timeout: 5_000 }).toBe(3)
  await expect(told).resolves.toMatchObject({ id: approval.id, status: 'approved' })
}, 20_000)
