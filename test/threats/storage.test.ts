import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { asking, claiming, deciding } from '../../src/testing/commands.ts'
import { newFolder, openPostgres, openSqlite, rawClient } from '../stores/place.ts'
import { freshDatabase } from '../support/postgres.ts'

/** A database of a real server whose catalog answers something else for one name. */
async function shadowing(sql: string): Promise<string> {
  const url = await freshDatabase()
  const client = await rawClient(url)
  await client.query(`create schema shadow; ${sql}`)
  const name = new URL(url).pathname.slice(1)
  await client.query(`alter database ${name} set search_path = shadow, pg_catalog, public`)
  return url
}

test('B10-08: a server that is a replica is refused', async () => {
  const url = await shadowing(
    'create function shadow.pg_is_in_recovery() returns boolean language sql as $$ select true $$',
  )
  await expect(openPostgres(url)).rejects.toMatchObject({
    code: 'store_unsafe',
    message: expect.stringContaining('standby'),
  })
})

test('B10-07: a primary whose replicas may lag is warned of', async () => {
  const url = await shadowing('create view shadow.pg_stat_replication as select 1 as pid')
  const { warnings } = await openPostgres(url)
  expect(warnings).toContainEqual(expect.stringContaining('a failover can lose decisions'))
})

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
