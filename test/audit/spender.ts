/** Spends the names it reads, one per line, and says of each whether it was the first. */
import { createInterface } from 'node:readline'
import { postgresStore } from '../../src/store/postgres/index.ts'
import { sqliteStore } from '../../src/store/sqlite/index.ts'

const db = process.argv[2] ?? ''
const store = await (db.startsWith('postgres') ? postgresStore(db) : sqliteStore(db))
process.stdout.write('ready\n')
for await (const jti of createInterface(process.stdin)) {
  const isFirst = await store.vault.spend(jti, Date.now() + 60_000)
  process.stdout.write(`${isFirst}\n`)
}
await store.close()
