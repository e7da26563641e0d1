import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { startDeliverer } from '../../src/gate/notify/deliver.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { approverNamed, deciding } from '../../src/testing/commands.ts'
import { program } from '../support/make.ts'
import { promise } from '../support/promise.ts'

/** What a process that was killed at this point leaves behind, told by the next one. */
async function killedAt(point: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'countersign-told-'))
  const [database, told] = [path.join(folder, 'a.db'), path.join(folder, 'told')]
  const script = await program(path.join(import.meta.dirname, 'notifications/killed-sender.ts'))
  const { signal, stderr } = spawnSync(process.execPath, [script, database, told, point])
  expect([signal, String(stderr)]).toEqual(['SIGKILL', ''])
  const lines = () => (existsSync(told) ? readFileSync(told, 'utf8').trim().split('\n') : [])
  // A minute later: nobody knows before that whether the one who had it is only slow.
  const store = await openSqlite(database, { clock: () => Date.now() + 61_000 })
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    store,
    before: lines(),
    async deliver() {
      const heard: string[] = []
      const channel = {
        name: 'ears',
        send: async ({ id }: { id: string }) => void heard.push(id),
      }
      const deliverer = startDeliverer({ store, channels: [channel], every: 1_000_000 })
      await deliverer.deliver()
      await deliverer.stop()
      return heard
    },
  }
}

async function pending(store: Awaited<ReturnType<typeof openSqlite>>) {
  const [only] = (await store.list({ status: ['pending'] })).approvals
  if (!only) throw new Error('the question is lost')
  return only
}

promise(
  ['CS-TOLD-1'],
  'killed after the question, before it is sent: the next one sends it',
  async () => {
    const { store, before, deliver } = await killedAt('notice.taken')
    const { id } = await pending(store)
    expect(before).toEqual([])
    expect(await deliver()).toEqual([`${id}-1-asked`])
    expect(await deliver()).toEqual([])
  },
)

promise(
  ['CS-TOLD-1'],
  'killed after sending, before that is noted: it comes again under the same id',
  async () => {
    const { store, before, deliver } = await killedAt('notice.sent')
    const { id } = await pending(store)
    expect(before).toEqual([`${id}-1-asked`])
    expect(await deliver()).toEqual([`${id}-1-asked`])
  },
)

promise(
  ['CS-TOLD-2'],
  'killed before sending, and decided meanwhile: the end is told, the question is not',
  async () => {
    const { store, deliver } = await killedAt('notice.taken')
    const asked = await pending(store)
    await store.apply(asked.id, deciding(asked, approverNamed('ana'), 'deny'))
    expect(await deliver()).toEqual([`${asked.id}-2-denied`])
  },
)
