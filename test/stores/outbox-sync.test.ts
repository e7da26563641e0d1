import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, vi } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { asking, deciding } from '../../src/testing/commands.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { newFolder, openPostgres, openSqlite, rawClient } from './place.ts'

/*
 * Taking a notice and settling it wait for no disk: what a power cut undoes is sent once more. A
 * decision waits for it, also right after them.
 */

async function tellOne(store: Store): Promise<void> {
  const [taken] = await store.outbox.take(['hook'], { limit: 1, lease: 60_000 })
  if (!taken) throw new Error('nothing is due')
  expect(await store.outbox.settle(taken, { end: 'done' })).toBe(true)
}

/** Every statement that ends a transaction of this process, with the level of its syncs. */
function levels(): { readonly seen: string[] } {
  const seen: string[] = []
  const { prepare } = DatabaseSync.prototype
  const spy = vi.spyOn(DatabaseSync.prototype, 'prepare')
  spy.mockImplementation(function (this: DatabaseSync, sql: string) {
    const statement = prepare.call(this, sql)
    if (sql !== 'commit') return statement
    const run = statement.run.bind(statement)
    const level = prepare.call(this, 'pragma synchronous')
    statement.run = () => {
      const { synchronous } = level.get() as { synchronous: number }
      seen.push(synchronous === 2 ? 'synced' : 'unsynced')
      return run()
    }
    return statement
  })
  onTestFinished(() => spy.mockRestore())
  return { seen }
}

/** Every transaction of this process that writes fails at its end, as on a disk that fails a sync. */
function failingSyncs(): { isFailing: boolean } {
  const disk = { isFailing: false }
  let isWriting = false
  const { prepare } = DatabaseSync.prototype
  const spy = vi.spyOn(DatabaseSync.prototype, 'prepare')
  spy.mockImplementation(function (this: DatabaseSync, sql: string) {
    const statement = prepare.call(this, sql)
    if (!['begin', 'begin immediate', 'commit'].includes(sql)) return statement
    const run = statement.run.bind(statement)
    statement.run = () => {
      if (sql !== 'commit') isWriting = sql === 'begin immediate'
      else if (disk.isFailing && isWriting) {
        throw Object.assign(new Error('disk I/O error'), { errcode: IOERR_FSYNC })
      }
      return run()
    }
    return statement
  })
  onTestFinished(() => spy.mockRestore())
  return disk
}

const IOERR_FSYNC = 10 | (4 << 8)

promise(['CS-TOLD-1'], 'SQLite decides nothing after a sync failed, for a notice too', async () => {
  const disk = failingSyncs()
  const store = await openSqlite(path.join(newFolder(), 'approvals.db'))
  await store.outbox.open('hook')
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  const [taken] = await store.outbox.take(['hook'], { limit: 1, lease: 60_000 })
  if (!taken) throw new Error('nothing is due')
  disk.isFailing = true
  const later = { end: 'later', after: 1, problem: 'away' } as const
  await expect(store.outbox.settle(taken, later)).rejects.toThrow('disk I/O error')
  // The next sync would succeed without what was lost.
  disk.isFailing = false
  await expect(store.apply(approval.id, deciding(approval))).rejects.toMatchObject({
    code: 'outcome_unknown',
  })
})

promise(['CS-TOLD-1'], 'SQLite syncs decisions, and not what became of a notice', async () => {
  const { seen } = levels()
  const store = await openSqlite(path.join(newFolder(), 'approvals.db'))
  await store.outbox.open('hook')
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  seen.length = 0
  await tellOne(store)
  expect(seen.filter((one) => one === 'unsynced')).toHaveLength(2)
  seen.length = 0
  await store.apply(approval.id, deciding(approval))
  expect(seen).toContain('synced')
  expect(seen).not.toContain('unsynced')
})

promise(['CS-TOLD-1'], 'Postgres syncs decisions, and not what became of a notice', async () => {
  const url = await freshDatabase()
  const store = await openPostgres(url)
  await store.outbox.open('hook')
  const client = await rawClient(url)
  await client.query(`
    create table levels (at text, level text);
    create function note_level() returns trigger language plpgsql as $$
    begin
      insert into levels values (lower(tg_op), current_setting('synchronous_commit'));
      return null;
    end $$;
    create trigger levels after insert or update or delete on countersign.notices
      for each row execute function note_level()`)
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  await tellOne(store)
  await store.apply(approval.id, deciding(approval))
  const { rows } = await client.query('select at, level from levels')
  expect(rows).toEqual([
    { at: 'insert', level: 'on' },
    { at: 'update', level: 'off' },
    { at: 'delete', level: 'off' },
    { at: 'insert', level: 'on' },
  ])
})
