import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { slack } from '../../src/channels/slack/slack.ts'
import { internals } from '../../src/gate/internals.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { program } from '../support/make.ts'
import { promise } from '../support/promise.ts'
import { chatServer } from './chat-server.ts'
import { type FakeSlack, fakeSlack, SIGNING_SECRET, TEAM, TOKENS } from './fake-slack.ts'
import { MEMBERS } from './slack-world.ts'

const PATIENCE = 20_000

/** Runs the server in a process of its own until it was killed at this point. */
async function killedAt(point: string, database: string, fake: FakeSlack): Promise<void> {
  const script = await program(path.join(import.meta.dirname, 'killed-slack-server.ts'))
  const args = ['--conditions=countersign-source', script, database, fake.apiUrl, point]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [moment, method] = {
    posting: ['before', 'chat.postMessage'],
    posted: ['after', 'chat.postMessage'],
    updating: ['before', 'chat.update'],
    updated: ['after', 'chat.update'],
  }[point] ?? ['', '']
  fake.cut = (called, at) => called === method && at === moment && child.kill('SIGKILL')
  const over = once(child, 'exit')
  if (!point.startsWith('post')) {
    const id = await vi.waitFor(() => asked(fake), PATIENCE)
    await answer(fake, id)
  }
  const [, signal] = (await over) as [unknown, string]
  expect(signal).toBe('SIGKILL')
  fake.cut = () => false
}

/** The approval that the first message of Slack asks about. */
function asked(fake: FakeSlack): string {
  const block = fake.messages.flatMap(({ blocks }) => blocks)[0]?.block_id
  const [, id] = String(block).split('cs-about:')
  if (!id) throw new Error('not asked yet')
  return id
}

/** Fay opens the modal and says yes. What her client hears of it is not waited for. */
async function answer(fake: FakeSlack, id: string): Promise<void> {
  const from = { team: { id: TEAM }, user: { id: 'U0FAY', team_id: TEAM } }
  const actions = [{ action_id: 'cs_open', value: id }]
  const trigger_id = fake.trigger()
  await fake.envelope('interactive', { type: 'block_actions', ...from, trigger_id, actions })
  const view = fake.views.at(-1)?.view
  const values = {
    verdict: { verdict: { selected_option: { value: 'approve' } } },
    reason: { reason: { value: null } },
  }
  void fake.envelope('interactive', {
    type: 'view_submission',
    ...from,
    view: { ...view, state: { values } },
  })
}

promise.each(
  ['CS-CHAN-1', 'CS-SLACK-7'],
  'killed, and followed by another process: nothing lost, nothing twice, the message finally true',
  [['posting'], ['posted'], ['deciding'], ['decided'], ['updating'], ['updated']],
  async (point) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-slack-'))
    const database = path.join(folder, 'a.db')
    const fake = await fakeSlack(MEMBERS)
    onTestFinished(() => fake.close())
    await killedAt(point, database, fake)
    const connections = fake.sockets
    // A minute later: until then the one who had the notice may only be slow.
    const store = await openSqlite(database, { clock: () => Date.now() + 61_000 })
    const channel = slack({
      ...{ botToken: TOKENS.bot, appToken: TOKENS.app, signingSecrets: SIGNING_SECRET },
      ...{ share: 'arguments', apiUrl: fake.apiUrl },
    })
    const server = chatServer(store, channel)
    onTestFinished(async () => {
      await server.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    })
    await vi.waitFor(() => expect(fake.sockets).toBeGreaterThan(connections), PATIENCE)
    await server.gate[internals].idle()
    const id = await vi.waitFor(() => asked(fake), PATIENCE)
    const before = await store.get(id)
    const isDecided = ['decided', 'updating', 'updated'].includes(point)
    expect(before?.status).toBe(isDecided ? 'approved' : 'pending')
    // Her client showed an error, or she waited: she answers once more, whatever became of the first.
    await answer(fake, id)
    await vi.waitFor(
      () => expect(fake.messages[0]?.text).toBe('pay: approved by fay@example.com'),
      PATIENCE,
    )
    const approval = await store.get(id)
    expect([approval?.status, approval?.decisions.length]).toEqual(['approved', 1])
    expect(fake.messages.length).toBe(1)
    // Noted a moment after the message was changed.
    await vi.waitFor(async () => expect((await store.outbox.summary()).waiting).toBe(0), PATIENCE)
  },
  60_000,
)
