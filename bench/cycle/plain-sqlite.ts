/**
 * What a person would write by hand: one table, one row per call, an insert and three updates, and
 * one synced commit for all callers that wait at that moment. No rules, no audit, no other process.
 */
import { DatabaseSync } from 'node:sqlite'
import { ARGS, type Cycles } from './contestant.ts'

export async function open(folder: string): Promise<Cycles> {
  const db = new DatabaseSync(`${folder}/cycle.db`)
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  db.exec(`create table approvals (
    id text primary key, status text not null, args text not null, by text, result text
  ) without rowid`)
  const insert = db.prepare("insert into approvals (id, status, args) values (?, 'pending', ?)")
  const decide = db.prepare(
    "update approvals set status = 'approved', by = ? where id = ? and status = 'pending'",
  )
  const claim = db.prepare(
    "update approvals set status = 'running' where id = ? and status = 'approved'",
  )
  const finish = db.prepare(
    "update approvals set status = 'done', result = ? where id = ? and status = 'running'",
  )

  let queue: { write: () => void; done: () => void }[] = []
  function flush(): void {
    const batch = queue
    queue = []
    db.exec('begin immediate')
    for (const { write } of batch) write()
    db.exec('commit')
    for (const { done } of batch) done()
  }
  const committed = (write: () => void) =>
    new Promise<void>((done) => {
      if (queue.length === 0) setImmediate(flush)
      queue.push({ write, done })
    })

  return {
    async cycle() {
      const id = crypto.randomUUID()
      await committed(() => insert.run(id, JSON.stringify(ARGS)))
      const sent = performance.now()
      await committed(() => decide.run('ana', id))
      await committed(() => {
        if (claim.run(id).changes !== 1) throw new Error('claimed twice')
      })
      const wake = performance.now() - sent
      const result = { receipt: 'r-1', amount: ARGS.amount }
      await committed(() => finish.run(JSON.stringify(result), id))
      return { wake }
    },
    async close() {
      db.close()
    },
  }
}
