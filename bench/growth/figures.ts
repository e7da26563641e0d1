/**
 * What is measured on a store itself, in a process of its own so that its memory is its own:
 * `figures.ts sqlite|postgres PLACE SIZE`.
 */
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { lineOf, recordsOf } from '../../src/gate/audit/audit-records.ts'
import { verifyAudit } from '../../src/gate/audit/audit-verify.ts'
import { loadDriver } from '../../src/store/postgres/connect.ts'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import type { Store } from '../../src/store/store.ts'

export interface Figure {
  readonly name: string
  readonly value: number
  readonly unit: string
}

const [kind, place = '', given = '0'] = process.argv.slice(2)
const size = Number(given)
const figures: Figure[] = []

async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const begun = performance.now()
  const result = await work()
  return [performance.now() - begun, result]
}

function peakMegabytes(): number {
  return process.resourceUsage().maxRSS / 1_024
}

async function bytes(): Promise<number> {
  if (kind === 'sqlite') {
    const db = new DatabaseSync(place, { readOnly: true })
    const read = (name: string) => Number(db.prepare(`pragma ${name}`).get()?.[name])
    const size = (read('page_count') - read('freelist_count')) * read('page_size')
    db.close()
    return size
  }
  const { pool } = await loadDriver(place)
  const { rows } = await pool.query('select pg_database_size(current_database())::text as bytes')
  await pool.end()
  return Number(rows[0]?.bytes)
}

async function measure(store: Store): Promise<void> {
  const [sweep] = await timed(() => store.due(100))
  figures.push({ name: 'sweep, nothing due', value: sweep, unit: 'ms' })
  figures.push({ name: 'bytes', value: (await bytes()) / size, unit: 'B/approval' })
  const hash = (text: string) => createHash('sha256').update(text).digest('hex')
  const at = await store.now()
  const start = peakMegabytes()
  const log = await store.vault.log()
  const [verify, report] = await timed(() =>
    verifyAudit(() => recordsOf(log, { at, rows: true }), { hash }),
  )
  if (!report.ok) throw new Error(`the record is not intact: ${JSON.stringify(report.problem)}`)
  figures.push({ name: 'verify', value: (verify / report.entries) * 1_000, unit: 'µs/entry' })
  figures.push({ name: 'memory of verifying', value: peakMegabytes() - start, unit: 'MB more' })
  const [exported, entries] = await timed(async () => {
    let count = 0
    let length = 0
    for await (const record of recordsOf(log, { at })) {
      if (record.kind === 'entry') count += 1
      length += lineOf(record).length
    }
    if (length === 0) throw new Error('nothing was exported')
    return count
  })
  await log.close()
  figures.push({ name: 'export', value: (exported / entries) * 1_000, unit: 'µs/entry' })
  figures.push({ name: 'memory of both', value: peakMegabytes() - start, unit: 'MB more' })
  const [erase, erased] = await timed(() => store.erase(Date.now() - 59 * 86_400_000))
  const each = (erase / Math.max(erased, 1)) * 1_000
  figures.push({ name: 'erase', value: each, unit: 'µs/piece' })
}

const store = kind === 'sqlite' ? await openSqlite(place) : await openPostgres(place)
await measure(store)
await store.close()
process.send?.(figures)
process.disconnect()
