import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { Client } from 'pg'

/** What a contestant wrote so far. Undefined where this machine cannot say. */
export interface Written {
  readonly bytes?: number
  readonly rows?: number
  readonly statements?: number
  readonly commits?: number
  readonly syncs?: number
}

/** A session of Postgres hands in what it counted at the latest after being idle this long. */
export const COUNTED_AFTER_MS = 10_500

/** Counters of Postgres itself: no contestant counts for itself. */
export async function postgresCounters(url: string): Promise<() => Promise<Written>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  client.on('error', () => {})
  await client.query('create extension if not exists pg_stat_statements')
  return async () => {
    const { rows } = await client.query(`
      select
        (select pg_current_wal_insert_lsn() - '0/0')::float8 as bytes,
        (select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables)::float8 as rows,
        (select sum(calls) from pg_stat_statements s join pg_database d on d.oid = s.dbid
          where d.datname = current_database())::float8 as statements,
        (select xact_commit from pg_stat_database where datname = current_database())::float8 as commits,
        (select sum(fsyncs) from pg_stat_io where object = 'wal')::float8 as syncs`)
    return rows[0] as Written
  }
}

/** What a process and its children wrote to disk, and the rows their SQLite file holds. */
export async function processCounters(pid: number, database?: string): Promise<Written> {
  const bytes = familyOf(pid).reduce((sum, one) => sum + writtenBy(one), 0)
  return { bytes, ...(database ? { rows: rowsIn(database) } : {}) }
}

function familyOf(pid: number): number[] {
  const tasks = readdirSync(`/proc/${pid}/task`)
  const children = tasks.flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))]
}

const TICKS_A_SECOND = 100

/** Processor time that a process, its children and those that ended have used so far, in milliseconds. */
export function processorOf(pid: number): number {
  const ticks = familyOf(pid).reduce((sum, one) => {
    // The name, in brackets, can hold spaces.
    const [, after = ''] = /\) (.*)/s.exec(readFileSync(`/proc/${one}/stat`, 'utf8')) ?? []
    const fields = after.split(' ')
    // utime, stime, and the same of the children that were waited for.
    return sum + [11, 12, 13, 14].reduce((all, at) => all + Number(fields[at] ?? 0), 0)
  }, 0)
  return (ticks * 1_000) / TICKS_A_SECOND
}

function writtenBy(pid: number): number {
  const [, bytes = '0'] = /^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8')) ?? []
  return Number(bytes)
}

function rowsIn(file: string): number {
  const db = new DatabaseSync(file, { readOnly: true })
  const tables = db.prepare("select name from sqlite_schema where type = 'table'").all()
  const counts = tables.map(({ name }) =>
    Number(db.prepare(`select count(*) as n from "${name}"`).get()?.n ?? 0),
  )
  db.close()
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Counts the syncs of a process family while `work` runs; undefined without strace. */
export async function syncsDuring(
  pid: number,
  work: () => Promise<unknown>,
): Promise<number | undefined> {
  if (spawnSync('strace', ['-V']).status !== 0) {
    await work()
    return undefined
  }
  const flags = familyOf(pid).flatMap((one) => ['-p', String(one)])
  const tracer = spawn('strace', ['-f', '-qq', '-e', 'trace=fsync,fdatasync', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let seen = 0
  tracer.stderr.on('data', (chunk: Buffer) => {
    seen += chunk.toString().match(/\bf(?:data)?sync\(/g)?.length ?? 0
  })
  await new Promise((resolve) => setTimeout(resolve, 500))
  await work()
  const ended = new Promise((resolve) => tracer.once('close', resolve))
  tracer.kill('SIGINT')
  await ended
  return seen
}
