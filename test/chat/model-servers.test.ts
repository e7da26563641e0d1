import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ChatOverview } from '../../src/api/chat/conversation.ts'
import { checkedFetch } from '../../src/chat/checked-fetch.ts'
import { keyFolder } from '../../src/store/audit/key-folder.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'
import { promise } from '../support/promise.ts'
import { chatWorld, textOf } from './chat-world.ts'
import { streamingProvider } from './streaming-provider.ts'

const KEY = 'key-that-no-one-may-read-0042'
const PLACE = '/v1/chat/model-servers'

async function world({ allow = '127.0.0.1' } = {}) {
  for (const [name, value] of [
    ['COUNTERSIGN_CHAT_LOCAL', 'off'],
    ['COUNTERSIGN_CHAT_ALLOW', allow],
    ['COUNTERSIGN_CHAT_TIMEOUT', '1s'],
  ] as const) {
    vi.stubEnv(name, value)
  }
  onTestFinished(() => void vi.unstubAllEnvs())
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-models-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const store = sqliteStore(path.join(folder, 'countersign.db'))
  const keys = keyFolder(path.join(folder, 'keys'))
  const logged: unknown[] = []
  const log = { write: (...entry: unknown[]) => void logged.push(entry) }
  const { signIn, send } = chatWorld('version: 1\n', { store, keys, log })
  const ada = await signIn('ada@example.com', ['viewer', 'approver', 'admin'])
  const ana = await signIn('ana@example.com')
  const models = async (by = ana) => {
    const { models: found } = (await (await by.get('/v1/chat')).json()) as ChatOverview
    return found.map(({ id }) => id)
  }
  return { ada, ana, models, store, folder, logged, send }
}

promise(
  ['CS-MODEL-3'],
  'an admin adds a server of models; its key is sealed, recorded without its value and never shown',
  async () => {
    const provider = await streamingProvider(['Good morning.'])
    const { ada, ana, models, store, folder, logged } = await world()
    const body = { wire: 'openai', url: `${provider.url}/v1/`, key: KEY }
    expect((await ada.put(`${PLACE}/work`, body)).status).toBe(204)
    const shown = await (await ada.get(PLACE)).text()
    expect(JSON.parse(shown).servers).toEqual([
      expect.objectContaining({ name: 'work', url: `${provider.url}/v1`, hasKey: true }),
    ])
    expect(await models()).toEqual(['kept/work:a-model', 'rehearsal'])
    const id = await ana.begin()
    const turn = await ana.say(id, 'Hello', { model: 'kept/work:a-model' })
    await turn.ended()
    const read = await ana.read(id)
    expect(textOf(read.last).trim()).toBe('Good morning.')
    for (const { keys } of provider.asked) expect(keys).toContain(`Bearer ${KEY}`)

    const entries = await adminEvents(store)
    expect(entries).toContainEqual(
      expect.objectContaining({
        type: 'models.set',
        by: { person: expect.objectContaining({ subject: 'ada@example.com' }) },
        facts: { server: 'work', api: 'openai', url: `${provider.url}/v1`, key: true },
      }),
    )
    const inFiles = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => readFileSync(path.join(one.parentPath, one.name), 'latin1'))
    const everything = JSON.stringify([shown, read, turn.chunks, logged, entries, inFiles])
    expect(everything).not.toContain(KEY)
    expect(everything).toContain('kept/work:a-model')

    expect((await ada.remove(`${PLACE}/work`)).status).toBe(204)
    expect(await models()).toEqual(['rehearsal'])
    expect(await adminEvents(store)).toContainEqual(
      expect.objectContaining({ type: 'models.removed', facts: { server: 'work' } }),
    )
  },
)

async function adminEvents(store: Awaited<ReturnType<typeof world>>['store']) {
  const { entries } = await store.eventsSince('start', 1_000)
  return entries.flatMap(({ event }) => (event.type.startsWith('models.') ? [event] : []))
}

promise(['CS-MODEL-3'], 'only admins see and change servers of models', async () => {
  const { ana, models } = await world()
  const body = { wire: 'anthropic', key: KEY }
  expect((await ana.get(PLACE)).status).toBe(403)
  expect((await ana.put(`${PLACE}/work`, body)).status).toBe(403)
  expect((await ana.remove(`${PLACE}/work`)).status).toBe(403)
  expect(await models()).toEqual(['rehearsal'])
})

promise.each(
  ['CS-MODEL-3'],
  'an address that the server must not reach is refused',
  [
    ['a cloud’s own address', 'http://169.254.169.254/v1'],
    ['a private network', 'https://10.0.0.7/v1'],
    ['this machine', 'http://127.0.0.1:9/v1'],
    ['a name for this machine', 'http://localhost:9/v1'],
    ['a file', 'file:///etc/passwd'],
    ['an address with a password', 'https://user:secret@93.184.216.34/v1'],
  ],
  async (_, url) => {
    const { ada, models } = await world({ allow: '' })
    const answer = await ada.put(`${PLACE}/work`, { wire: 'openai', url })
    expect(answer.status).toBe(400)
    expect(await models()).toEqual(['rehearsal'])
  },
)

test('a name that leads into the network later on is not connected to', async () => {
  const { url, asked } = await streamingProvider([])
  const { port } = new URL(url)
  const reach = checkedFetch([])(`http://localhost:${port}/v1/models`)
  await expect(reach).rejects.toThrow(/not on the public internet/)
  await expect(
    checkedFetch(['localhost'])(`http://localhost:${port}/v1/models`),
  ).resolves.toSatisfy((response: Response) => response.ok)
  expect(asked).toHaveLength(1)
})

test('a key goes to the address it was entered for, and to no other', async () => {
  const first = await streamingProvider([])
  const second = await streamingProvider([])
  const { ada, models } = await world()
  const set = (url: string, key?: string) =>
    ada.put(`${PLACE}/work`, { wire: 'openai', url: `${url}/v1`, ...(key ? { key } : {}) })
  await set(first.url, KEY)
  expect((await set(first.url)).status).toBe(204)
  await models()
  expect(first.asked.at(-1)?.keys).toContain(KEY)
  expect((await set(second.url)).status).toBe(204)
  await models()
  expect(second.asked.length).toBeGreaterThan(0)
  expect(JSON.stringify(second.asked)).not.toContain(KEY)
})

test('an API that needs a key is not kept without one, nor under any name', async () => {
  const { ada } = await world()
  expect((await ada.put(`${PLACE}/work`, { wire: 'anthropic' })).status).toBe(400)
  expect((await ada.put(`${PLACE}/No%20Name`, { wire: 'openai' })).status).toBe(400)
  expect((await ada.remove(`${PLACE}/work`)).status).toBe(404)
})
