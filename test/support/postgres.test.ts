import { Client } from 'pg'
import { expect, test } from 'vitest'
import { freshDatabase } from './postgres.ts'

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('tests talk to a real Postgres', async () => {
  const rows = await query(await freshDatabase(), 'select version()')
  expect(rows).toEqual([{ version: expect.stringMatching(/^PostgreSQL 18\./) }])
})

test('each database is new and sees nothing of the others', async () => {
  const [one, two] = await Promise.all([freshDatabase(), freshDatabase()])
  await query(one, 'create table only_here (id int)')
  const tables = "select table_name from information_schema.tables where table_schema = 'public'"
  expect(await query(one, tables)).toEqual([{ table_name: 'only_here' }])
  expect(await query(two, tables)).toEqual([])
})
