import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { newId } from '../../src/base/id.ts'
import type { Store } from '../../src/store/store.ts'
import { approverNamed, asking, claiming, deciding, finishing } from '../../src/testing/commands.ts'
import { minting } from '../../src/testing/grants.ts'
import { approved } from '../../src/testing/store-cases/expect.ts'
import { locking } from '../../src/testing/store-cases/lock.ts'
import { promise } from '../support/promise.ts'
import { newFolder, openSqlite } from './place.ts'

/** Two processes on one file, as far as SQLite can tell: two connections. */
async function twoHandles(clock?: () => number) {
  const file = path.join(newFolder(), 'approvals.db')
  const options = clock ? { clock } : {}
  return { file, one: await openSqlite(file, options), other: await openSqlite(file, options) }
}

function ask(store: Store, caps?: object) {
  const call = { agent: 'biller', run: 'run', key: crypto.randomUUID() }
  const request = { ...asking({ call }), ...(caps ? { caps } : {}) }
  return store.apply(request.id, request)
}

promise(['CS-LOCK-2'], 'a lock of another process holds for the next command here', async () => {
  const { one, other } = await twoHandles()
  const yes = await approved(one)
  await ask(one)
  const lock = locking({ everything: true })
  await other.amend(lock)
  await expect(ask(one)).rejects.toMatchObject({ code: 'locked' })
  await expect(one.apply(yes.id, claiming(yes))).rejects.toMatchObject({ code: 'locked' })
  const { content: _, ...lifting } = lock
  const changes = lock.changes.map(({ kind, id }) => ({ kind, id }))
  await other.amend({ ...lifting, commandId: crypto.randomUUID(), changes })
  expect((await one.apply(yes.id, claiming(yes))).approval.execution?.state).toBe('running')
})

test('what this process locks itself holds at once', async () => {
  const { one } = await twoHandles()
  await ask(one)
  await one.amend(locking({ everything: true }))
  await expect(ask(one)).rejects.toMatchObject({ code: 'locked' })
})

test('two processes take turns with one approval, and each sees what the other did', async () => {
  const { one, other } = await twoHandles()
  const { approval } = await ask(one)
  const decided = (await other.apply(approval.id, deciding(approval))).approval
  expect(decided.status).toBe('approved')
  expect(await one.get(approval.id)).toEqual(decided)
  const claimed = (await one.apply(approval.id, claiming(decided))).approval
  await expect(other.apply(approval.id, claiming(decided))).rejects.toMatchObject({
    code: 'already_claimed',
  })
  const finished = (await one.apply(approval.id, finishing(claimed))).approval
  expect(await other.get(approval.id)).toEqual(finished)
})

test('what another process did is seen although other commands came in between', async () => {
  const { one, other } = await twoHandles()
  const { approval } = await ask(one)
  const decided = (await other.apply(approval.id, deciding(approval))).approval
  await ask(one)
  await ask(one)
  const { execution } = (await one.apply(approval.id, claiming(decided))).approval
  expect(execution?.state).toBe('running')
})

test('an approval changed outside of Countersign is not taken from memory', async () => {
  const { file, one } = await twoHandles()
  const { approval } = await ask(one)
  const db = new DatabaseSync(file)
  db.exec('drop trigger approvals_next_revision; drop trigger approvals_same_call')
  db.prepare("update approvals set seal = 'forged' where id = ?").run(approval.id)
  db.close()
  await expect(one.apply(approval.id, deciding(approval))).rejects.toMatchObject({
    code: 'store_damaged',
  })
  await expect(one.get(approval.id)).rejects.toMatchObject({ code: 'store_damaged' })
})

promise(['CS-GATE-24'], 'the questions of a minute are counted as the clock moves', async () => {
  let now = 1_700_000_000_000
  const { one, other } = await twoHandles(() => now)
  const caps = { perMinute: 3 }
  const isTooMany = { code: 'too_many_pending' }
  await ask(one, caps)
  now += 30_000
  await ask(one, caps)
  await ask(one, caps)
  await expect(ask(one, caps)).rejects.toMatchObject(isTooMany)
  now += 30_000
  // The first one is a minute old, and the place it leaves is taken by another process.
  await ask(other, caps)
  await expect(ask(one, caps)).rejects.toMatchObject(isTooMany)
  // A clock that was set back finds the first one again.
  now -= 29_000
  await expect(ask(one, { perMinute: 4 })).rejects.toMatchObject(isTooMany)
  await ask(one, { perMinute: 5 })
})

test('what a process wrote is known without a read until another one commits', async () => {
  const { one, other } = await twoHandles()
  const { approval } = await ask(one)
  const { id } = approval
  expect(one.recent?.(id)?.approval).toEqual(approval)
  expect(one.recent?.(id)?.content).toEqual(await one.content(id))
  const yes = (await one.apply(id, { ...deciding(approval), reason: 'fine' })).approval
  expect(one.recent?.(id)?.approval).toEqual(yes)
  expect(one.recent?.(id)?.content).toEqual(await one.content(id))
  await one.erase(Date.now() + 1)
  expect(one.recent?.(id)?.content).toBeUndefined()
  await ask(other)
  expect(one.recent?.(id)).toBeUndefined()
})

test('what another process erased is not remembered, although the approval is', async () => {
  const { one, other } = await twoHandles()
  const { approval } = await ask(one)
  const { id } = approval
  await one.apply(id, deciding(approval, approverNamed('ana'), 'deny'))
  expect(await other.erase(Date.now() + 1_000)).toBeGreaterThan(0)
  // Looks at it again, and finds it as it was.
  await expect(one.apply(id, deciding(approval))).rejects.toThrow()
  await ask(one)
  expect(one.recent?.(id)?.approval.status).toBe('denied')
  expect(one.recent?.(id)?.content).toBeUndefined()
})

test('content too long to keep in memory is read', async () => {
  const { one } = await twoHandles()
  const large = asking()
  const text = JSON.stringify({ memo: 'x'.repeat(20_000) })
  await one.apply(large.id, { ...large, content: { ...large.content, arguments: text } })
  expect(one.recent?.(large.id)?.content).toBeUndefined()
})

test('a request looks first for what was denied in its run or granted to its agent', async () => {
  const { one } = await twoHandles()
  const first = asking({ call: { run: 'run', key: 'a' } })
  expect((await one.ask?.(first))?.approval.id).toBe(first.id)
  const like = { ...first, commandId: crypto.randomUUID(), id: newId() }
  expect(await one.ask?.(like)).toMatchObject({ joined: true, approval: { id: first.id } })
  await one.grants.apply('grant', minting({ id: 'grant', scope: { tool: 'refund' } }))
  await one.apply(first.id, deciding(first, approverNamed('ana'), 'deny'))
  const asks = async (call: object) => (await one.ask?.(asking({ call }))) !== undefined
  expect(await asks({ run: 'run', key: 'b' })).toBe(false)
  expect(await asks({ run: 'another', key: 'b' })).toBe(true)
  expect(await asks({ tool: 'refund' })).toBe(false)
  expect(await asks({ tool: 'refund', server: 'bank' })).toBe(true)
})
