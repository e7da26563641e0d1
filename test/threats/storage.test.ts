import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { crashablePostgres } from '../../faults/postgres.ts'
import { asking, claiming, deciding } from '../../src/testing/commands.ts'
import { newFolder, openPostgres, openSqlite } from '../stores/place.ts'

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
