import { createECDH, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { openPush } from '../../src/app/push.ts'
import { openSigner } from '../../src/gate/proof/keys.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { DEVICE_RECORD, devicesOf } from '../../src/store/records/device-record.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'

const OPEN: Readonly<Record<string, (tenant?: string) => Promise<Store>>> = {
  memory: async () => memoryStore(),
  async sqlite() {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-push-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    return openSqlite(path.join(folder, 'a.db'))
  },
  postgres: async () => openPostgres(await freshDatabase()),
}

async function machine(store: Store) {
  const keys = memoryKeys()
  await openSigner({ store, keys })
  const said: string[] = []
  const report = (line: string) => void said.push(line)
  const open = (newKey = false) =>
    openPush({ store, keys, options: { newKey }, home: () => undefined, report })
  return { open, said }
}

const person = { issuer: 'local', subject: 'ana@example.com' }

function deviceOf(owner: typeof person) {
  const p256dh = createECDH('prime256v1').generateKeys('base64url')
  const auth = randomBytes(16).toString('base64url')
  const about = { session: 's', key: 'k', renewal: 'r', name: 'Phone', at: 0 }
  return { ...about, person: owner, endpoint: 'https://push.example/1', p256dh, auth }
}

promise.each(
  ['CS-PUSH-1'],
  'a database has one key for push messages, which no copy of the database gives away',
  Object.keys(OPEN).map((name): [string] => [name]),
  async (name) => {
    const store = await (OPEN[name] ?? OPEN.memory)?.()
    if (!store) throw new Error('no store')
    onTestFinished(() => store.close())
    const own = await machine(store)
    // Two processes that start at once, and one that starts later.
    const [one, two] = await Promise.all([own.open(), own.open()])
    const later = await own.open()
    expect(new Set([one, two, later].map((push) => push?.publicKey)).size).toBe(1)
    const record = await store.records.get('push-key', 'vapid')
    expect(Object.keys(record?.value as object).sort()).toEqual(['publicKey', 'sealed'])

    const other = await machine(store)
    expect(await other.open()).toBeUndefined()
    // With no device turned on, no person misses a message.
    expect(other.said).toEqual([])
    await store.records.put(DEVICE_RECORD, 'd1', deviceOf(person))
    expect(await other.open()).toBeUndefined()
    expect(other.said).toEqual([
      'push messages are off: their key was sealed with keys of another machine',
    ])
    const made = await other.open(true)
    expect(made?.publicKey).not.toBe(one?.publicKey)
    expect((await other.open())?.publicKey).toBe(made?.publicKey)
  },
  30_000,
)

promise(['CS-PUSH-2'], 'tenants of one database have devices and keys of their own', async () => {
  const url = await freshDatabase()
  const [acme, bravo] = [
    await openPostgres(url, { tenant: 'acme' }),
    await openPostgres(url, { tenant: 'bravo' }),
  ]
  onTestFinished(async () => {
    await acme.close()
    await bravo.close()
  })
  await acme.records.put(DEVICE_RECORD, 'd1', deviceOf(person))
  expect((await devicesOf(acme.records, [person])).length).toBe(1)
  expect(await devicesOf(bravo.records, [person])).toEqual([])
  const ours = await (await machine(acme)).open()
  const theirs = await (await machine(bravo)).open()
  expect(theirs?.publicKey).not.toBe(ours?.publicKey)
  const people = [{ ...person, groups: [] }]
  const addresses = (push: typeof ours) => push?.channel.addresses?.({} as never, people)
  expect((await addresses(ours))?.length).toBe(1)
  expect(await addresses(theirs)).toEqual([])
})
