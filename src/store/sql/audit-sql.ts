import type {
  LoggedApproval,
  LoggedEntry,
  LoggedGrant,
  LoggedRecord,
  LoggedRow,
  LoggedStray,
  LoggedTelling,
  NamedRows,
} from '../audit/audit-log.ts'

type Cells = Readonly<Record<string, unknown>>

/** What the two databases spell and read differently. */
export interface AuditDialect {
  table(name: string): string
  /** Looking for a row is work of this process. */
  readonly isInProcess: boolean
  /** All rows of a group as one JSON list of lists. */
  list(columns: readonly string[]): string
  /** A member of a JSON object as text. */
  member(column: string, name: string): string
  /** A number as text that reads back as the same number. */
  exact(column: string): string
  /** Throws where a cell holds something else. */
  textIn(row: Cells, column: string): string
  numberIn(row: Cells, column: string): number
  /** The row with whole numbers as numbers. */
  numbered(row: Cells): Cells
}

/** Approvals, grants and strays, all that `select` gives of each: it narrows them to a tenant. */
export async function* loggedRows(
  dialect: AuditDialect,
  select: (sql: string) => AsyncIterable<Cells> | Iterable<Cells>,
): AsyncGenerator<LoggedRow> {
  const { numbered } = dialect
  for await (const row of select(approvalsSql(dialect, [entriesOf(dialect)]))) {
    yield { ...loggedApproval(row, numbered(row)), entries: listed(row.entries).map(telling) }
  }
  for await (const row of select(grantsSql(dialect))) yield loggedGrant(row, numbered(row))
  for (const name of BESIDE) {
    for await (const row of select(straysSql(dialect, name))) {
      if (Number(row.stray) === 1) yield loggedStray(row)
    }
  }
}

/** The same of the approvals and grants that are named, some at a time. */
export async function* namedRows(
  dialect: AuditDialect,
  select: (
    sql: string,
    tenant: string,
    ids: readonly string[],
  ) => AsyncIterable<Cells> | Iterable<Cells>,
  named: readonly NamedRows[],
): AsyncGenerator<LoggedRow> {
  const { numbered } = dialect
  for (const { tenant, approvals, grants } of named) {
    for (const ids of inParts(approvals)) {
      for await (const row of select(approvalsSql(dialect), tenant, ids)) {
        yield loggedApproval(row, numbered(row))
      }
    }
    for (const ids of inParts(grants)) {
      for await (const row of select(grantsSql(dialect), tenant, ids)) {
        yield loggedGrant(row, numbered(row))
      }
    }
  }
}

const IDS_AT_ONCE = 500

function inParts(ids: readonly string[]): (readonly string[])[] {
  const many = Math.ceil(ids.length / IDS_AT_ONCE)
  return Array.from({ length: many }, (_, nth) =>
    ids.slice(nth * IDS_AT_ONCE, (nth + 1) * IDS_AT_ONCE),
  )
}

/**
 * Where the first entry is that comes after these heads, in any chain: `heads` is a list in JSON.
 * Every chain there is, found by looking for the next name in the index.
 */
export function firstAfterSql({ table }: Pick<AuditDialect, 'table'>, headsSql: string): string {
  const events = table('events')
  return `
    with recursive writers(writer) as (
      select min(writer) from ${events}
      union all
      select (select min(writer) from ${events} where writer > w.writer)
      from writers w where w.writer is not null
    )
    select min((select position from ${events} e where e.writer = w.writer
      and e.seq > coalesce((select h.seq from (${headsSql}) as h where h.writer = w.writer), 0)
      order by e.seq limit 1)) as position
    from writers w where w.writer is not null`
}

export function loggedRecord({ textIn, numberIn }: AuditDialect, row: Cells): LoggedRecord {
  return {
    of: 'record',
    tenant: textIn(row, 'tenant'),
    kind: textIn(row, 'kind'),
    id: textIn(row, 'id'),
    revision: numberIn(row, 'revision'),
    at: numberIn(row, 'at'),
    expiresAt: row.expires_at === null ? null : numberIn(row, 'expires_at'),
    value: textIn(row, 'value'),
  }
}

export function loggedEntry(
  { textIn, numberIn }: AuditDialect,
  row: Cells,
): Omit<LoggedEntry, 'content'> {
  return {
    hash: textIn(row, 'hash'),
    body: textIn(row, 'body'),
    columns: {
      tenant: textIn(row, 'tenant'),
      writer: textIn(row, 'writer'),
      seq: numberIn(row, 'seq'),
      prev: textIn(row, 'prev'),
      approval: row.approval === null ? null : textIn(row, 'approval'),
      revision: row.revision === null ? null : numberIn(row, 'revision'),
      type: textIn(row, 'type'),
      at: numberIn(row, 'at'),
      command: row.command === null ? null : textIn(row, 'command'),
      index: row.command_index === null ? null : numberIn(row, 'command_index'),
    },
  }
}

/** Approvals, each with the votes, claims and uses of grants that name it. */
function approvalsSql({ table, list }: AuditDialect, more: readonly string[] = []): string {
  const beside = (name: string, columns: readonly string[]) =>
    `(select ${list(columns)} from ${table(name)} b where b.tenant = a.tenant and b.approval = a.id)`
  return `select a.*,
    ${beside('votes', ['issuer', 'subject', 'digest', 'verdict', 'at'])} as votes,
    ${beside('claims', ['claim', 'instance', 'at'])} as claims,
    ${[`${beside('grant_uses', ['grant_id', 'n', 'at'])} as uses`, ...more].join(', ')}
    from ${table('approvals')} a`
}

/** The entries that name an approval. */
function entriesOf({ table, list, member }: AuditDialect): string {
  const state = member('body', 'state')
  const cells = ['command', 'command_index', 'revision', 'writer', 'seq', 'hash', state, 'position']
  return `(select ${list(cells)} from ${table('events')} b
    where b.tenant = a.tenant and b.approval = a.id) as entries`
}

function telling(cells: readonly unknown[]): LoggedTelling {
  const [command, index, revision, writer, seq, hash, state, position] = cells
  return { command, index, revision, writer, seq, hash, state, position }
}

/** Grants, each with what its uses took. */
function grantsSql({ table, list, exact }: AuditDialect): string {
  const taken = list(['n', exact('amount')])
  return `select g.*, (select ${taken} from ${table('grant_uses')} u
    where u.tenant = g.tenant and u.grant_id = g.id) as taken from ${table('grants')} g`
}

/** Rows that name an approval which is not there. */
function straysSql({ table, isInProcess }: AuditDialect, name: keyof typeof WHAT): string {
  const isGone = `not exists (
    select 1 from ${table('approvals')} a where a.tenant = s.tenant and a.id = s.approval)`
  const select = `select '${name}' as name, s.tenant, s.approval`
  // All rows where the database runs in this process: looking for one would let no other work run.
  if (isInProcess) return `${select}, ${isGone} as stray from ${table(name)} s`
  return `select * from (${select}, 1 as stray from ${table(name)} s where ${isGone}) as strays`
}

const WHAT = { votes: 'vote on', claims: 'claim of', grant_uses: 'use of a grant by' } as const

function loggedApproval(row: Cells, columns: Cells): LoggedApproval {
  return {
    of: 'approval',
    ...bodyOf(row),
    columns: columns as LoggedApproval['columns'],
    votes: listed(row.votes).map(([issuer, subject, digest, verdict, at]) => {
      return { issuer, subject, digest, verdict, at }
    }),
    claims: listed(row.claims).map(([claim, instance, at]) => ({ claim, instance, at })),
    uses: listed(row.uses).map(([grant, n, at]) => ({ grant, n, at })),
  }
}

function loggedGrant(row: Cells, columns: Cells): LoggedGrant {
  const taken = listed(row.taken).map(([, amount]) => (amount === null ? null : Number(amount)))
  return { of: 'grant', ...bodyOf(row), columns: columns as LoggedGrant['columns'], taken }
}

const BESIDE = Object.keys(WHAT) as (keyof typeof WHAT)[]

function loggedStray({ name, tenant, approval }: Cells): LoggedStray {
  const what = WHAT[name as keyof typeof WHAT]
  return { of: 'stray', tenant: String(tenant), place: `${what} approval ${String(approval)}` }
}

function bodyOf({ tenant, seal, body }: Cells) {
  return { tenant: String(tenant), seal: String(seal), body: String(body) }
}

function listed(cell: unknown): readonly (readonly unknown[])[] {
  return typeof cell === 'string' ? (JSON.parse(cell) as unknown[][]) : []
}
