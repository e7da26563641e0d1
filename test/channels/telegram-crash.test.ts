import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, vi } from 'vitest'
import { telegram } from '../../src/channels/telegram/telegram.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { program } from '../support/make.ts'
import { promise } from '../support/promise.ts'
import { chatServer } from './chat-server.ts'
import { type FakeMessage, type FakeTelegram, fakeTelegram, TOKEN } from './fake-telegram.ts'
import { dataOf, press } from './telegram-world.ts'

const PATIENCE = 20_000

/** Runs the server in a process of its own until it was killed at this point. */
async function killedAt(point: string, database: string, fake: FakeTelegram): Promise<void> {
  const script = await program(path.join(import.meta.dirname, 'killed-telegram-server.ts'))
  const args = ['--conditions=countersign-source', script, database, fake.apiUrl, point]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [moment, method] = {
    sending: ['before', 'sendMessage'],
    sent: ['after', 'sendMessage'],
    settling: ['before', 'editMessageText'],
    settled: ['after', 'editMessageText'],
    answering: ['before', 'answerCallbackQuery'],
  }[point] ?? ['', '']
  let isCut = false
  let edits = 0
  fake.cut = (called, at) => {
    if (called === 'editMessageText' && at === 'before') edits += 1
    // The first edit is the card that she opened.
    if (called === 'editMessageText' && edits < 2) return false
    if (called === 'answerCallbackQuery' && edits < 2 && point === 'answering') {
      return answersBefore(at)
    }
    if (called !== method || at !== moment || isCut) return false
    isCut = true
    return child.kill('SIGKILL')
  }
  let answers = 0
  function answersBefore(at: string): boolean {
    if (at === 'before') answers += 1
    // The first one is the answer to opening the card.
    if (answers < 2 || isCut) return false
    isCut = true
    return child.kill('SIGKILL')
  }
  const over = once(child, 'exit')
  if (!point.startsWith('sen')) await answer(fake)
  const [, signal] = (await over) as [unknown, string]
  expect(signal).toBe('SIGKILL')
  fake.cut = () => false
}

const asked = (fake: FakeTelegram) =>
  vi.waitFor(() => {
    const found = fake.messages.at(-1)
    if (!found) throw new Error('not asked yet')
    return found
  }, PATIENCE)

/** Fay opens the card and says yes. */
async function answer(fake: FakeTelegram, given?: FakeMessage): Promise<void> {
  const message = given ?? (await asked(fake))
  fake.push(press(fake, message, dataOf(message, 'Read and decide')))
  await vi.waitFor(() => expect(dataOf(message, 'Approve')).not.toBe(''), PATIENCE)
  fake.push(press(fake, message, dataOf(message, 'Approve')))
}

promise.each(
  ['CS-CHAN-1', 'CS-TG-7'],
  'killed, and followed by another process: nothing lost, nothing decided twice, the message finally true',
  [['sending'], ['sent'], ['deciding'], ['decided'], ['answering'], ['settling'], ['settled']],
  async (point) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'countersign-telegram-'))
    const database = path.join(folder, 'a.db')
    const fake = await fakeTelegram()
    onTestFinished(() => fake.close())
    await killedAt(point, database, fake)
    // A minute later: until then the one who had the notice may only be slow.
    const store = await openSqlite(database, { clock: () => Date.now() + 61_000 })
    const channel = telegram({ botToken: TOKEN, share: 'arguments', apiUrl: fake.apiUrl })
    const server = chatServer(store, channel)
    onTestFinished(async () => {
      await server.close()
      await store.close()
      rmSync(folder, { recursive: true, force: true })
    })
    // A bot cannot look for what it sent, so one whose sending was not noted is there twice.
    const most = point === 'sent' ? 2 : 1
    await vi.waitFor(() => expect(fake.messages).toHaveLength(most), PATIENCE)
    // What she pressed comes again, because the dead process had not confirmed it.
    if (point.startsWith('sen')) await answer(fake)
    const message = await asked(fake)
    await vi.waitFor(
      () => expect(message.text).toMatch(/^pay: approved by fay@example.com\n/),
      PATIENCE,
    )
    const { approvals } = await store.list({})
    expect(approvals.map(({ status, decisions }) => [status, decisions.length])).toEqual([
      ['approved', 1],
    ])
    expect(fake.messages).toHaveLength(most)
    await vi.waitFor(async () => expect((await store.outbox.summary()).waiting).toBe(0), PATIENCE)
  },
  60_000,
)
