import path from 'node:path'
import { expect } from 'vitest'
import { claiming } from '../../src/testing/commands.ts'
import { promise } from '../support/promise.ts'
import { heads, onServer, yes } from './crashable.ts'
import { newFolder, openPostgres, rawClient } from './place.ts'

const SLOW = 120_000

promise(
  ['CS-HA-3', 'CS-GATE-1'],
  'servers that outlive a copy put in the place of their database start nothing again',
  async () => {
    const server = await onServer()
    const url = await server.newDatabase()
    const name = new URL(url).pathname.slice(1)
    const [one = '', two = ''] = heads('one', 'two')
    const first = await openPostgres(url, { head: one })
    const claimed = await yes(first)
    await first.close()
    // Wrote nothing itself, and last looked before the copy was made.
    const idle = await openPostgres(url, { head: two })
    const admin = await rawClient(server.url)
    const disconnect = async () => {
      const others = `from pg_stat_activity where datname = '${name}'`
      await admin.query(`select pg_terminate_backend(pid) ${others}`)
      const left = async () => (await admin.query(`select 1 ${others}`)).rows.length
      await expect.poll(left, { timeout: 10_000 }).toBe(0)
    }
    await disconnect()
    await admin.query(`create database kept template ${name}`)
    const writer = await openPostgres(url, { head: one })
    await writer.apply(claimed.id, claiming(claimed))
    await writer.close()
    await disconnect()
    await admin.query(`drop database ${name}`)
    await admin.query(`alter database kept rename to ${name}`)
    await expect(idle.apply(claimed.id, claiming(claimed))).rejects.toMatchObject({
      code: 'store_replaced',
    })
    await expect(idle.assertWritable()).rejects.toMatchObject({ code: 'store_replaced' })
    expect(idle.lost.aborted).toBe(true)
    await idle.close()
    const again = await openPostgres(url, { head: two })
    expect((await again.get(claimed.id))?.status).toBe('invalidated')
  },
  SLOW,
)

promise(
  ['CS-HA-3', 'CS-GATE-1'],
  'a server notices a snapshot put back although a new server has written past it since',
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
    await writer.apply(claimed.id, claiming(claimed))
    await writer.close()
    const idle = await openPostgres(url, { head: two })
    await server.crash()
    server.restoreFrom(snapshot)
    await server.start()
    const admin = await rawClient(server.url)
    await admin.query('create table filler as select generate_series(1, 200000)')
    await expect(idle.apply(claimed.id, claiming(claimed))).rejects.toMatchObject({
      code: 'store_replaced',
    })
  },
  SLOW,
)
