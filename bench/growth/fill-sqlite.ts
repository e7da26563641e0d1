import { renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'
import { prepareAll } from '../../src/store/sqlite/statements.ts'
import { writePlan } from '../../src/store/sqlite/write.ts'
import { createDerived } from './fill-derived.ts'
import { createHistory, TENANT } from './history.ts'

/**
 * Fills a file under another name first: one that is there under its own is whole. Indexes are made
 * when all rows are there, and triggers put back then.
 */
export async function fillSqlite(
  file: string,
  size: number,
  progress: (done: number) => void = () => {},
): Promise<void> {
  const part = `${file}.part`
  for (const end of ['', '-wal', '-shm']) rmSync(`${part}${end}`, { force: true })
  await (await openSqlite(part)).close()
  const db = new DatabaseSync(part)
  db.exec(
    'pragma journal_mode = memory; pragma synchronous = off; pragma cache_size = -800000; pragma temp_store = memory',
  )
  // Prepared before the indexes go: reads name the index they want. Of these, only inserts run.
  const statements = prepareAll(db)
  const derived = createDerived(db)
  const later = db
    .prepare(
      "select type, name, sql from sqlite_schema where type in ('trigger', 'index') and sql is not null",
    )
    .all()
  // An approval begins at revision 1 for a process; here it is written as it ended.
  for (const { type, name } of later) db.exec(`drop ${String(type)} ${String(name)}`)
  const history = createHistory(size)
  statements.register.run(history.writer, TENANT, history.begin, history.begin, Date.now())
  let done = 0
  db.exec('begin')
  for (let one = history.next(); one; one = history.next()) {
    writePlan(statements, TENANT, one)
    derived.take(one)
    done += one.writes.length
    if (done % 10_000 === 0) progress(done)
  }
  derived.finish()
  db.exec('commit')
  for (const { sql } of later) db.exec(String(sql))
  db.exec('pragma optimize; pragma journal_mode = wal')
  db.close()
  renameSync(part, file)
}
