import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { textArray } from '../../src/store/postgres/transaction.ts'
import { HEARTBEAT_MS, type Store, type StorePoint } from '../../src/store/store.ts'
import { asking, claiming, deciding } from '../../src/testing/commands.ts'
import { locking } from '../../src/testing/store-cases/lock.ts'
import { freshDatabase } from '../support/postgres.ts'
import { openPostgres, rawClient } from './place.ts'

/*
 * A process that wrote an approval last plans its next change without reading it. The server holds
 * everything the plan rests on against what is there, and writes nothing where it differs.
 */

async function opened() {
  const url = await freshDatabase()
  const points: StorePoint[] = []
  const store = await openPostgres(url, { probe: (point) => points.push(point) })
  const ask = async () => {
    const request = asking()
    return (await store.apply(request.id, request)).approval
  }
  // The first transaction of a process opens its chain, and the second reads what is locked.
  await ask()
  await ask()
  return { url, store, ask, points, raw: await rawClient(url) }
}

async function types(store: Store, id: string): Promise<string[]> {
  return (await store.events(id)).map(({ event }) => event.type)
}

const BLOCKED = `
  select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`

/** As another process would leave it: other bytes, with the seal of these. */
const CHANGE = `
  update countersign.approvals set body = body || ' ',
    seal = encode(sha256(convert_to(body || ' ', 'UTF8')), 'hex') where id = $1`

test('what a process knows is changed in one round trip', async () => {
  const { store, ask, points } = await opened()
  // A machine that is busy for half a second has it read: then it is tried again.
  const cycle = async () => {
    points.length = 0
    const approval = await ask()
    const { approval: yes } = await store.apply(approval.id, deciding(approval))
    const { approval: claimed } = await store.apply(yes.id, claiming(yes))
    expect(claimed.execution).toMatchObject({ state: 'running' })
    expect(await types(store, yes.id)).toEqual(['requested', 'decided', 'approved', 'claimed'])
    // A transaction that reads says `locked` between its two round trips.
    expect(points).toEqual([1, 2, 3].flatMap(() => ['committing', 'committed']))
  }
  await vi.waitFor(cycle, 20_000)
}, 30_000)

test('what was planned on top of a batch that was not written is not written either', async () => {
  const { store, ask, points, raw, url } = await opened()
  const [first, second] = [await ask(), await ask()]
  const onlooker = await rawClient(url)
  await raw.query('begin')
  await raw.query("set local session_replication_role = 'replica'")
  await raw.query(CHANGE, [first.id])
  points.length = 0
  const one = store.apply(first.id, deciding(first))
  await vi.waitFor(async () => expect((await onlooker.query(BLOCKED)).rowCount).toBe(1), 5_000)
  const two = store.apply(second.id, deciding(second))
  await vi.waitFor(() => expect(points).toEqual(['committing', 'committing']), 5_000)
  await raw.query('commit')
  expect((await one).approval.status).toBe('approved')
  expect((await two).approval.status).toBe('approved')
  for (const { id } of [first, second]) {
    expect(await types(store, id)).toEqual(['requested', 'decided', 'approved'])
  }
  const { entries } = await store.eventsSince('start', 1_000)
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1))
  // Neither was written unread: both were read after it, in their order.
  expect(points.filter((point) => point === 'locked')).toHaveLength(2)
})

test('a row that no longer matches its seal is not taken for the one that is known', async () => {
  const { store, ask, raw } = await opened()
  const approval = await ask()
  await raw.query("set session_replication_role = 'replica'")
  await raw.query("update countersign.approvals set body = body || ' ' where id = $1", [
    approval.id,
  ])
  await expect(store.apply(approval.id, deciding(approval))).rejects.toMatchObject({
    code: 'store_damaged',
  })
})

test('a plan that waited is made again by the clock as it is then', async () => {
  const { store, ask, raw } = await opened()
  const approval = await ask()
  await raw.query('begin')
  await raw.query('select 1 from countersign.approvals where id = $1 for update', [approval.id])
  const decision = store.apply(approval.id, deciding(approval))
  await sleep(700)
  const { rows } = await raw.query(
    'select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  )
  await raw.query('commit')
  const { events } = await decision
  expect(events[0]?.event.at).toBeGreaterThanOrEqual(rows[0].now)
})

test('a deadline that passes while a known plan waits has passed', async () => {
  const { store, raw } = await opened()
  const request = asking({ terms: { decideBy: 600 } })
  const { approval } = await store.apply(request.id, request)
  await sleep(350)
  await raw.query('begin')
  await raw.query('select 1 from countersign.approvals where id = $1 for update', [approval.id])
  const answer = store.apply(approval.id, deciding(approval))
  answer.catch(() => {})
  await sleep(300)
  await raw.query('commit')
  await expect(answer).rejects.toMatchObject({ code: 'expired' })
})

test('a shorter life that the policy gives a yes counts while a known claim waits', async () => {
  const { store, ask, raw } = await opened()
  const approval = await ask()
  const { approval: yes } = await store.apply(approval.id, deciding(approval))
  await sleep(350)
  await raw.query('begin')
  await raw.query('select 1 from countersign.approvals where id = $1 for update', [yes.id])
  const { answer, ...claim } = claiming(yes)
  const terms = { ...yes.terms, useBy: 600 }
  const claimed = store.apply(yes.id, { ...claim, answer: { ...answer, terms } })
  claimed.catch(() => {})
  await sleep(300)
  await raw.query('commit')
  await expect(claimed).rejects.toMatchObject({ code: 'expired' })
})

test('a question that others are asked while a known plan waits is asked of them', async () => {
  const { store, raw } = await opened()
  // The row says only when a reminder was due: what comes behind that is not in it.
  const request = asking({ terms: { remindAfter: 100 } })
  const escalate = [{ after: 600, to: { group: 'staff' } }]
  const requirements = request.requirements.map((one) => ({ ...one, escalate }))
  const { approval } = await store.apply(request.id, { ...request, requirements })
  await sleep(350)
  await raw.query('begin')
  await raw.query('select 1 from countersign.approvals where id = $1 for update', [approval.id])
  const answer = store.apply(approval.id, deciding(approval))
  await sleep(300)
  await raw.query('commit')
  await answer
  expect(await types(store, approval.id)).toEqual(['requested', 'escalated', 'decided', 'approved'])
})

test('a sign of life that was not written with a known plan is written with the next', async () => {
  const url = await freshDatabase()
  const store = await openPostgres(url)
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  const raw = await rawClient(url)
  await raw.query("set session_replication_role = 'replica'")
  await raw.query(CHANGE, [approval.id])
  await store.apply(approval.id, deciding(approval))
  const beats = 'select 1 from countersign.instances where seen_at > started_at'
  expect((await raw.query(beats)).rowCount).toBe(1)
})

test('a lock that another server set holds back what this one knows', async () => {
  const { url, store, ask } = await opened()
  const approval = await ask()
  const { approval: yes } = await store.apply(approval.id, deciding(approval))
  const other = await openPostgres(url)
  await other.amend(locking({ approval: yes.id }))
  await expect(store.apply(yes.id, claiming(yes))).rejects.toMatchObject({ code: 'locked' })
})

test('a question that is asked unread is counted once no one else asks', async () => {
  const { url, store, points, raw } = await opened()
  const onlooker = await rawClient(url)
  const counted = async () => {
    await raw.query('begin')
    await raw.query("select pg_advisory_xact_lock(hashtextextended('default biller', 4749))")
    points.length = 0
    const request = { ...asking(), caps: { pending: 100 } }
    const answer = store.apply(request.id, request)
    await vi.waitFor(async () => expect((await onlooker.query(BLOCKED)).rowCount).toBe(1), 5_000)
    // It was sent at once, and waits.
    const reached = [...points]
    await raw.query('commit')
    await answer
    expect(reached).toEqual(['committing'])
  }
  await vi.waitFor(counted, 20_000)
}, 30_000)

test('what has to be read is read once no one else is changing it', async () => {
  const { url, ask, raw } = await opened()
  const approval = await ask()
  const points: StorePoint[] = []
  const other = await openPostgres(url, { probe: (point) => points.push(point) })
  const onlooker = await rawClient(url)
  await raw.query('begin')
  await raw.query('select 1 from countersign.approvals where id = $1 for update', [approval.id])
  const answer = other.apply(approval.id, deciding(approval))
  await vi.waitFor(async () => expect((await onlooker.query(BLOCKED)).rowCount).toBe(1), 5_000)
  expect(points).toEqual([])
  await raw.query('commit')
  expect((await answer).approval.status).toBe('approved')
  expect(points).toEqual(['locked', 'committing', 'committed'])
})

test('a process that has nothing to write says that it is there', async () => {
  const url = await freshDatabase()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => {
    vi.useRealTimers()
  })
  const store = await openPostgres(url)
  const request = asking()
  await store.apply(request.id, request)
  const raw = await rawClient(url)
  const beats = 'select 1 from countersign.instances where seen_at > started_at'
  expect((await raw.query(beats)).rowCount).toBe(0)
  await vi.advanceTimersByTimeAsync(HEARTBEAT_MS)
  await expect.poll(async () => (await raw.query(beats)).rowCount, { timeout: 5_000 }).toBe(1)
})

/** What a process knows of a database that is as it was, and now. */
const AS_IT_IS = {
  database: '(select database from countersign.identity)',
  server: `extract(epoch from pg_postmaster_start_time())::text || ' ' ||
    pg_relation_filepath('countersign.identity')`,
  timeline: 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)',
  flushed: "(pg_current_wal_flush_lsn() - '0/0'::pg_lsn)::bigint",
  position: '(select max(position) from countersign.events)',
  hash: '(select hash from countersign.events order by position desc limit 1)',
  now: 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint',
}

test('only a database that is as it was takes known plans', async () => {
  const { raw } = await opened()
  const taken = async (known: Partial<typeof AS_IT_IS>) => {
    const { database, server, timeline, flushed, position, hash, now } = { ...AS_IT_IS, ...known }
    const values = [database, server, timeline, flushed, position, hash, now].join(', ')
    const nothing = Array.from({ length: 15 }, () => 'null').join(', ')
    const sql = `select * from countersign.apply_batch('default', ${values}, ${nothing})`
    return (await raw.query(sql)).rowCount
  }
  expect(await taken({})).toBe(1)
  const others: readonly Partial<typeof AS_IT_IS>[] = [
    { database: "'another'" },
    { server: "'elsewhere'" },
    { timeline: "'000000FF'" },
    { flushed: `${AS_IT_IS.flushed} + 1000000000` },
    { hash: "'unknown'" },
    { now: `${AS_IT_IS.now} + 1000` },
    { now: `${AS_IT_IS.now} - 600` },
  ]
  for (const other of others) expect([other, await taken(other)]).toEqual([other, 0])
})

test('an empty list is one to the server', async () => {
  const client = await rawClient(await freshDatabase())
  const lists = [[], ['a'], ['a', null, 'ü"{}']]
  for (const list of lists) {
    const { rows } = await client.query('select $1::text[] as list', [textArray(list)])
    expect(rows).toEqual([{ list }])
  }
})
