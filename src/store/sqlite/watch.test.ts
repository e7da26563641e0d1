import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder, openSqlite } from '../../../test/stores/place.ts'
import { promise } from '../../../test/support/promise.ts'
import { asking, deciding } from '../../testing/commands.ts'
import { openFile } from './open.ts'
import { prepareAll, type Statements } from './statements.ts'
import { watchFile } from './watch.ts'

const newFile = () => path.join(newFolder(), 'approvals.db')

/** A question in a file, and the changes of that file as another process sees them. */
async function watched(breaking: (sql: Statements) => Partial<Statements>) {
  const file = newFile()
  const writer = await openSqlite(file)
  const ask = async () => {
    const request = asking()
    return (await writer.apply(request.id, request)).approval
  }
  const [one, other] = [await ask(), await ask()]
  const { db } = await openFile(file)
  onTestFinished(() => db.close())
  const sql = prepareAll(db)
  const get = async (id: string) => (id === one.id ? one : other)
  const changes = watchFile({ ...sql, ...breaking(sql) }, { tenant: 'default', get })
  onTestFinished(() => changes.close())
  return { writer, changes, one, other }
}

test('a change that could not be read when it was seen is told once it can be', async () => {
  let failures = 2
  const { writer, changes, one } = await watched((sql) => ({
    approval: {
      ...sql.approval,
      get(...values) {
        if (failures-- > 0) throw new Error('disk I/O error')
        return sql.approval.get(...values)
      },
    },
  }))
  const told = changes.waitFor(one.id, one.revision)
  await writer.apply(one.id, deciding(one))
  await expect(told).resolves.toMatchObject({ id: one.id, status: 'approved' })
})

test('a row that was tampered with ends the wait for it, and holds up no other', async () => {
  let isTampered = true
  const { writer, changes, one, other } = await watched((sql) => ({
    approval: {
      ...sql.approval,
      get(tenant, id) {
        const row = sql.approval.get(tenant as string, id as string)
        if (id !== one.id || !row || !isTampered) return row
        isTampered = false
        return { ...row, body: '{}' }
      },
    },
  }))
  const told = [one, other].map(({ id, revision }) => changes.waitFor(id, revision))
  const ended = Promise.allSettled(told)
  await writer.apply(one.id, deciding(one))
  await writer.apply(other.id, deciding(other))
  expect(await ended).toMatchObject([
    { status: 'rejected', reason: { code: 'store_damaged' } },
    { status: 'fulfilled', value: { id: other.id, status: 'approved' } },
  ])
})

promise(['CS-HA-3'], 'who waits for an answer hears that the file became another one', async () => {
  const file = newFile()
  await (await openSqlite(file)).close()
  const backup = readFileSync(file)
  const store = await openSqlite(file)
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  const heard = Promise.allSettled([store.waitFor(approval.id, approval.revision)])
  // Into the log, too: what it says would otherwise be played back over the backup.
  writeFileSync(file, backup)
  writeFileSync(`${file}-wal`, '')
  writeFileSync(`${file}-shm`, Buffer.alloc(32_768))
  await expect(store.assertWritable()).rejects.toMatchObject({ code: 'store_replaced' })
  expect(await heard).toMatchObject([{ reason: { code: 'store_replaced' } }])
  // Nor does a later one wait for what never comes.
  await expect(store.waitFor(approval.id, approval.revision)).rejects.toMatchObject({
    code: 'store_replaced',
  })
})
