import type { LoggedApproval, LoggedGrant, LoggedStray } from '../audit/audit-log.ts'

/** What the two databases spell differently. */
export interface AuditDialect {
  table(name: string): string
  /** All rows of a group as one JSON list of lists. */
  list(columns: readonly string[]): string
  /** A number as text that reads back as the same number. */
  exact(column: string): string
}

/** Approvals, each with the votes, claims and uses of grants that name it. */
export function approvalsSql({ table, list }: AuditDialect): string {
  const beside = (name: string, columns: readonly string[]) =>
    `(select ${list(columns)} from ${table(name)} b where b.tenant = a.tenant and b.approval = a.id)`
  return `select a.*,
    ${beside('votes', ['issuer', 'subject', 'digest', 'verdict', 'at'])} as votes,
    ${beside('claims', ['claim', 'instance', 'at'])} as claims,
    ${beside('grant_uses', ['grant_id', 'n', 'at'])} as uses
    from ${table('approvals')} a`
}

/** Grants, each with what its uses took. */
export function grantsSql({ table, list, exact }: AuditDialect): string {
  const taken = list(['n', exact('amount')])
  return `select g.*, (select ${taken} from ${table('grant_uses')} u
    where u.tenant = g.tenant and u.grant_id = g.id) as taken from ${table('grants')} g`
}

/** Rows that name an approval which is not there. */
export function straysSql({ table }: AuditDialect): string {
  const strays = (Object.keys(WHAT) as (keyof typeof WHAT)[]).map(
    (name) => `select '${name}' as name, s.tenant, s.approval from ${table(name)} s
      where not exists (select 1 from ${table('approvals')} a
        where a.tenant = s.tenant and a.id = s.approval)`,
  )
  return `select * from (${strays.join(' union all ')}) as strays`
}

const WHAT = { votes: 'vote on', claims: 'claim of', grant_uses: 'use of a grant by' } as const

type Cells = Readonly<Record<string, unknown>>

export function loggedApproval(row: Cells, columns: Cells): LoggedApproval {
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

export function loggedGrant(row: Cells, columns: Cells): LoggedGrant {
  const taken = listed(row.taken).map(([, amount]) => (amount === null ? null : Number(amount)))
  return { of: 'grant', ...bodyOf(row), columns: columns as LoggedGrant['columns'], taken }
}

export function loggedStray({ name, tenant, approval }: Cells): LoggedStray {
  const what = WHAT[name as keyof typeof WHAT]
  return { of: 'stray', tenant: String(tenant), place: `${what} approval ${String(approval)}` }
}

function bodyOf({ tenant, seal, body }: Cells) {
  return { tenant: String(tenant), seal: String(seal), body: String(body) }
}

function listed(cell: unknown): readonly (readonly unknown[])[] {
  return typeof cell === 'string' ? (JSON.parse(cell) as unknown[][]) : []
}
