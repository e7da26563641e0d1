import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { discord } from '../../src/channels/discord/discord.ts'
import { serve } from '../../src/server/serve.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { program } from '../support/make.ts'
import { promise } from '../support/promise.ts'
import { chatServer } from './chat-server.ts'
import { cardOf, idOf, press } from './discord-world.ts'
import {
  type FakeDiscord,
  fakeDiscord,
  type Kind,
  PUBLIC_KEY,
  signedByDiscord,
  TOKEN,
} from './fake-discord.ts'

const PATIENCE = 20_000
const POINTS: Readonly<Record<string, readonly [Kind, 'before' | 'after']>> = {
  posting: ['post', 'before'],
  posted: ['post', 'after'],
  settling: ['edit', 'before'],
  settled: ['edit', 'after'],
}

/** Runs the server in a process of its own until it was killed at this point. */
async function killedAt(point: string, database: string, fake: FakeDiscord): Promise<void> {
  const script = await program(path.join(import.meta.dirname, 'killed-discord-server.ts'))
  const args = ['--conditions=countersign-source', script, database, fake.apiUrl, point]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [kind, moment] = POINTS[point] ?? []
  fake.cut = (called, at) => called === kind && at === moment && child.kill('SIGKILL')
  const over = once(child, 'exit')
  if (!point.startsWith('post')) {
    const [{ url }] = (await once(child, 'message')) as [{ url: string }]
    await answer(fake, url)
  }
  const [, signal] = (await over) as [unknown, string]
  expect(signal).toBe('SIGKILL')
  fake.cut = () => false
  fake.minutesLater()
}

/** As Discord posts it; undefined when the server died before it answered. */
async function post(url: string, payload: object) {
  const body = JSON.stringify(payload)
  const sent = fetch(`${url}v1/channels/discord`, {
    method: 'POST',
    headers: signedByDiscord(body),
    body,
  })
  return sent.then(
    async (response) => (await response.json()) as Record<string, unknown>,
    () => undefined,
  )
}

/** Fay opens the card and says yes. */
async function answer(fake: FakeDiscord, url: string): Promise<void> {
  const message = await vi.waitFor(() => {
    const found = fake.messages.at(-1)
    if (!found) throw new Error('not asked yet')
    return fake.seen(found)
  }, PATIENCE)
  const shown = await post(url, press(message, idOf(message, 'Read and decide')))
  const card = cardOf(shown ?? {})
  await post(url, press(card, idOf(card, 'Approve')))
}

promise.each(
  ['CS-CHAN-1', 'CS-DISC-7'],
  'killed with Discord, and followed by another process: nothing lost, nothing twice, the message finally true',
  [['posting'], ['posted'], ['deciding'], ['decided'], ['answering'], ['settling'], ['settled']],
  async (point) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-discord-'))
    const database = path.join(folder, 'a.db')
    const fake = await fakeDiscord()
    onTestFinished(() => fake.close())
    await killedAt(point, database, fake)
    // A minute later: until then the one who had the notice may only be slow.
    const store = await openSqlite(database, { clock: () => Date.now() + 61_000 })
    const options = { botToken: TOKEN, publicKeys: PUBLIC_KEY, share: 'arguments' } as const
    const server = chatServer(store, discord({ ...options, apiUrl: fake.apiUrl }))
    const { url, close } = await serve(server.app, { host: '127.0.0.1', port: 0 })
    onTestFinished(async () => {
      await close()
      await server.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const status = async () => (await store.list({})).approvals.map((one) => one.status)
    const isDecided = ['decided', 'answering', 'settling', 'settled'].includes(point)
    expect(await status()).toEqual([isDecided ? 'approved' : 'pending'])
    // Her client showed an error: where nothing was decided, she answers once more.
    if (!isDecided) await answer(fake, url)
    await vi.waitFor(
      () => expect(fake.messages[0]?.text).toMatch(/^pay: approved by fay@example.com\n/),
      PATIENCE,
    )
    const { approvals } = await store.list({})
    expect(approvals.map((one) => [one.status, one.decisions.length])).toEqual([['approved', 1]])
    expect(fake.messages).toHaveLength(1)
    await vi.waitFor(async () => expect((await store.outbox.summary()).waiting).toBe(0), PATIENCE)
  },
  60_000,
)
