/**
 * What a person would write by hand: one table, one row per call, an insert and three updates, each
 * its own commit over a pool, and the waiting caller woken by LISTEN/NOTIFY. No rules, no audit.
 */
import { Client, Pool } from 'pg'
import { ARGS, type Cycles } from './contestant.ts'

export async function open(url: string): Promise<Cycles> {
  const pool = new Pool({ connectionString: url, max: 32 })
  const listener = new Client({ connectionString: url })
  await listener.connect()
  await pool.query(`create table approvals (
    id uuid primary key, status text not null, args jsonb not null, by text, result jsonb
  )`)
  await listener.query('listen decided')
  const waiting = new Map<string, () => void>()
  listener.on('notification', ({ payload = '' }) => waiting.get(payload)?.())
  const named = (name: string, text: string) => (values: readonly unknown[]) =>
    pool.query({ name, text, values: [...values] })
  const insert = named(
    'insert',
    "insert into approvals (id, status, args) values ($1, 'pending', $2)",
  )
  const decide = named(
    'decide',
    `with decided as (update approvals set status = 'approved', by = $2
       where id = $1 and status = 'pending' returning id)
     select pg_notify('decided', id::text) from decided`,
  )
  const claim = named(
    'claim',
    "update approvals set status = 'running' where id = $1 and status = 'approved'",
  )
  const finish = named(
    'finish',
    "update approvals set status = 'done', result = $2 where id = $1 and status = 'running'",
  )

  return {
    async cycle() {
      const id = crypto.randomUUID()
      await insert([id, JSON.stringify(ARGS)])
      const woken = new Promise<void>((resolve) => waiting.set(id, resolve))
      const sent = performance.now()
      const deciding = decide([id, 'ana'])
      await woken
      waiting.delete(id)
      if ((await claim([id])).rowCount !== 1) throw new Error('claimed twice')
      const wake = performance.now() - sent
      await finish([id, JSON.stringify({ receipt: 'r-1', amount: ARGS.amount })])
      await deciding
      return { wake }
    },
    async close() {
      await listener.end()
      await pool.end()
    },
  }
}
