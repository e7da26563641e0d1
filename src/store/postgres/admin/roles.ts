import { AUDITED_KINDS } from '../../audit/audited-records.ts'

/** What a server does with each table. What it may not do, no mistake of ours can make it do. */
const SERVER_RIGHTS: Readonly<Record<string, string>> = {
  approvals: 'select, insert, update',
  channels: 'select, insert, update',
  checkpoints: 'select, insert',
  claims: 'select, insert',
  content: 'select, insert, delete',
  covered: 'select, insert, update',
  events: 'select, insert',
  folders: 'select, insert, delete',
  grant_uses: 'select, insert',
  grants: 'select, insert, update',
  identity: 'select, insert, update',
  instances: 'select, insert, update',
  keys: 'select, insert',
  migrations: 'select',
  notices: 'select, insert, update, delete',
  observed: 'select, insert, delete',
  quarantines: 'select, insert, update',
  questions: 'select, insert, update, delete',
  records: 'select, insert, update, delete',
  results: 'select, insert, delete',
  search_blocks: 'select, insert, update, delete',
  search_stale: 'select, insert, update, delete',
  search_tenants: 'select, insert, update, delete',
  spent: 'select, insert, update, delete',
  statistics: 'select, insert, update, delete',
  statistics_progress: 'select, insert, update, delete',
  votes: 'select, insert, update',
}

/** The record and what verifies it. `records` also holds sessions: see `auditorGrants`. */
const AUDITED = [
  ...['approvals', 'checkpoints', 'claims', 'content', 'covered', 'events', 'grants', 'grant_uses'],
  ...['identity', 'instances', 'keys', 'migrations', 'quarantines', 'records', 'results', 'votes'],
]

export interface RoleNames {
  readonly owner: string
  readonly migrator: string
  readonly server: string
  readonly auditor: string
}

/** For psql, as a superuser, once: four roles of which only the owner can change the schema. */
export function roleSql(database: string, names: RoleNames): string[] {
  const owner = quoted(names.owner)
  const migrator = quoted(names.migrator)
  const everyLogin = [names.migrator, names.server, names.auditor].map(quoted).join(', ')
  return [
    ...created(names.owner, 'nologin'),
    ...[names.migrator, names.server, names.auditor].flatMap((name) => created(name, 'login')),
    `grant ${owner} to ${migrator};`,
    `revoke all on database ${quoted(database)} from public;`,
    `grant connect on database ${quoted(database)} to ${everyLogin};`,
    `grant create on database ${quoted(database)} to ${owner};`,
    `alter role ${quoted(names.auditor)} set default_transaction_read_only to on;`,
  ]
}

function created(name: string, login: string): string[] {
  return [
    `do $$ begin if not exists (select from pg_roles where rolname = ${literal(name)}) then`,
    `  create role ${quoted(name)} ${login} noinherit nosuperuser nocreatedb nocreaterole nobypassrls;`,
    'end if; end $$;',
  ]
}

/** After each migration, by the owner: what servers and auditors may do with what is there now. */
export function grantSql({ server, auditor }: Partial<RoleNames>): string[] {
  const everyone = [server, auditor].flatMap((name) => (name === undefined ? [] : [quoted(name)]))
  if (everyone.length === 0) return []
  const all = everyone.join(', ')
  return [
    `revoke all on all tables in schema countersign from public, ${all};`,
    `grant usage on schema countersign to ${all};`,
    ...(server === undefined ? [] : serverGrants(server)),
    'alter table countersign.records enable row level security;',
    ...(auditor === undefined ? [] : auditorGrants(auditor)),
  ]
}

/** Of records only those that the chain vouches for: the others are sessions and settings. */
function auditorGrants(auditor: string): string[] {
  const kinds = AUDITED_KINDS.map(literal).join(', ')
  return [
    `grant select on ${AUDITED.map((table) => `countersign.${table}`).join(', ')} to ${quoted(auditor)};`,
    ...policy(auditor, 'select', `kind in (${kinds})`),
  ]
}

function policy(role: string, right: string, rows: string): string[] {
  const name = quoted(`rows for ${role}`.slice(0, 60))
  return [
    `drop policy if exists ${name} on countersign.records;`,
    `create policy ${name} on countersign.records for ${right} to ${quoted(role)} using (${rows});`,
  ]
}

function serverGrants(name: string): string[] {
  const server = quoted(name)
  const rights = Map.groupBy(Object.keys(SERVER_RIGHTS), (table) => SERVER_RIGHTS[table] ?? '')
  return [
    ...[...rights].map(
      ([right, tables]) =>
        `grant ${right} on ${tables.map((table) => `countersign.${table}`).join(', ')} to ${server};`,
    ),
    `grant usage on all sequences in schema countersign to ${server};`,
    `grant execute on all functions in schema countersign to ${server};`,
    ...policy(name, 'all', 'true'),
  ]
}

/** Which tables have rights here; a test compares them with those that there are. */
export const GOVERNED_TABLES = Object.keys(SERVER_RIGHTS)

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
