/** Spends the names it reads, one per line, and says of each whether it was the first. */
import { createInterface } from 'node:readline'
import { openPostgres } from '../../src/store/postgres/open-store.ts'
import { openSqlite } from '../../src/store/sqlite/open-store.ts'

const db = process.argv[2] ?? ''
const store = await (db.startsWith('postgres') ? openPostgres(db) : openSqlite(db))
process.stdout.write('ready\n')
for await (const jti of createInterface(process.stdin)) {
  const isFirst = await store.vault.spend(jti, Date.now() + 60_000)
  process.stdout.write(`${isFirst}\n`)
}
await store.close()
