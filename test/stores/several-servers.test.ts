import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'
import { asking, claiming, deciding } from '../../src/testing/commands.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { newFolder, openPostgres, rawClient } from './place.ts'

/** A place for head.json of its own, as each server has one. */
function headIn(folder: string, name: string): string {
  const own = path.join(folder, name)
  mkdirSync(own)
  return path.join(own, 'head.json')
}

async function yes(store: Store) {
  const request = asking({ tenant: store.tenant })
  const { approval } = await store.apply(request.id, request)
  return (await store.apply(approval.id, deciding(approval))).approval
}

const statusOf = async (store: Store, { id }: { id: string }) => (await store.get(id))?.status

async function quarantines(url: string): Promise<string[]> {
  const client = await rawClient(url)
  const { rows } = await client.query('select reason from countersign.quarantines order by at')
  return rows.map(({ reason }) => reason)
}

async function copyOf(url: string): Promise<string> {
  const name = new URL(url).pathname.slice(1)
  const admin = await rawClient(Object.assign(new URL(url), { pathname: '/postgres' }).href)
  await admin.query(`create database ${name}_old template ${name}`)
  return Object.assign(new URL(url), { pathname: `/${name}_old` }).href
}

promise(
  ['CS-HA-1'],
  'servers that come, go and come back with folders of their own void no yes',
  async () => {
    const url = await freshDatabase()
    const folder = newFolder()
    const heads = ['one', 'two', 'three'].map((name) => headIn(folder, name))
    const servers = await Promise.all(heads.map((head) => openPostgres(url, { head })))
    for (const server of servers) await yes(server)
    const [first] = servers
    if (!first) throw new Error('no server')
    const unused = await yes(first)
    const { cursor } = await first.eventsSince('start', 1_000)
    for (const [index, server] of servers.entries()) {
      if (index === 0) continue
      await server.close()
      const head = heads[index]
      if (head === undefined) throw new Error('no head')
      const again = await openPostgres(url, { head })
      expect(again.quarantine).toBeUndefined()
      expect(again.vault.database).toBe(first.vault.database)
      await again.eventsSince(cursor)
    }
    // A new pod, a container without a volume that starts twice, and a command from a laptop.
    for (const name of ['pod', 'bare', 'bare-again', 'laptop']) {
      const other = await openPostgres(url, { head: headIn(folder, name) })
      expect(other.quarantine).toBeUndefined()
      await yes(other)
      await other.close()
    }
    expect(await quarantines(url)).toEqual([])
    await first.eventsSince(cursor)
    expect((await first.apply(unused.id, claiming(unused))).approval.execution?.state).toBe(
      'running',
    )
  },
)

promise(
  ['CS-HA-2'],
  'a backup put back is noticed by whichever server knew more, once for all of them',
  async () => {
    const url = await freshDatabase()
    const folder = newFolder()
    const [one, two] = [headIn(folder, 'one'), headIn(folder, 'two')]
    const first = await openPostgres(url, { head: one })
    const second = await openPostgres(url, { head: two })
    const unused = await yes(first)
    await yes(second)
    await first.close()
    // Only the second writes after the backup.
    const backup = await rawClient(url)
    const { rows } = await backup.query('select max(position) as last from countersign.events')
    await second.apply(unused.id, claiming(unused))
    await second.close()
    await backup.query('set session_replication_role = replica')
    await backup.query('delete from countersign.events where position > $1', [rows[0].last])
    await backup.query(
      'update countersign.approvals set execution = null, revision = revision where id = $1',
      [unused.id],
    )
    // The first sees nothing missing; the second does, and that holds for everybody.
    const again = await openPostgres(url, { head: two })
    expect(again.quarantine).toMatchObject({ reason: 'restored' })
    const other = await openPostgres(url, { head: one })
    const fresh = await openPostgres(url, { head: headIn(folder, 'new') })
    expect(new Set([again, other, fresh].map((store) => store.vault.database)).size).toBe(1)
    expect(await quarantines(url)).toEqual(['restored'])
    const later = await yes(other)
    await Promise.all([again.close(), other.close(), fresh.close()])
    for (const head of [one, two]) {
      const last = await openPostgres(url, { head })
      expect(await statusOf(last, later)).toBe('approved')
    }
    expect(await quarantines(url)).toEqual(['restored'])
  },
)

promise(['CS-HA-2'], 'a copy is a copy, also to a server without a head', async () => {
  const url = await freshDatabase()
  const folder = newFolder()
  const first = await openPostgres(url, { head: headIn(folder, 'one') })
  const unused = await yes(first)
  await first.close()
  const copy = await copyOf(url)
  const stranger = await openPostgres(copy, { head: headIn(folder, 'two') })
  expect(stranger.quarantine).toMatchObject({ reason: 'copied' })
  expect(await statusOf(stranger, unused)).toBe('invalidated')
})

promise(['CS-HA-2'], 'tables dropped and restored in place are a copy', async () => {
  const url = await freshDatabase()
  const folder = newFolder()
  const first = await openPostgres(url, { head: headIn(folder, 'one') })
  await yes(first)
  await first.close()
  const admin = await rawClient(url)
  // What `pg_restore --clean` does to each table.
  await admin.query(`
    create table public.kept as select * from countersign.identity;
    drop table countersign.identity;
    create table countersign.identity (like public.kept);
    insert into countersign.identity select * from public.kept`)
  const second = await openPostgres(url, { head: headIn(folder, 'two') })
  expect(second.quarantine).toMatchObject({ reason: 'copied' })
})

promise(['CS-HA-1'], 'tenants of one program keep their heads in one file', async () => {
  const url = await freshDatabase()
  const head = headIn(newFolder(), 'one')
  const tenants = Array.from({ length: 8 }, (_, nth) => `tenant-${nth}`)
  const stores = await Promise.all(tenants.map((tenant) => openPostgres(url, { head, tenant })))
  await Promise.all(stores.map(yes))
  // Each writes the file once more.
  await Promise.all(stores.map((store) => store.close()))
  for (const tenant of tenants) {
    const again = await openPostgres(url, { head, tenant })
    expect(again.quarantine).toBeUndefined()
    await again.close()
  }
})

test('a known folder that lost its head.json is no proof of anything', async () => {
  const url = await freshDatabase()
  const head = headIn(newFolder(), 'one')
  const first = await openPostgres(url, { head })
  await yes(first)
  await first.close()
  rmSync(head)
  expect((await openPostgres(url, { head })).quarantine).toMatchObject({ reason: 'head_missing' })
})

test('a folder whose head.json is damaged is no proof of anything', async () => {
  const url = await freshDatabase()
  const head = headIn(newFolder(), 'one')
  const first = await openPostgres(url, { head })
  await yes(first)
  await first.close()
  writeFileSync(head, '{')
  expect((await openPostgres(url, { head })).quarantine).toMatchObject({
    reason: 'head_unreadable',
  })
})

promise(['CS-HA-1'], 'a role without any special rights is enough', async () => {
  const url = await freshDatabase()
  const name = new URL(url).pathname.slice(1)
  const admin = await rawClient(url)
  await admin.query(
    `create role app_${name} login; grant create on database ${name} to app_${name}`,
  )
  const own = Object.assign(new URL(url), { username: `app_${name}` }).href
  const store = await openPostgres(own, { head: headIn(newFolder(), 'one') })
  const unused = await yes(store)
  await store.assertWritable()
  expect(await statusOf(store, unused)).toBe('approved')
  expect(store.lost.aborted).toBe(false)
})
