import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import type { Amendment } from '../../src/store/engine/amendment.ts'
import type { Store } from '../../src/store/store.ts'
import { type Asking, asking, claiming, deciding } from '../../src/testing/commands.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { newFolder, openPostgres, openSqlite, rawClient } from './place.ts'

async function ask(store: Store, what: Asking = {}) {
  const request = asking({ tenant: store.tenant, ...what })
  return (await store.apply(request.id, request)).approval
}

/** One of each: asked, voted once of two, approved, claimed. */
async function fill(store: Store) {
  const asked = await ask(store)
  const voted = await ask(store, { yeses: 2 })
  await store.apply(voted.id, deciding(voted))
  const yes = await ask(store)
  const approved = (await store.apply(yes.id, deciding(yes))).approval
  const spent = await ask(store)
  const claimed = (await store.apply(spent.id, deciding(spent))).approval
  await store.apply(spent.id, claiming(claimed))
  return { asked, voted, approved, spent }
}

async function states(store: Store, made: Awaited<ReturnType<typeof fill>>) {
  const found = await Promise.all(Object.values(made).map(({ id }) => store.get(id)))
  return found.map((one) =>
    [one?.status, one?.reason, one?.execution?.state].filter(Boolean).join(' '),
  )
}

const UNTOUCHED = ['pending', 'pending', 'approved', 'approved running']
const ENDED = ['pending', 'invalidated restored', 'invalidated restored', 'approved running']

function places() {
  const folder = newFolder()
  return { file: path.join(folder, 'approvals.db'), head: path.join(folder, 'head.json'), folder }
}

test('a database that is opened again is what it was', async () => {
  const { file, head } = places()
  const first = await openSqlite(file, { head })
  const made = await fill(first)
  await first.close()
  const second = await openSqlite(file, { head })
  expect(second.quarantine).toBeUndefined()
  expect(await states(second, made)).toEqual(UNTOUCHED)
})

test('a moved file is the same database', async () => {
  const { file, head, folder } = places()
  const first = await openSqlite(file, { head })
  const made = await fill(first)
  await first.close()
  const moved = path.join(folder, 'moved.db')
  renameSync(file, moved)
  const second = await openSqlite(moved, { head })
  expect(second.quarantine).toBeUndefined()
  expect(await states(second, made)).toEqual(UNTOUCHED)
})

test('a copied file is quarantined, and every yes in it ends', async () => {
  const { file, folder } = places()
  const first = await openSqlite(file)
  const made = await fill(first)
  await first.close()
  const copy = path.join(folder, 'copy.db')
  copyFileSync(file, copy)
  const second = await openSqlite(copy)
  expect(second.quarantine).toMatchObject({ reason: 'copied' })
  expect(await states(second, made)).toEqual(ENDED)
  const opening = (await second.eventsSince('start', 1_000)).entries.find(
    ({ writer }) => writer === second.instance,
  )
  expect(opening?.event).toMatchObject({ type: 'chain.started', code: 'copied' })
  await second.close()

  const third = await openSqlite(copy)
  const yes = await ask(third)
  await third.apply(yes.id, deciding(yes))
  await third.close()
  const fourth = await openSqlite(copy)
  expect((await fourth.get(yes.id))?.status).toBe('approved')
  const original = await openSqlite(file)
  expect(await states(original, made)).toEqual(UNTOUCHED)
})

test('a backup put back over the file is quarantined, and what was spent stays spent', async () => {
  const { file, head, folder } = places()
  const first = await openSqlite(file, { head })
  const made = await fill(first)
  await first.close()
  const backup = path.join(folder, 'backup.db')
  copyFileSync(file, backup)

  const second = await openSqlite(file, { head })
  await second.apply(made.approved.id, claiming(made.approved))
  await second.close()
  // Written into the same file, so that nothing but the missing events gives it away.
  writeFileSync(file, readFileSync(backup))

  const third = await openSqlite(file, { head })
  expect(third.quarantine).toMatchObject({ reason: 'restored' })
  expect(await states(third, made)).toEqual(ENDED)
  await expect(third.apply(made.approved.id, claiming(made.approved))).rejects.toMatchObject({
    code: 'invalidated',
  })
})

test('a backup put back in place of the file is quarantined', async () => {
  const { file, folder } = places()
  const first = await openSqlite(file)
  const made = await fill(first)
  await first.close()
  copyFileSync(file, path.join(folder, 'backup.db'))
  rmSync(file)
  renameSync(path.join(folder, 'backup.db'), file)
  const second = await openSqlite(file)
  expect(second.quarantine).toMatchObject({ reason: 'copied' })
  expect(await states(second, made)).toEqual(ENDED)
})

test.each([
  ['is gone', (head: string) => rmSync(head), 'head_missing'],
  ['cannot be read', (head: string) => writeFileSync(head, '{"version":1'), 'head_unreadable'],
  ['is another kind of file', (head: string) => writeFileSync(head, '[]'), 'head_unreadable'],
])('a head file that %s is no proof of anything', async (_, damage, reason) => {
  const { file, head } = places()
  const first = await openSqlite(file, { head })
  await fill(first)
  await first.close()
  damage(head)
  const second = await openSqlite(file, { head })
  expect(second.quarantine).toMatchObject({ reason })
})

test('a head file serves several databases', async () => {
  const { file, head, folder } = places()
  const other = path.join(folder, 'other.db')
  for (const one of [file, other, file, other]) {
    const store = await openSqlite(one, { head })
    expect(store.quarantine).toBeUndefined()
    await ask(store)
    await store.close()
  }
})

test('a quarantine that a crash interrupted is finished by the next one', async () => {
  const { file } = places()
  const first = await openSqlite(file)
  const made = await fill(first)
  await first.close()
  const db = new DatabaseSync(file)
  db.exec("insert into quarantines (tenant, at, reason) values ('default', 1, 'copied')")
  db.close()
  const second = await openSqlite(file)
  expect(await states(second, made)).toEqual(ENDED)
})

test('tenants of a copied database are all quarantined, each when it opens', async () => {
  const { file, folder } = places()
  const made = new Map<string, Awaited<ReturnType<typeof fill>>>()
  for (const tenant of ['one', 'two']) {
    const store = await openSqlite(file, { tenant })
    made.set(tenant, await fill(store))
    await store.close()
  }
  const copy = path.join(folder, 'copy.db')
  copyFileSync(file, copy)
  for (const [tenant, approvals] of made) {
    const store = await openSqlite(copy, { tenant })
    expect(await states(store, approvals)).toEqual(ENDED)
    await store.close()
  }
})

test('a copied Postgres database is quarantined', async () => {
  const url = await freshDatabase()
  const first = await openPostgres(url)
  const made = await fill(first)
  await first.close()
  const name = new URL(url).pathname.slice(1)
  const admin = await rawClient(Object.assign(new URL(url), { pathname: '/postgres' }).href)
  await admin.query(`create database ${name}_copy template ${name}`)
  const copy = Object.assign(new URL(url), { pathname: `/${name}_copy` }).href
  const second = await openPostgres(copy)
  expect(second.quarantine).toMatchObject({ reason: 'copied' })
  expect(await states(second, made)).toEqual(ENDED)
  await second.close()
  const third = await openPostgres(copy)
  expect(await states(third, made)).toEqual(ENDED)
})

const switching = (id: string, on: boolean): Amendment => ({
  commandId: crypto.randomUUID(),
  event: { type: 'switch.set', by: { system: 'operator' }, facts: { server: 'mail', on } },
  changes: [{ kind: 'switch', id, value: { on, by: { issuer: 'local', subject: 'root' } } }],
})

/** One that lowers, one that asks, and one that nobody can read. */
async function switchAll(store: Store) {
  await store.amend(switching('mail/send', false))
  await store.amend(switching('mail', true))
  await store.records.put('switch', 'mail/odd', 'what?')
}

async function switchedIn(store: Store) {
  const { records } = await store.records.list('switch')
  const { entries } = await store.eventsSince('start', 1_000)
  const cleared = entries.flatMap(({ event }) => (event.type === 'switch.cleared' ? [event] : []))
  return { left: records.map(({ id }) => id), cleared }
}

const CLEARED = {
  left: ['mail', 'mail/odd'],
  cleared: [{ by: { system: 'gate' }, facts: { server: 'mail', tool: 'send', code: 'restored' } }],
}

promise(['CS-SWITCH-6'], 'a copy has nothing switched off, and says so once', async () => {
  const { file, folder } = places()
  const first = await openSqlite(file)
  await switchAll(first)
  await first.close()
  const again = await openSqlite(file)
  expect(await switchedIn(again)).toEqual({ left: ['mail', 'mail/odd', 'mail/send'], cleared: [] })
  await again.close()
  const copy = path.join(folder, 'copy.db')
  copyFileSync(file, copy)
  const second = await openSqlite(copy)
  expect(await switchedIn(second)).toMatchObject(CLEARED)
  await second.amend(switching('mail/send', false))
  await second.close()
  const third = await openSqlite(copy)
  expect((await switchedIn(third)).left).toContain('mail/send')
})

promise(['CS-SWITCH-6'], 'a copied Postgres database has nothing switched off', async () => {
  const url = await freshDatabase()
  const first = await openPostgres(url)
  await switchAll(first)
  await first.close()
  const name = new URL(url).pathname.slice(1)
  const admin = await rawClient(Object.assign(new URL(url), { pathname: '/postgres' }).href)
  await admin.query(`create database ${name}_copy template ${name}`)
  const copy = Object.assign(new URL(url), { pathname: `/${name}_copy` }).href
  const second = await openPostgres(copy)
  // A transaction of another test holds the feed back while it goes on.
  await expect.poll(() => switchedIn(second), { timeout: 30_000 }).toMatchObject(CLEARED)
})

test('a Postgres database that lost events is quarantined', async () => {
  const { head } = places()
  const url = await freshDatabase()
  const first = await openPostgres(url, { head })
  const made = await fill(first)
  const later = await ask(first)
  await first.close()
  const second = await openPostgres(url, { head })
  expect(second.quarantine).toBeUndefined()
  await second.close()

  const admin = await rawClient(url)
  await admin.query('set session_replication_role = replica')
  await admin.query('delete from countersign.events where approval = $1', [later.id])
  const third = await openPostgres(url, { head })
  expect(third.quarantine).toMatchObject({ reason: 'restored' })
  expect(await states(third, made)).toEqual(ENDED)
})
