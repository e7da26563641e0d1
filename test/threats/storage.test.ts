import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { crashablePostgres } from '../../faults/nemeses/crashable-postgres.ts'
import { asking, claiming, deciding } from '../../src/testing/commands.ts'
import { newFolder, openPostgres, openSqlite, rawClient } from '../stores/place.ts'
import { freshDatabase } from '../support/postgres.ts'

test('B10-07, B10-08: a replica is refused, and a primary whose replica may lag is warned of', async () => {
  const server = await crashablePostgres()
  onTestFinished(() => server.stop())
  const url = await server.newDatabase()
  await (await openPostgres(url)).close()
  const standby = await server.addStandby()
  onTestFinished(() => standby.stop())
  const there = url.replace(String(server.port), new URL(standby.url).port)
  await expect(openPostgres(there)).rejects.toMatchObject({
    code: 'store_unsafe',
    message: expect.stringContaining('standby'),
  })
  await expect
    .poll(async () => (await openPostgres(url)).warnings)
    .toContainEqual(expect.stringContaining('a failover can lose decisions'))
}, 120_000)

test('B10-16: no changed byte of a stored yes lets a call start', async () => {
  const file = path.join(newFolder(), 'approvals.db')
  const store = await openSqlite(file)
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  const yes = (await store.apply(approval.id, deciding(approval))).approval
  await store.close()
  const db = new DatabaseSync(file)
  onTestFinished(() => db.close())
  for (const { name } of db
    .prepare("select name from sqlite_schema where type = 'trigger' and tbl_name = 'approvals'")
    .all()) {
    db.exec(`drop trigger ${name}`)
  }
  const { body } = db.prepare('select body from approvals').get() as { body: string }
  const write = db.prepare('update approvals set body = ?')
  const again = await openSqlite(file)
  for (let at = 0; at < body.length; at += 1) {
    const flipped = String.fromCharCode(body.charCodeAt(at) ^ (1 << (at % 7)))
    write.run(body.slice(0, at) + flipped + body.slice(at + 1))
    await expect(again.get(yes.id), `byte ${at}`).rejects.toMatchObject({ code: 'store_damaged' })
  }
  await expect(again.apply(yes.id, claiming(yes))).rejects.toMatchObject({ code: 'store_damaged' })
  write.run(body)
  expect(await again.get(yes.id)).toMatchObject({ status: 'approved' })
}, 60_000)

test('B10-16: on Postgres, too, a changed byte of a stored yes lets no call start', async () => {
  const url = await freshDatabase()
  const store = await openPostgres(url)
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  const yes = (await store.apply(approval.id, deciding(approval))).approval
  const db = await rawClient(url)
  await db.query('alter table countersign.approvals disable trigger user')
  const { rows } = await db.query('select body::text as body from countersign.approvals')
  const body = String(rows[0]?.body)
  for (let at = 0; at < body.length; at += 7) {
    // Another digit or letter in its place: what is no JSON any more, Postgres itself refuses.
    const here = body.charAt(at)
    if (!/[0-9a-f]/.test(here)) continue
    const other = here === '1' ? '2' : /[0-9]/.test(here) ? '1' : here === 'a' ? 'b' : 'a'
    const changed = body.slice(0, at) + other + body.slice(at + 1)
    const written = await db
      .query('update countersign.approvals set body = $1', [changed])
      .catch(() => undefined)
    if (!written) continue
    await expect(store.get(yes.id), `byte ${at}`).rejects.toMatchObject({ code: 'store_damaged' })
  }
  await expect(store.apply(yes.id, claiming(yes))).rejects.toMatchObject({ code: 'store_damaged' })
  await db.query('update countersign.approvals set body = $1', [body])
  expect(await store.get(yes.id)).toMatchObject({ status: 'approved' })
}, 60_000)

test.each(['SQLite', 'Postgres'])(
  'B11-03: where the record alone cannot be written, nothing changes: %s',
  async (kind) => {
    const file = path.join(newFolder(), 'approvals.db')
    const url = kind === 'SQLite' ? '' : await freshDatabase()
    const store = url === '' ? await openSqlite(file) : await openPostgres(url)
    const request = asking()
    const { approval } = await store.apply(request.id, request)
    const allow = url === '' ? refuseEventsInFile(file) : await refuseEventsIn(url)
    await expect(store.apply(approval.id, deciding(approval))).rejects.toThrow()
    expect(await store.get(approval.id)).toEqual(approval)
    await allow()
    const { approval: yes } = await store.apply(approval.id, deciding(approval))
    expect(yes.status).toBe('approved')
  },
  60_000,
)

function refuseEventsInFile(file: string): () => void {
  const db = new DatabaseSync(file)
  onTestFinished(() => db.close())
  db.exec(
    "create trigger refused before insert on events begin select raise(abort, 'no record'); end",
  )
  return () => db.exec('drop trigger refused')
}

async function refuseEventsIn(url: string): Promise<() => Promise<unknown>> {
  const db = await rawClient(url)
  await db.query(`create function countersign.refused() returns trigger language plpgsql
    as $$ begin raise exception 'no record'; end $$`)
  await db.query(`create trigger refused before insert on countersign.events
    for each row execute function countersign.refused()`)
  return () => db.query('drop trigger refused on countersign.events')
}
