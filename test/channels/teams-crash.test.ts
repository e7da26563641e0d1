import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { teamsBot } from '../../src/channels/teams/teams-bot.ts'
import { serve } from '../../src/server/serve.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { program } from '../support/make.ts'
import { promise } from '../support/promise.ts'
import { chatServer } from './chat-server.ts'
import { type FakeTeams, type Fields, fakeTeams, type Kind } from './fake-teams.ts'
import { actionOf, botOptions, execute, FAY, memberOf, userOf } from './teams-world.ts'

const PATIENCE = 20_000
const POINTS: Readonly<Record<string, readonly [Kind, 'before' | 'after']>> = {
  sending: ['post', 'before'],
  sent: ['post', 'after'],
  settling: ['edit', 'before'],
  settled: ['edit', 'after'],
}

/** Runs the server in a process of its own until it was killed at this point. */
async function killedAt(point: string, database: string, fake: FakeTeams): Promise<void> {
  const script = await program(path.join(import.meta.dirname, 'killed-teams-server.ts'))
  const args = ['--conditions=countersign-source', script, database, fake.url, point]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [kind, moment] = POINTS[point] ?? []
  fake.cut = (called, at) => called === kind && at === moment && child.kill('SIGKILL')
  const over = once(child, 'exit')
  if (!point.startsWith('sen')) {
    const [{ url }] = (await once(child, 'message')) as [{ url: string }]
    await answer(fake, url)
  }
  const [, signal] = (await over) as [unknown, string]
  expect(signal).toBe('SIGKILL')
  fake.cut = () => false
}

/** As the connector posts it; undefined when the server died before it answered. */
async function post(fake: FakeTeams, url: string, payload: object): Promise<Fields | undefined> {
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${await fake.token()}`,
  }
  const body = JSON.stringify(payload)
  return fetch(`${url}v1/channels/teams`, { method: 'POST', headers, body }).then(
    async (response) => ((await response.json()) as { value?: Fields }).value,
    () => undefined,
  )
}

/** Fay opens the card and says yes. */
async function answer(fake: FakeTeams, url: string): Promise<void> {
  const message = await vi.waitFor(() => {
    const found = fake.messages.at(-1)
    if (!found) throw new Error('not asked yet')
    return found
  }, PATIENCE)
  const press = (card: Fields, title: string) =>
    post(fake, url, execute(fake, FAY, actionOf(card, title)))
  const shown = await press(message.card, 'Read and decide')
  await press(shown ?? {}, 'Approve')
}

promise.each(
  ['CS-CHAN-1', 'CS-TEAMS-7'],
  'killed with Teams, and followed by another process: nothing lost, nothing decided twice, the message finally true',
  [['sending'], ['sent'], ['deciding'], ['decided'], ['answering'], ['settling'], ['settled']],
  async (point) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-teams-'))
    const database = path.join(folder, 'a.db')
    const fake = await fakeTeams()
    fake.members.set(userOf(FAY), memberOf(FAY))
    onTestFinished(() => fake.close())
    await killedAt(point, database, fake)
    // A minute later: until then the one who had the notice may only be slow.
    const store = await openSqlite(database, { clock: () => Date.now() + 61_000 })
    const channel = teamsBot({ ...botOptions(fake), share: 'arguments' })
    const server = chatServer(store, channel)
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
    // A bot cannot look for what it sent, so one whose sending was not noted is there twice.
    const most = point === 'sent' ? 2 : 1
    await vi.waitFor(() => expect(fake.messages).toHaveLength(most), PATIENCE)
    // Her client showed an error: where nothing was decided, she answers once more.
    if (!isDecided) await answer(fake, url)
    await vi.waitFor(
      () => expect(fake.messages.at(-1)?.text).toMatch(/^pay: approved by fay@example.com\n/),
      PATIENCE,
    )
    const { approvals } = await store.list({})
    expect(approvals.map((one) => [one.status, one.decisions.length])).toEqual([['approved', 1]])
    expect(fake.messages).toHaveLength(most)
    await vi.waitFor(async () => expect((await store.outbox.summary()).waiting).toBe(0), PATIENCE)
  },
  60_000,
)
