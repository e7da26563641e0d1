import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { newId } from '../../src/base/id.ts'
import { MIGRATIONS } from '../../src/store/postgres/migrations/migrations.ts'
import { approverNamed, asking, claiming, deciding } from '../../src/testing/commands.ts'
import { granted, minting, revoking } from '../../src/testing/grants.ts'
import { freshDatabase } from '../support/postgres.ts'
import { promise } from '../support/promise.ts'
import { openPostgres, rawClient } from './place.ts'

async function withOneClaim(url: string) {
  const store = await openPostgres(url)
  const request = asking({ call: { run: 'run', key: 'key' } })
  const { approval } = await store.apply(request.id, request)
  const yes = await store.apply(approval.id, deciding(approval))
  await store.apply(approval.id, claiming(yes.approval))
  return { store, approval }
}

test.each(['the server that asked', 'another server'])(
  'an answer that waited at %s for a lock past the deadline is late',
  async (where) => {
    const url = await freshDatabase()
    const asker = await openPostgres(url)
    // What it wrote itself a server knows; another one reads it first.
    const store = where === 'another server' ? await openPostgres(url) : asker
    const request = asking({ terms: { decideBy: 600 } })
    const { approval } = await asker.apply(request.id, request)
    const other = await rawClient(url)
    await other.query('begin')
    await other.query('select 1 from countersign.approvals where id = $1 for update', [approval.id])
    const answer = store.apply(approval.id, deciding(approval))
    answer.catch(() => {})
    await sleep(900)
    await other.query('commit')
    await expect(answer).rejects.toMatchObject({ code: 'expired' })
    expect((await store.get(approval.id))?.status).toBe('expired')
  },
)

promise(
  ['CS-GRANT-3'],
  'a claim by a grant waits for a revocation that is under way, and then starts nothing',
  async () => {
    const url = await freshDatabase()
    const [here, there] = [await openPostgres(url), await openPostgres(url)]
    const grant = await here.grants.apply(newId(), minting())
    const request = granted(grant, { unclaimed: true })
    const { approval } = await here.apply(request.id, request)
    // Inside of a transaction, what others do is shown as it was at the first look.
    const [other, watcher] = [await rawClient(url), await rawClient(url)]
    const waiting = async () => {
      const { rows } = await watcher.query(
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
      )
      return rows.length
    }
    await other.query('begin')
    await other.query('select 1 from countersign.grants where id = $1 for update', [grant.id])
    const revoked = there.grants.apply(grant.id, revoking(approverNamed('ana')))
    await expect.poll(waiting, { timeout: 15_000 }).toBe(1)
    // The claim only reads the grant: no revision of it could tell that it read too early.
    const claimed = here.apply(approval.id, { ...claiming(approval), grant: grant.id })
    claimed.catch(() => {})
    await expect.poll(waiting, { timeout: 15_000 }).toBe(2)
    await other.query('commit')
    expect((await revoked).state).toBe('revoked')
    await expect(claimed).rejects.toMatchObject({ code: 'invalidated' })
    expect(await here.get(approval.id)).toMatchObject({ status: 'invalidated', reason: 'revoked' })
  },
)

test('even by hand, the rules of the tables hold', async () => {
  const url = await freshDatabase()
  await withOneClaim(url)
  const client = await rawClient(url)
  const attempts: [string, RegExp][] = [
    ["update countersign.events set type = 'denied'", /kept as they are/],
    ['delete from countersign.events', /kept as they are/],
    ['truncate countersign.events', /kept as they are/],
    [
      `insert into countersign.events (tenant, writer, seq, prev, hash, type, at, body)
       select tenant, writer, 99, prev, 'x', type, at, body from countersign.events where seq = 2`,
      /follows the one before/,
    ],
    ['insert into countersign.votes select * from countersign.votes', /duplicate key/],
    ["update countersign.votes set verdict = 'approve'", /only ever turns/],
    ['delete from countersign.votes', /kept as they are/],
    [
      `insert into countersign.claims
       select tenant, approval, 'other', instance, at from countersign.claims`,
      /duplicate key/,
    ],
    ["update countersign.claims set claim = 'other'", /kept as they are/],
    ['delete from countersign.approvals', /kept as they are|violates foreign key/],
    ["update countersign.approvals set tool = 'other'", /grows by one/],
    [
      "update countersign.approvals set agent = 'other', revision = revision + 1",
      /stays about the call/,
    ],
    ['update countersign.approvals set execution = null, revision = revision + 1', /runs once/],
    ...["status = 'maybe'", "execution = 'paused'", "status = 'denied'", 'joinable = 2'].map(
      (what): [string, RegExp] => [
        `update countersign.approvals set ${what}, revision = revision + 1`,
        /no such state/,
      ],
    ),
    [
      `insert into countersign.approvals (tenant, id, revision, status, agent, run, call_key,
         asked_digest, joinable, tool, risk, asked_at, decide_by, body, seal)
       select tenant, 'other', 1, 'pending', agent, run, call_key, 'd', 0, tool, risk, asked_at,
         decide_by, body, seal from countersign.approvals`,
      /duplicate key/,
    ],
  ]
  for (const [sql, message] of attempts) await expect(client.query(sql)).rejects.toThrow(message)
})

test('a database of a newer Countersign is refused', async () => {
  const url = await freshDatabase()
  await (await openPostgres(url)).close()
  const client = await rawClient(url)
  await client.query('insert into countersign.migrations (version, name) values ($1, $2)', [
    MIGRATIONS.length + 1,
    'tomorrow',
  ])
  await expect(openPostgres(url)).rejects.toMatchObject({ code: 'store_newer' })
})

test('servers that start at the same time on an empty database agree', async () => {
  const url = await freshDatabase()
  const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgres(url)))
  for (const { quarantine } of stores) expect(quarantine).toBeUndefined()
})

test('a server that closes every connection stops nothing', async () => {
  const url = await freshDatabase()
  const { store, approval } = await withOneClaim(url)
  const waiting = store.waitFor(approval.id, 3)
  const client = await rawClient(url)
  for (let round = 0; round < 3; round += 1) {
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    )
    const request = asking()
    await expect(store.apply(request.id, request)).resolves.toMatchObject({ joined: false })
  }
  const { execution } = (await store.get(approval.id)) ?? {}
  const end = {
    type: 'finish',
    commandId: crypto.randomUUID(),
    claim: execution?.claim ?? '',
  } as const
  await store.apply(approval.id, { ...end, outcome: 'succeeded' })
  expect((await waiting).execution?.state).toBe('succeeded')
})

test('without notifications, the poll wakes waiting callers', async () => {
  const url = await freshDatabase()
  const one = await openPostgres(url)
  const two = await openPostgres(url)
  const request = asking()
  const { approval } = await one.apply(request.id, request)
  const waiting = two.waitFor(approval.id, 1)
  const client = await rawClient(url)
  const cut = () =>
    client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where query = 'listen countersign' and datname = current_database()`,
    )
  await expect.poll(async () => (await cut()).rowCount).toBeGreaterThan(0)
  const started = performance.now()
  await one.apply(approval.id, deciding(approval))
  expect((await waiting).status).toBe('approved')
  expect(performance.now() - started).toBeLessThan(3_000)
})

test('a clock far behind what was recorded decides nothing', async () => {
  const url = await freshDatabase()
  const first = await openPostgres(url)
  const request = asking()
  const { approval } = await first.apply(request.id, request)
  await first.close()
  const client = await rawClient(url)
  await client.query('update countersign.instances set newest_at = newest_at + 120000')
  const second = await openPostgres(url)
  await expect(second.apply(approval.id, deciding(approval))).rejects.toMatchObject({
    code: 'clock_behind',
  })
  const other = asking()
  await expect(second.apply(other.id, other)).resolves.toMatchObject({ joined: false })
})

test('a server that is not there is reported as such', async () => {
  const nowhere = 'postgres://postgres@127.0.0.1:1/nothing'
  await expect(openPostgres(nowhere)).rejects.toMatchObject({ code: 'store_unavailable' })
})

test('a server that makes no syncs is warned of', async () => {
  const { warnings } = await openPostgres(await freshDatabase())
  expect(warnings).toEqual([expect.stringContaining('fsync is off')])
})

test('a row at another revision than was read is not overwritten', async () => {
  const url = await freshDatabase()
  const store = await openPostgres(url)
  const request = asking()
  const { approval } = await store.apply(request.id, request)
  const client = await rawClient(url)
  await client.query('update countersign.approvals set revision = revision + 1')
  // The tables have a rule of their own against this; the store must not need it.
  await expect(store.apply(approval.id, deciding(approval))).rejects.toThrow(
    /0 of 1 rows were written/,
  )
  expect((await store.get(approval.id))?.status).toBe('pending')
  // Many rows have a statement of their own.
  const ended = (was: number) => [approval.id, was, 3, 'denied', null, 0, 1, null, null, 'x', 'x']
  const write = (was: readonly number[]) =>
    client.query(
      `select countersign.write_batch('default', 1, $1, null, null, null, null, null, null, null,
        null, null)`,
      [was.flatMap(ended)],
    )
  await expect(write([1, 1, 1])).rejects.toThrow(/0 of 3 rows were written/)
})

test('commits are durable, also where the database does not wait for its disk', async () => {
  const url = await freshDatabase()
  const name = new URL(url).pathname.slice(1)
  const client = await rawClient(url)
  await client.query(`alter database ${name} set synchronous_commit = off`)
  const store = await openPostgres(url)
  // Fired by the commit itself: what holds then is what the commit waits for.
  await client.query(`
    create table public.waited (setting text);
    create function public.note() returns trigger language plpgsql as $$
    begin
      insert into public.waited values (current_setting('synchronous_commit'));
      return null;
    end $$;
    create constraint trigger noted after insert on countersign.events
      deferrable initially deferred for each row execute function public.note()`)
  const request = asking()
  await store.apply(request.id, request)
  await store.amend({
    commandId: crypto.randomUUID(),
    event: { type: 'switch.set', by: { system: 'gate' } },
    changes: [],
  })
  const { rows } = await client.query('select setting from public.waited')
  expect(rows.length).toBeGreaterThan(1)
  for (const { setting } of rows) expect(setting).toBe('on')
})

test('a claim that waited sees what it waited for, at every default isolation level', async () => {
  const url = await freshDatabase()
  const name = new URL(url).pathname.slice(1)
  const other = await rawClient(url)
  await other.query(`alter database ${name} set default_transaction_isolation = 'serializable'`)
  const [here, there] = [await openPostgres(url), await openPostgres(url)]
  const request = asking()
  const { approval } = await here.apply(request.id, request)
  const yes = (await there.apply(approval.id, deciding(approval))).approval
  const claims = await Promise.allSettled([
    here.apply(yes.id, claiming(yes)),
    there.apply(yes.id, claiming(yes)),
  ])
  expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  // By hand, in a transaction that sees nothing of what is committed after it began.
  await other.query('begin isolation level repeatable read')
  const refused = other.query(
    "select * from countersign.open_batch('default', '{}', null, null, null, null, null, '', false, false)",
  )
  await expect(refused).rejects.toThrow(/only read committed will do/)
})

/** A server that hears of what others change: it listens, and has looked once. */
async function listeningTo(url: string) {
  const here = await openPostgres(url)
  const client = await rawClient(url)
  const stop = here.subscribe(() => {})
  const listening = async () => {
    const { rows } = await client.query(
      `select 1 from pg_stat_activity
       where query = 'listen countersign' and state = 'idle' and datname = current_database()`,
    )
    return rows.length
  }
  await expect.poll(listening, { timeout: 15_000 }).toBeGreaterThan(0)
  await sleep(200)
  return { here, stop }
}

test('what this server wrote itself does not hide what another has changed since', async () => {
  const url = await freshDatabase()
  const { here, stop } = await listeningTo(url)
  const there = await openPostgres(url)
  const request = asking()
  const { approval } = await here.apply(request.id, request)
  await there.apply(approval.id, deciding(approval))
  // Every way of hearing of it has passed before the first caller waits here.
  await sleep(2_500)
  expect(here.recent?.(approval.id)).toBeUndefined()
  const now = await here.waitFor(approval.id, approval.revision, AbortSignal.timeout(10_000))
  expect(now.status).toBe('approved')
  stop()
})

test('what this server wrote itself is known without a read, with all its content', async () => {
  const url = await freshDatabase()
  const { here, stop } = await listeningTo(url)
  const request = asking()
  const { approval } = await here.apply(request.id, request)
  expect(here.recent?.(approval.id)?.approval).toEqual(approval)
  expect(here.recent?.(approval.id)?.content).toEqual(await here.content(approval.id))
  const decide = { ...deciding(approval), reason: 'fine' }
  const { approval: yes } = await here.apply(approval.id, decide)
  const { revision } = here.recent?.(approval.id)?.approval ?? {}
  // A look of the poll may have come in between; then nothing is said.
  if (revision !== undefined) {
    expect(here.recent?.(approval.id)?.approval).toEqual(yes)
    expect(here.recent?.(approval.id)?.content).toEqual(await here.content(approval.id))
  }
  const large = asking()
  const text = JSON.stringify({ memo: 'x'.repeat(20_000) })
  await here.apply(large.id, { ...large, content: { ...large.content, arguments: text } })
  expect(here.recent?.(large.id)?.content).toBeUndefined()
  stop()
  // Without a listener nothing is heard of, so nothing is known.
  await expect.poll(() => here.recent?.(approval.id), { timeout: 5_000 }).toBeUndefined()
})

test('what can be erased is not remembered', async () => {
  const url = await freshDatabase()
  const { here, stop } = await listeningTo(url)
  const denied = async () => {
    const request = asking()
    const { approval } = await here.apply(request.id, request)
    await here.apply(approval.id, deciding(approval, undefined, 'deny'))
    // A look of the poll may have come in between: then it is tried again.
    expect(here.recent?.(approval.id)?.approval.status).toBe('denied')
    expect(here.recent?.(approval.id)?.content).toBeUndefined()
  }
  await vi.waitFor(denied, 10_000)
  stop()
})

test('a row that was changed behind the back of the server that wrote it is refused', async () => {
  const url = await freshDatabase()
  const { here, stop } = await listeningTo(url)
  const client = await rawClient(url)
  const request = asking()
  const { approval } = await here.apply(request.id, request)
  await client.query('alter table countersign.approvals disable trigger user')
  await client.query(
    `update countersign.approvals set body = replace(body, '"biller"', '"killer"')`,
  )
  const refused = here.apply(approval.id, deciding(approval))
  await expect(refused).rejects.toMatchObject({ code: 'store_damaged' })
  stop()
})

test('a request is asked in one transaction where nothing was denied or granted before', async () => {
  const store = await openPostgres(await freshDatabase())
  const call = { run: 'run', key: 'a' }
  const first = asking({ call })
  const { approval } = (await store.ask?.(first)) ?? {}
  expect(approval?.id).toBe(first.id)
  const again = await store.ask?.({ ...first, commandId: newId(), id: newId() })
  expect(again).toMatchObject({ joined: true, approval: { id: first.id } })
  await store.grants.apply('grant', minting({ id: 'grant', scope: { tool: 'refund' } }))
  await store.apply(first.id, deciding(first, approverNamed('ana'), 'deny'))
  for (const [other, isAsked] of [
    [{ run: 'run', key: 'b' }, false],
    [{ run: 'another', key: 'b' }, true],
    [{ run: 'run', key: 'c', tool: 'list' }, true],
    [{ run: 'run', key: 'd', agent: 'other' }, true],
    [{}, true],
    [{ tool: 'refund' }, false],
    [{ tool: 'refund', server: 'bank' }, true],
    [{ tool: 'refund', agent: 'other' }, true],
  ] as const) {
    const request = asking({ call: other })
    expect((await store.ask?.(request)) !== undefined, JSON.stringify(other)).toBe(isAsked)
    expect((await store.get(request.id)) !== undefined).toBe(isAsked)
  }
})
