import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { NO_PREVIOUS } from '../../src/store/audit/chain.ts'
import type { Store } from '../../src/store/store.ts'
import { freshDatabase } from '../support/postgres.ts'
import { newFolder, openPostgres, openSqlite } from './place.ts'

const KILLS = 12

/** Starts a writer, kills it without warning, and returns what it had said to be safe. */
async function killedWriter(place: string): Promise<Map<string, number>> {
  const program = path.join(import.meta.dirname, 'writer-process.ts')
  const child = spawn(process.execPath, [program, place], { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  await once(child.stdout, 'data')
  await sleep(20 + Math.random() * 130)
  child.kill('SIGKILL')
  await closed
  const acknowledged = new Map<string, number>()
  // The last line may be cut in half: then nobody has read it.
  for (const line of said.split('\n').slice(0, -1)) {
    const [id = '', revision] = line.split(' ')
    acknowledged.set(id, Number(revision))
  }
  return acknowledged
}

async function killMany(place: string): Promise<Map<string, number>> {
  const acknowledged = new Map<string, number>()
  for (let kill = 0; kill < KILLS; kill += 1) {
    for (const [id, revision] of await killedWriter(place)) acknowledged.set(id, revision)
  }
  expect(acknowledged.size).toBeGreaterThan(KILLS)
  return acknowledged
}

async function expectNothingLost(store: Store, acknowledged: Map<string, number>): Promise<void> {
  const lost: string[] = []
  for (const [id, revision] of acknowledged) {
    const approval = await store.get(id)
    const recorded = (await store.events(id)).map(
      ({ event }) => 'revision' in event && event.revision,
    )
    if (!approval || approval.revision < revision || !recorded.includes(revision)) lost.push(id)
  }
  expect(lost).toEqual([])
}

async function expectWholeChains(store: Store): Promise<void> {
  const heads = new Map<string, { seq: number; hash: string }>()
  for (let cursor = 'start'; ; ) {
    const feed = await store.eventsSince(cursor, 1_000)
    if (feed.entries.length === 0) break
    for (const { writer, seq, prev, hash } of feed.entries) {
      const before = heads.get(writer)
      expect([seq, prev]).toEqual([(before?.seq ?? 0) + 1, before?.hash ?? NO_PREVIOUS])
      heads.set(writer, { seq, hash })
    }
    cursor = feed.cursor
  }
  expect(heads.size).toBeGreaterThanOrEqual(KILLS)
}

test('SQLite loses nothing it acknowledged when its process is killed', {
  timeout: 120_000,
}, async () => {
  const file = path.join(newFolder(), 'approvals.db')
  const acknowledged = await killMany(file)
  const store = await openSqlite(file)
  expect(store.quarantine).toBeUndefined()
  await expectNothingLost(store, acknowledged)
  await expectWholeChains(store)
  const db = new DatabaseSync(file)
  expect(db.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  db.close()
})

test('Postgres loses nothing it acknowledged when a server is killed', {
  timeout: 120_000,
}, async () => {
  const url = await freshDatabase()
  const acknowledged = await killMany(url)
  const store = await openPostgres(url)
  expect(store.quarantine).toBeUndefined()
  await expectNothingLost(store, acknowledged)
  await expectWholeChains(store)
})
