import { expect, test, vi } from 'vitest'
import { checkDatabase } from '../../src/store/postgres/admin/check.ts'
import { GOVERNED_TABLES } from '../../src/store/postgres/admin/roles.ts'
import { countersign, folder } from '../cli/countersign.ts'
import { yes } from '../stores/crashable.ts'
import { openPostgres, rawClient } from '../stores/place.ts'
import { freshDatabase } from '../support/postgres.ts'
import { splitRoles } from '../support/postgres-roles.ts'
import { promise } from '../support/promise.ts'

vi.setConfig({ testTimeout: 60_000 })

const DENIED = '42501'

/** What each statement is refused with; undefined where it went through. */
async function refusals(url: string, statements: readonly string[]) {
  const client = await rawClient(url)
  const found: Record<string, string | undefined> = {}
  for (const sql of statements) {
    const failed = await client.query(sql).then(
      () => undefined,
      (error: { code?: string }) => error.code,
    )
    found[sql] = failed
  }
  return found
}

const CHANGES_OF_THE_RECORD = [
  "delete from countersign.events where type = 'decided'",
  "update countersign.events set body = '{}'",
  'truncate countersign.events',
  'delete from countersign.approvals',
  'delete from countersign.votes',
  "update countersign.claims set approval = 'x'",
  "update countersign.keys set kid = 'x'",
  'delete from countersign.checkpoints',
]
const CHANGES_OF_THE_SCHEMA = [
  'drop trigger events_stay on countersign.events',
  'alter table countersign.events disable trigger events_stay',
  'alter table countersign.approvals add column x int',
  'drop table countersign.claims',
  'create table countersign.mine (n int)',
  'create or replace function countersign.refuse() returns trigger language plpgsql as $$ begin return old; end $$',
  'drop schema countersign cascade',
  "set session_replication_role = 'replica'",
  "insert into countersign.migrations (version, name) values (99, 'x')",
  'create schema other',
]

promise(
  ['CS-PG-1'],
  'the role of a server does its work, and cannot take an event or a trigger away',
  async () => {
    const { server, auditor } = await splitRoles(await freshDatabase())
    const store = await openPostgres(server, { migrate: false })
    expect((await yes(store)).status).toBe('approved')
    const refused = await refusals(server, [...CHANGES_OF_THE_RECORD, ...CHANGES_OF_THE_SCHEMA])
    for (const [sql, code] of Object.entries(refused)) expect([sql, code]).toEqual([sql, DENIED])
    const asAuditor = await rawClient(auditor)
    const { rows } = await asAuditor.query('select count(*)::int as n from countersign.events')
    expect(rows[0].n).toBeGreaterThan(1)
    expect(await checkDatabase(server)).toMatchObject({
      ...{ ownsSchema: false, canWrite: true, isReadOnly: false, isSuperuser: false },
      schema: { pending: [] },
    })
  },
)

promise(
  ['CS-PG-2'],
  'an auditor verifies and exports the record, and changes nothing',
  async () => {
    const { server, auditor } = await splitRoles(await freshDatabase())
    const store = await openPostgres(server, { migrate: false })
    await yes(store)
    const cwd = folder()
    const run = (...args: string[]) => countersign(args, { cwd, env: { HOME: cwd } })
    const verified = await run('audit', 'verify', '--db', auditor)
    expect([verified.code, verified.stderr]).toEqual([0, ''])
    const exported = await run('audit', 'export', '--db', auditor)
    expect([exported.code, exported.stderr]).toEqual([0, ''])
    expect(exported.stdout.split('\n').length).toBeGreaterThan(2)
    // Read-only by default, and without rights where that is switched off.
    const statements = [
      ...['set default_transaction_read_only to off', 'set transaction_read_only to off'],
      ...CHANGES_OF_THE_RECORD,
      ...CHANGES_OF_THE_SCHEMA,
      "insert into countersign.records (tenant, kind, id) values ('default', 'a', 'b')",
    ]
    const refused = await refusals(auditor, statements)
    for (const [sql, code] of Object.entries(refused).slice(2)) {
      expect([sql, code]).toEqual([sql, DENIED])
    }
    // Sessions are no part of the record.
    await store.records.put('session', 'x', { secret: 'y' })
    const seen = await (await rawClient(auditor)).query('select kind from countersign.records')
    expect(seen.rows).toEqual([])
  },
)

test('every table has its rights, and nothing else has', async () => {
  const url = await freshDatabase()
  await (await openPostgres(url)).close()
  const client = await rawClient(url)
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'countersign' order by 1",
  )
  expect(rows.map(({ name }) => name)).toEqual([...GOVERNED_TABLES].sort())
})

promise(
  ['CS-PG-4'],
  'the roles are made as printed, and a server that may not migrate waits for the owner',
  async () => {
    const url = await freshDatabase()
    const cwd = folder()
    const run = (...args: string[]) => countersign(args, { cwd, env: { HOME: cwd } })
    const some = crypto.randomUUID().slice(0, 8)
    const names = ['owner', 'migrator', 'server', 'auditor'].map((name) => `${name}"${some}`)
    const flags = ['owner', 'migrator', 'server', 'auditor'].flatMap((name, index) => [
      ...[`--${name}`, names[index] ?? ''],
    ])
    const printed = await run('db', 'roles', '--db', url, ...flags)
    const admin = await rawClient(url)
    // Twice: an operator runs it again after an upgrade.
    for (let time = 0; time < 2; time += 1) await admin.query(printed.stdout)
    const as = (name = '') => Object.assign(new URL(url), { username: name }).href
    const [owner = '', migrator, server = '', auditor = ''] = names
    const early = await run('db', 'check', '--db', as(server))
    expect([early.code, early.stdout]).toEqual([1, expect.stringContaining('steps to go')])
    await expect(openPostgres(as(server), { migrate: false })).rejects.toMatchObject({
      code: 'store_outdated',
    })
    const mine = await run('db', 'migrate', '--db', as(server))
    expect([mine.code, mine.stderr]).toEqual([7, expect.stringContaining('db roles')])
    const args = ['--role', owner, '--server', server, '--auditor', auditor]
    const migrate = () => run('db', 'migrate', '--db', as(migrator), ...args, '--json')
    const both = await Promise.all([migrate(), migrate()])
    expect(both.map(({ code, stderr }) => [code, stderr])).toEqual([
      [0, ''],
      [0, ''],
    ])
    const applied = both.flatMap(
      ({ stdout }) => (JSON.parse(stdout) as { applied: string[] }).applied,
    )
    expect(new Set(applied).size).toBe(applied.length)
    const ready = await run('db', 'check', '--db', as(server), '--json')
    expect([ready.code, JSON.parse(ready.stdout)]).toMatchObject([0, { ok: true }])
    await (await openPostgres(as(server), { migrate: false })).close()
    expect((await run('db', 'check', '--db', 'sqlite:x')).code).toBe(2)
  },
)
