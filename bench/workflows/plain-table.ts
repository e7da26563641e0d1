/**
 * What an approver costs that keeps a question, its answer and that it was used, and nothing else:
 * one table, three synced commits, no rules, no record, no outbox. Commits of callers that wait at
 * the same moment are one.
 */
import { DatabaseSync } from 'node:sqlite'
import { Pool } from 'pg'
import { ANA, ARGS } from '../cycle/contestant.ts'

export interface PlainTable {
  /** The same again changes nothing. */
  ask(id: string): Promise<void>
  decide(id: string): Promise<void>
  /** Uses the answer, once. */
  take(id: string): Promise<void>
  close(): Promise<void>
}

const TABLE = `create table approvals (
  id text primary key, status text not null, args text not null, by text
)`

export function plainTable(where: string): Promise<PlainTable> {
  return where.startsWith('postgres') ? onPostgres(where) : onSqlite(`${where}/approvals.db`)
}

async function onPostgres(url: string): Promise<PlainTable> {
  const pool = new Pool({ connectionString: url, max: 32 })
  await pool.query(TABLE)
  const named = (name: string, text: string) => async (values: readonly unknown[]) =>
    (await pool.query({ name, text, values: [...values] })).rowCount ?? 0
  const insert = named(
    'ask',
    "insert into approvals values ($1, 'pending', $2, null) on conflict (id) do nothing",
  )
  const decide = named(
    'decide',
    "update approvals set status = 'approved', by = $2 where id = $1 and status = 'pending'",
  )
  const take = named(
    'take',
    "update approvals set status = 'used' where id = $1 and status = 'approved'",
  )
  return {
    ask: async (id) => void (await insert([id, JSON.stringify(ARGS)])),
    decide: async (id) => once(await decide([id, ANA.subject])),
    take: async (id) => once(await take([id])),
    close: () => pool.end(),
  }
}

async function onSqlite(file: string): Promise<PlainTable> {
  const db = new DatabaseSync(file)
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  db.exec(TABLE)
  const insert = db.prepare("insert or ignore into approvals values (?, 'pending', ?, null)")
  const decide = db.prepare(
    "update approvals set status = 'approved', by = ? where id = ? and status = 'pending'",
  )
  const take = db.prepare(
    "update approvals set status = 'used' where id = ? and status = 'approved'",
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
    ask: (id) => committed(() => void insert.run(id, JSON.stringify(ARGS))),
    decide: (id) => committed(() => once(decide.run(ANA.subject, id).changes)),
    take: (id) => committed(() => once(take.run(id).changes)),
    close: async () => db.close(),
  }
}

function once(changes: number | bigint): void {
  if (Number(changes) !== 1) throw new Error('not decided, or used twice')
}

/** Resolves when the workflow of a cycle has asked, with what it says of its wait. */
export function askedOnce<T = void>() {
  const waiting = new Map<string, (said: T) => void>()
  return {
    asked: (id: string) => new Promise<T>((resolve) => waiting.set(id, resolve)),
    told(id: string, said: T) {
      waiting.get(id)?.(said)
      waiting.delete(id)
    },
  }
}
