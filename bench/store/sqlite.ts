import { closeSync, fdatasyncSync, mkdtempSync, openSync, writeSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Plan } from '../../src/store/engine/plan.ts'
import { MIGRATIONS } from '../../src/store/sqlite/migrations/migrations.ts'
import { prepareAll } from '../../src/store/sqlite/statements.ts'
import { writePlan } from '../../src/store/sqlite/write.ts'
import { TENANT } from './bare.ts'
import { quantile } from './sample.ts'

/** The same tables and indexes without a trigger, and statements without a store around them. */
export function bareSqlite(folder: string): {
  commit(plans: readonly Plan[]): void
  close(): void
} {
  const db = new DatabaseSync(path.join(mkdtempSync(path.join(folder, 'bare-')), 'bare.db'))
  db.exec('pragma journal_mode = wal; pragma synchronous = full')
  db.exec('pragma wal_autocheckpoint = 4000; pragma cache_size = -16000')
  // As the store does while it migrates: one step rewords checks in the schema itself.
  ;(db as { enableDefensive?: (active: boolean) => void }).enableDefensive?.(false)
  for (const { sql } of MIGRATIONS)
    db.exec(sql.replace(/create trigger[\s\S]*?\nend;|drop trigger \w+;/g, ''))
  const statements = prepareAll(db)
  return {
    commit(plans) {
      db.exec('begin immediate')
      for (const plan of plans) writePlan(statements, TENANT, plan)
      db.exec('commit')
    },
    close: () => db.close(),
  }
}

/** How long one sync of so many bytes takes here, written over and over into one file. */
export function syncTime(folder: string, bytes: number, samples = 150): number {
  const size = 4 * 1_048_576
  const file = openSync(path.join(folder, 'sync.bin'), 'w')
  writeSync(file, Buffer.alloc(size))
  fdatasyncSync(file)
  const block = Buffer.alloc(bytes, 1)
  const times: number[] = []
  for (let index = 0; index < samples; index += 1) {
    const started = performance.now()
    writeSync(file, block, 0, bytes, (index * bytes) % (size - bytes))
    fdatasyncSync(file)
    times.push(performance.now() - started)
  }
  closeSync(file)
  return quantile(times, 0.5)
}
