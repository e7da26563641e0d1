import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { MIGRATIONS } from '../../src/store/sqlite/migrations/migrations.ts'
import { approverNamed, asking, claiming, deciding } from '../../src/testing/commands.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { newFolder, openSqlite } from './place.ts'

const newFile = () => path.join(newFolder(), 'approvals.db')

function raw(file: string): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: 2_000 })
  onTestFinished(() => db.close())
  return db
}

async function withOneClaim(file: string) {
  const store = await openSqlite(file)
  const request = asking({ call: { run: 'run', key: 'key' } })
  const { approval } = await store.apply(request.id, request)
  const yes = await store.apply(approval.id, deciding(approval))
  await store.apply(approval.id, claiming(yes.approval))
  return { store, approval }
}

test('the file is for its owner only, and has a write-ahead log', async () => {
  const file = newFile()
  await withOneClaim(file)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(raw(file).prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' })
})

test.each([
  ['events are not changed', "update events set type = 'denied'", /append-only/],
  ['events are not deleted', 'delete from events', /append-only/],
  [
    'events are not replaced',
    'insert or replace into events select * from events where seq = 2',
    /follows the one before/,
  ],
  [
    'events are not put in between',
    `insert into events (tenant, writer, seq, prev, hash, type, at, body)
     select tenant, writer, 99, prev, 'x', type, at, body from events where seq = 2`,
    /follows the one before/,
  ],
  [
    'nobody votes twice about one call',
    'insert or replace into votes select * from votes',
    /one vote per person and digest/,
  ],
  ['a no does not become a yes', "update votes set verdict = 'approve'", /only ever turns/],
  ['votes are not deleted', 'delete from votes', /kept/],
  ['nobody claims twice', 'insert or replace into claims select * from claims', /one claim/],
  [
    'a claim is not passed on',
    "insert into claims select tenant, approval, 'other', instance, at from claims",
    /one claim/,
  ],
  ['claims are not deleted', 'delete from claims', /kept/],
  ['a change has its revision', "update approvals set tool = 'other'", /grows by one/],
  ['a revision is not skipped', 'update approvals set revision = revision + 2', /grows by one/],
  [
    'a claimed approval stays approved',
    "update approvals set status = 'pending', execution = null, revision = revision + 1",
    /stays closed|runs once/,
  ],
  [
    'what ran does not run again',
    'update approvals set execution = null, revision = revision + 1',
    /runs once/,
  ],
  [
    'an approval is not given to another call',
    "update approvals set agent = 'other', revision = revision + 1",
    /stays about the call/,
  ],
  ['approvals are not deleted', 'delete from approvals', /kept/],
  [
    'one key names one call',
    `insert into approvals (tenant, id, revision, status, agent, run, call_key, asked_digest, joinable,
       tool, risk, asked_at, decide_by, body, seal)
     select tenant, 'other', 1, 'pending', agent, run, call_key, 'd', 0, tool, risk, asked_at,
       decide_by, body, seal from approvals`,
    /UNIQUE/,
  ],
])('even by hand, %s', async (_, sql, message) => {
  const file = newFile()
  await withOneClaim(file)
  expect(() => raw(file).exec(sql)).toThrow(message)
})

test('a row that was changed by hand decides nothing', async () => {
  const file = newFile()
  const store = await openSqlite(file)
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  await store.close()
  const db = raw(file)
  db.exec('drop trigger approvals_next_revision')
  db.exec(`update approvals set body = replace(body, '"pending"', '"approved"')`)
  const again = await openSqlite(file)
  await expect(again.get(approval.id)).rejects.toMatchObject({ code: 'store_damaged' })
  await expect(again.apply(approval.id, claiming(approval))).rejects.toMatchObject({
    code: 'store_damaged',
  })
  const other = asking()
  await expect(again.apply(other.id, other)).resolves.toMatchObject({ joined: false })
})

test('a database of a newer Countersign is refused', async () => {
  const file = newFile()
  await (await openSqlite(file)).close()
  raw(file).exec(`pragma user_version = ${MIGRATIONS.length + 1}`)
  await expect(openSqlite(file)).rejects.toMatchObject({ code: 'store_newer' })
})

test('a database of another program is left alone', async () => {
  const file = newFile()
  raw(file).exec('create table theirs (id integer)')
  await expect(openSqlite(file)).rejects.toMatchObject({ code: 'store_unsafe' })
})

test('a file that was replaced while it was open takes no more commands', async () => {
  const file = newFile()
  const { store } = await withOneClaim(file)
  renameSync(file, `${file}.old`)
  const request = asking()
  await expect(store.apply(request.id, request)).rejects.toMatchObject({ code: 'store_replaced' })
  renameSync(`${file}.old`, file)
  await expect(store.apply(request.id, request)).resolves.toMatchObject({ joined: false })
})

test('a clock far behind what was recorded decides nothing, and denies nothing', async () => {
  const file = newFile()
  const clock = fakeClock()
  const store = await openSqlite(file, { clock: clock.now })
  const first = asking()
  const { approval } = await store.apply(first.id, first)
  await store.close()

  clock.advance(-61_000)
  const later = await openSqlite(file, { clock: clock.now })
  const other = asking()
  const asked = await later.apply(other.id, other)
  for (const verdict of ['approve', 'deny'] as const) {
    const answer = deciding(asked.approval, approverNamed('ana'), verdict)
    await expect(later.apply(asked.approval.id, answer)).rejects.toMatchObject({
      code: 'clock_behind',
    })
  }
  clock.advance(2_000)
  await later.apply(approval.id, deciding(approval))
  expect((await later.get(approval.id))?.status).toBe('approved')
})

/** Another process that holds the write lock for so long. */
async function holdLock(file: string, ms: number): Promise<void> {
  const program = `
    const { DatabaseSync } = require('node:sqlite')
    const db = new DatabaseSync(${JSON.stringify(file)})
    db.exec('begin immediate')
    process.stdout.write('held')
    setTimeout(() => db.exec('rollback'), ${ms})`
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill())
  await once(child.stdout, 'data')
}

test('a file that another process holds is waited for, without stopping this one', async () => {
  const file = newFile()
  const store = await openSqlite(file)
  await holdLock(file, 400)
  const delay = monitorEventLoopDelay({ resolution: 5 })
  delay.enable()
  const started = performance.now()
  const request = asking()
  await store.apply(request.id, request)
  delay.disable()
  expect(performance.now() - started).toBeGreaterThan(200)
  expect(delay.percentile(50) / 1e6).toBeLessThan(100)
})

test('a file that stays locked is given up with a code', async () => {
  const file = newFile()
  const store = await openSqlite(file, { busyFor: 150 })
  await holdLock(file, 5_000)
  const request = asking()
  await expect(store.apply(request.id, request)).rejects.toMatchObject({ code: 'store_busy' })
})

test('a row at another revision than was read is not overwritten', async () => {
  const file = newFile()
  const store = await openSqlite(file)
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  // The column alone: the body still says what it said, so only the write can notice.
  raw(file).exec('update approvals set revision = revision + 1')
  // The tables have a rule of their own against this; the store must not need it.
  await expect(store.apply(approval.id, deciding(approval))).rejects.toThrow(
    /changed while it was locked/,
  )
  expect((await store.get(approval.id))?.status).toBe('pending')
})

promise(
  ['CS-HA-3', 'CS-GATE-1'],
  'a process that wrote nothing notices a backup written into the open file as well',
  async () => {
    const file = newFile()
    const first = await openSqlite(file)
    const request = asking()
    const { approval } = await first.apply(request.id, request)
    const approved = (await first.apply(approval.id, deciding(approval))).approval
    await first.close()
    const backup = readFileSync(file)
    const writer = await openSqlite(file)
    await writer.apply(approved.id, claiming(approved))
    const idle = await openSqlite(file)
    await writer.close()
    writeFileSync(file, backup)
    writeFileSync(`${file}-wal`, '')
    writeFileSync(`${file}-shm`, Buffer.alloc(32_768))
    await expect(idle.apply(approved.id, claiming(approved))).rejects.toMatchObject({
      code: 'store_replaced',
    })
    expect(idle.lost.aborted).toBe(true)
  },
)

promise(
  ['CS-HA-3'],
  'a backup written into the open file ends this process, and starts nothing again',
  async () => {
    const file = newFile()
    const first = await openSqlite(file)
    const request = asking()
    const { approval } = await first.apply(request.id, request)
    const approved = (await first.apply(approval.id, deciding(approval))).approval
    await first.close()
    const backup = readFileSync(file)
    const store = await openSqlite(file)
    await store.apply(approved.id, claiming(approved))
    // Into the log, too: what it says would otherwise be played back over the backup.
    writeFileSync(file, backup)
    writeFileSync(`${file}-wal`, '')
    writeFileSync(`${file}-shm`, Buffer.alloc(32_768))
    const again = asking()
    await expect(store.apply(again.id, again)).rejects.toMatchObject({ code: 'store_replaced' })
    expect(store.lost.aborted).toBe(true)
    await expect(store.assertWritable()).rejects.toMatchObject({ code: 'store_replaced' })
    await expect(store.apply(approved.id, claiming(approved))).rejects.toMatchObject({
      code: 'store_replaced',
    })
  },
)

test('a guard that ends the transaction in the middle of a batch takes all of it back', async () => {
  const file = newFile()
  const store = await openSqlite(file)
  const first = asking()
  const { approval } = await store.apply(first.id, first)
  const yes = (await store.apply(approval.id, deciding(approval))).approval
  raw(file)
    .prepare("insert into claims (tenant, approval, claim, at) values ('default', ?, 'theirs', 1)")
    .run(yes.id)
  const [before, after] = [asking(), asking()]
  const results = await Promise.allSettled([
    store.apply(before.id, before),
    store.apply(yes.id, claiming(yes)),
    store.apply(after.id, after),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(results[1]).toMatchObject({ reason: { code: 'internal' } })
  // Each once, and nothing of the batch beside it.
  const { entries } = await store.eventsSince('start', 100)
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
  expect(await store.get(yes.id)).toEqual(yes)
  for (const { id } of [before, after]) expect(await store.events(id)).toHaveLength(1)
  const last = asking()
  expect((await store.apply(last.id, last)).approval.status).toBe('pending')
})
