import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { describe, expect } from 'vitest'
import { createConversations } from '../../src/chat/conversations.ts'
import { createKeptServers } from '../../src/chat/kept-servers.ts'
import { memoryKeys } from '../../src/store/audit/key-folder.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { CHAT_PIECE_RECORD } from '../../src/store/records/chat-records.ts'
import { allRecords } from '../../src/store/records.ts'
import { createSecretBox } from '../../src/store/secret-box.ts'
import type { Store } from '../../src/store/store.ts'
import type { KeyFolder } from '../../src/store/vault.ts'
import { createStudio } from '../../src/studio/studio.ts'
import { storedKeys } from '../../src/studio/tools/studio-store.ts'
import { newFolder, openPostgres, openSqlite } from '../stores/place.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { SPEC } from './world.ts'

const OTTO = { issuer: 'local', subject: 'otto@example.com' }
const ADA = { issuer: 'local', subject: 'ada@example.com' }
const SECRET = 'a-secret-that-no-table-may-show'

/** Two servers on one database, except in memory: there it is one. */
const STORES: Readonly<Record<string, () => Promise<readonly [Store, Store]>>> = {
  async memory() {
    const store = memoryStore()
    return [store, store]
  },
  async sqlite() {
    const file = path.join(newFolder(), 'countersign.db')
    return [await openSqlite(file), await openSqlite(file)]
  },
  async postgres() {
    const url = await freshDatabase()
    return [await openPostgres(url), await openPostgres(url)]
  },
}

describe.each(Object.entries(STORES))('on the %s store', (_, open) => {
  async function studios() {
    const [here, there] = await open()
    const keys = await machineKeys()
    const [one, two] = [createStudio({ store: here, keys }), createStudio({ store: there, keys })]
    return { here, there, keys, one, two }
  }

  promise(
    ['CS-STUDIO-9', 'CS-STUDIO-14'],
    'a draft is saved over what its author saw, and over nothing else',
    async () => {
      const { one, two } = await studios()
      const first = await one.saveDraft('add', SPEC, OTTO, 'absent')
      const source = `// 😀 \u0000\n${SPEC.source}\n${'// padding\n'.repeat(1_000)}`
      const again = two.saveDraft('add', { ...SPEC, source }, ADA, 'absent')
      await expect(again).rejects.toMatchObject({ code: 'call_changed' })
      const second = await two.saveDraft('add', { ...SPEC, source }, ADA, first.revision)
      await expect(one.saveDraft('add', SPEC, OTTO, first.revision)).rejects.toMatchObject({
        code: 'call_changed',
      })
      expect(await one.kept.draft('add')).toEqual(second)
      expect(second).toMatchObject({ by: ADA, spec: { source } })
      await one.saveDraft('aa', SPEC, OTTO, 'absent')
      await one.saveDraft('a_b', SPEC, OTTO, 'absent')
      expect((await two.kept.drafts()).map(({ name }) => name)).toEqual(['a_b', 'aa', 'add'])
    },
  )

  promise(
    ['CS-STUDIO-6', 'CS-STUDIO-7', 'CS-STUDIO-14'],
    'of two people who publish at once one succeeds; every server serves that version, and versions stay',
    async () => {
      const { one, two } = await studios()
      const { revision } = await one.saveDraft('add', SPEC, OTTO, 'absent')
      const both = await Promise.allSettled([
        one.publish('add', OTTO, { revision }),
        two.publish('add', ADA, { revision }),
      ])
      const versions = both.map((done) =>
        done.status === 'fulfilled' ? done.value.version : done.reason.code,
      )
      // The slower one either lost the race or published the next version of the same draft.
      expect([
        [1, 'store_busy'],
        [1, 2],
      ]).toContainEqual(versions.toSorted())
      const latest = Math.max(...versions.filter((one) => typeof one === 'number'))
      const read = () => two.current().then(() => two.live().get('add')?.version)
      await expect.poll(read, { timeout: 10_000 }).toBe(latest)
      await expect.poll(() => one.live().get('add')?.version, { timeout: 10_000 }).toBe(latest)
      const signal = AbortSignal.timeout(20_000)
      expect(await two.call('add', { a: 2, b: 3 }, signal)).toMatchObject({ result: { sum: 5 } })

      await one.unpublish('add', OTTO)
      await expect.poll(() => two.live().size, { timeout: 10_000 }).toBe(0)
      await expect(two.call('add', { a: 2, b: 3 }, signal)).rejects.toMatchObject({
        code: 'call_changed',
      })
      expect(await two.kept.publishedTool('add')).toMatchObject({ latest })
      expect(await two.kept.version('add', 1)).toMatchObject({ spec: SPEC, version: 1 })
    },
  )

  promise(
    ['CS-STUDIO-4', 'CS-STUDIO-14'],
    'a secret is sealed, belongs to one tool and its hosts, and is opened by no other machine',
    async () => {
      const { here, there, one, two } = await studios()
      await one.secrets.set('pay', 'KEY', SECRET, ['api.example.com'], OTTO)
      await one.secrets.set('pa', 'KEY', `${SECRET}-2`, ['other.example.com'], OTTO)
      expect(await two.secrets.list('pay')).toMatchObject([
        { name: 'KEY', hosts: ['api.example.com'] },
      ])
      expect(await two.secrets.open('pay', ['KEY', 'ABSENT'])).toEqual([
        { name: 'KEY', hosts: ['api.example.com'], value: SECRET },
      ])
      const { entries } = await here.eventsSince('start', 100)
      const stored = JSON.stringify([await allRecords(there.records, 'studio-secret'), entries])
      expect(stored).not.toContain(SECRET)
      expect(stored).toContain('api.example.com')
      const stranger = createStudio({ store: there, keys: await machineKeys() })
      await expect(stranger.secrets.open('pay', ['KEY'])).rejects.toMatchObject({
        code: 'key_unusable',
      })
      await two.secrets.remove('pay', 'KEY', ADA)
      expect(await one.secrets.list('pay')).toEqual([])
      expect(await one.secrets.list('pa')).toHaveLength(1)
    },
  )

  promise(
    ['CS-STUDIO-14'],
    'values that a tool keeps come back as they were, under every key, for that tool alone',
    async () => {
      const { here, there } = await studios()
      const [mine, other] = [storedKeys(here, 'add'), storedKeys(there, 'ad')]
      const KEYS = ['a b', 'Zebra', 'apple', 'é', 'e\u0301', '😀', '\ufffd', 'tab\t', '%00', '/..']
      for (const key of KEYS) await mine.set(key, { key, text: '\u0000 \ud800 😀' })
      for (const key of KEYS) {
        expect(await storedKeys(there, 'add').get(key), key).toEqual({
          key,
          text: '\u0000 \ud800 😀',
        })
      }
      expect(new Set(await mine.keys())).toEqual(new Set(KEYS))
      expect(await other.keys()).toEqual([])
      for (const key of ['nul\u0000', '\ud800']) {
        expect(await mine.get(key)).toBeUndefined()
        await mine.delete(key)
        await expect(mine.set(key, 1)).rejects.toMatchObject({ code: 'invalid_value' })
      }
      await mine.delete('apple')
      expect(await mine.get('apple')).toBeUndefined()
      const free = 200 - KEYS.length + 1
      for (let nth = 0; nth < free; nth++) await mine.set(`key-${nth}`, nth)
      await expect(mine.set('one more', 1)).rejects.toThrow(/at most 200 keys/)
      await mine.set('key-0', 'changed')
      expect(await mine.get('key-0')).toBe('changed')
    },
  )

  promise(
    ['CS-STUDIO-14'],
    'a deleted tool leaves no draft, no secret and no value behind',
    async () => {
      const { here, one, two } = await studios()
      await one.saveDraft('pay', SPEC, OTTO, 'absent')
      await one.secrets.set('pay', 'KEY', SECRET, ['api.example.com'], OTTO)
      await storedKeys(here, 'pay').set('count', 7)
      await two.forget('pay', ADA)
      expect(await one.kept.draft('pay')).toBeUndefined()
      expect(await one.secrets.list('pay')).toEqual([])
      expect(await storedKeys(here, 'pay').keys()).toEqual([])
    },
  )

  promise(
    ['CS-CHAT-1', 'CS-CHAT-8'],
    'a conversation of any length is read as it was written, by its owner alone',
    async () => {
      const [here, there] = await open()
      const [one, two] = [createConversations(here), createConversations(there)]
      const made = await one.create('ana', { title: 'Pay \u0000 😀', model: 'rehearsal' })
      await one.create('ben', { title: 'Another', model: 'rehearsal' })
      const text = `${'😀'.repeat(9_000)}\u0000\ud83d`
      const messages = [
        { id: 'm-1', role: 'user' as const, parts: [{ type: 'text' as const, text }] },
      ]
      const next = await two.put('ana', { ...made, messages })
      expect(await one.get('ana', made.id)).toEqual(next)
      expect(next?.messages).toEqual(messages)
      // Written by another server since: nothing is lost without a word.
      expect(await one.put('ana', { ...made, messages: [] })).toBeUndefined()
      expect(await two.get('ben', made.id)).toBeUndefined()
      const later = await one.create('ana', { title: 'Later', model: 'rehearsal' })
      expect((await two.list('ana')).map(({ title }) => title).toSorted()).toEqual([
        'Later',
        'Pay \u0000 😀',
      ])
      await two.remove('ana', made.id)
      await two.remove('ana', later.id)
      expect(await one.list('ana')).toEqual([])
      expect(await one.list('ben')).toHaveLength(1)
      expect(await allRecords(here.records, CHAT_PIECE_RECORD)).toHaveLength(1)
    },
  )

  promise(
    ['CS-MODEL-3', 'CS-CHAT-8'],
    'a server of models is kept with its key sealed, for its address alone',
    async () => {
      const [here, there] = await open()
      const keys = await machineKeys()
      const at = (store: Store, folder: KeyFolder) =>
        createKeptServers({
          store,
          box: createSecretBox(folder, 'chat model keys'),
          allowHosts: ['127.0.0.1'],
        })
      const [one, two] = [at(here, keys), at(there, keys)]
      const given = { wire: 'openai' as const, url: 'http://127.0.0.1:9/v1', key: SECRET }
      await one.set('work', given, ADA)
      expect((await two.open()).servers).toMatchObject([{ name: 'kept/work', key: SECRET }])
      expect(await two.list()).toMatchObject([{ name: 'work', hasKey: true }])
      const stored = JSON.stringify(await allRecords(here.records, 'chat-model-server'))
      expect(stored).not.toContain(SECRET)
      expect((await at(there, await machineKeys()).open()).problems).toHaveLength(1)
      await two.set('work', { wire: 'openai', url: 'http://127.0.0.1:10/v1' }, ADA)
      expect(await one.list()).toMatchObject([{ name: 'work', hasKey: false }])
      await two.remove('work', ADA)
      expect(await one.list()).toEqual([])
    },
  )
})

/** The private keys of one machine. */
async function machineKeys(): Promise<KeyFolder> {
  const keys = memoryKeys()
  await keys.add('key', JSON.stringify({ d: randomBytes(32).toString('base64url'), iat: 1 }))
  return keys
}
