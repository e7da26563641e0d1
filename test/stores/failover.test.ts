import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect } from 'vitest'
import { claiming } from '../../src/testing/commands.ts'
import { promise } from '../support/promise.ts'
import { heads, onServer, yes } from './crashable.ts'
import { newFolder, openPostgres } from './place.ts'

const SLOW = 120_000

async function ask<T>(url: string, sql: string): Promise<T[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** Until the standby has everything that the primary has written. */
async function caughtUp(primary: string, standby: string): Promise<void> {
  const [here] = await ask<{ lsn: string }>(primary, 'select pg_current_wal_lsn()::text as lsn')
  for (;;) {
    const [there] = await ask<{ done: boolean }>(
      standby,
      `select pg_last_wal_replay_lsn() >= '${here?.lsn}'::pg_lsn as done`,
    )
    if (there?.done) return
    await sleep(20)
  }
}

/** Two segments of the log, which are not in a snapshot that was taken before. */
async function writeAhead(url: string): Promise<void> {
  for (const table of ['ahead', 'further_ahead']) {
    await ask(url, `create table ${table} (n int)`)
    await ask(url, 'select pg_switch_wal()')
  }
}

const reasons = (url: string) =>
  ask<{ reason: string }>(url, 'select reason from countersign.quarantines order by at')

promise(
  ['CS-HA-3', 'CS-GATE-1'],
  'servers that outlive an asynchronous failover start nothing that was started before',
  async () => {
    const server = await onServer()
    const url = await server.newDatabase()
    const [one = '', two = '', three = ''] = heads('one', 'two', 'three')
    const writer = await openPostgres(url, { head: one })
    const idle = await openPostgres(url, { head: two })
    const claimed = await yes(writer)
    const unused = await yes(idle)
    const standby = await server.addStandby()
    const there = url.replace(String(server.port), new URL(standby.url).port)
    await caughtUp(url, there)
    await standby.stop()
    // Acknowledged here, and never heard of there.
    await writer.apply(claimed.id, claiming(claimed))
    // From the crash on, a look in the background may notice before the next command does.
    for (const store of [idle, writer]) expect(store.lost.aborted).toBe(false)
    await server.crash()
    await standby.takeOver()

    for (const store of [idle, writer]) {
      await expect(store.apply(claimed.id, claiming(claimed))).rejects.toMatchObject({
        code: 'store_replaced',
      })
      expect(store.lost.aborted).toBe(true)
      await expect(store.assertWritable()).rejects.toMatchObject({ code: 'store_replaced' })
    }
    await Promise.all([idle.close(), writer.close()])
    for (const head of [two, one, three]) {
      const again = await openPostgres(url, { head })
      expect((await again.get(claimed.id))?.status).toBe('invalidated')
      expect((await again.get(unused.id))?.status).toBe('invalidated')
      await expect(again.apply(claimed.id, claiming(claimed))).rejects.toMatchObject({
        code: 'invalidated',
      })
      await yes(again)
      await again.close()
    }
    expect(await reasons(url)).toEqual([{ reason: 'promoted' }])
  },
  SLOW,
)

promise(
  ['CS-HA-3', 'CS-GATE-1'],
  'servers that outlive a snapshot put back start nothing that was started before',
  async () => {
    const server = await onServer()
    const url = await server.newDatabase()
    const [one = '', two = ''] = heads('one', 'two')
    const first = await openPostgres(url, { head: one })
    const claimed = await yes(first)
    await first.close()
    await server.crash()
    const snapshot = path.join(newFolder(), 'snapshot')
    server.copyTo(snapshot)
    await server.start()
    const writer = await openPostgres(url, { head: one })
    await writeAhead(url)
    // Wrote nothing and saw nothing written: only how far the server's log had come tells it.
    const idle = await openPostgres(url, { head: two })
    await writer.apply(claimed.id, claiming(claimed))
    await server.crash()
    server.restoreFrom(snapshot)
    await server.start()
    await expect(idle.apply(claimed.id, claiming(claimed))).rejects.toMatchObject({
      code: 'store_replaced',
    })
    await expect(writer.apply(claimed.id, claiming(claimed))).rejects.toMatchObject({
      code: 'store_replaced',
    })
    await Promise.all([idle.close(), writer.close()])
    const again = await openPostgres(url, { head: two })
    expect((await again.get(claimed.id))?.status).toBe('invalidated')
    expect(await reasons(url)).toEqual([{ reason: 'restored' }])
  },
  SLOW,
)

promise(
  ['CS-HA-3'],
  'a server that is crashed and recovers by itself is the same, and goes on',
  async () => {
    const server = await onServer()
    const url = await server.newDatabase()
    const [one = ''] = heads('one')
    const store = await openPostgres(url, { head: one })
    const unused = await yes(store)
    for (let crashes = 0; crashes < 3; crashes += 1) {
      await server.crash()
      await server.start()
      await yes(store)
      await store.assertWritable()
    }
    expect((await store.apply(unused.id, claiming(unused))).approval.execution?.state).toBe(
      'running',
    )
    expect(await reasons(url)).toEqual([])
  },
  SLOW,
)
