import type { ClientBase } from 'pg'
import type { Head } from '../audit/audit-entry.ts'
import { columnsOf } from '../audit/chain.ts'
import type { Plan } from '../engine/plan.ts'
import { CHANNEL_MS } from '../outbox.ts'
import { newClaim, voteChanges } from '../sql/row-columns.ts'
import { type ApprovalRow, pushRow } from '../sql/rows.ts'
import { payloadsOf } from './listen.ts'
import { type Statement, textArray, type Value } from './transaction.ts'

/** What a process writes about itself, beside a plan. */
export interface OwnRows {
  readonly instance: string
  readonly registers?: boolean
  readonly links?: readonly Head[]
  /** How far time had come, as far as this process knows. */
  readonly beats?: { readonly newest: number }
  /** What other processes hear of besides the approvals of the plan. */
  readonly tells?: readonly string[]
}

/** Everything a plan writes, and the notification of it. */
export const WRITE: Statement = {
  name: 'countersign_write',
  text: `select countersign.write_batch($1, $2, $3::text[], $4::text[], $5::text[], $6::text[],
    $7::text[], $8::text[], $9::text[], $10::json, $11::text[], $12::text[])`,
}

/** Rows of one table, column after column, in the order of `write_rows`. */
type Packed = (string | number | null)[]

export function writeValues(tenant: string, plan: Plan, own: OwnRows): Value[] {
  return [tenant, plan.now, ...rowValues(plan, own)]
}

/** What `write_rows` takes after the tenant and the time. */
export function rowValues(plan: Plan, own: OwnRows): Value[] {
  const { writes } = plan
  const changed: Packed = []
  const added: Packed = []
  const votes: Packed = []
  const turned: VoteRow[] = []
  const claims: Packed = []
  for (const write of writes) {
    const { before, after, row } = write
    if (before) packChanged(changed, row, before.revision)
    else pushRow(added, row)
    const voted = voteChanges(write)
    for (const { by, digest, verdict, at } of voted.given) {
      votes.push(after.id, by.issuer, by.subject, digest, verdict, at)
    }
    for (const one of voted.turned) turned.push(voteRow(after.id, one))
    const claim = newClaim(write)
    if (claim) claims.push(after.id, claim.claim, claim.instance, claim.at)
  }
  const others = othersOf(plan, own, turned)
  const told = [...writes.map(({ after }) => after.id), ...(own.tells ?? [])]
  return [
    packed(changed),
    packed(added),
    packed(contentOf(plan, (kind) => kind !== 'result')),
    packed(contentOf(plan, (kind) => kind === 'result')),
    packed(votes),
    packed(claims),
    packed(noticesOf(plan)),
    Object.keys(others).length === 0 ? null : JSON.stringify(others),
    packed(chainOf(plan)),
    told.length === 0 ? null : textArray(payloadsOf(own.instance, told)),
  ]
}

function packed(columns: Packed): Buffer | null {
  return columns.length === 0 ? null : textArray(columns)
}

function packChanged(into: Packed, row: ApprovalRow, was: number): void {
  into.push(
    row.id,
    was,
    row.revision,
    row.status,
    row.execution,
    row.joinable,
    row.decide_by,
    row.due_at,
    row.instance,
    row.seal,
    row.body,
  )
}

function contentOf({ content, now }: Plan, isWanted: (kind: string) => boolean): Packed {
  const columns: Packed = []
  for (const { approval, key, kind, salt, text } of content) {
    if (isWanted(kind)) columns.push(approval, key, kind, now, salt, text)
  }
  return columns
}

/** For channels that were seen since. */
function noticesOf({ notices, now }: Plan): Packed {
  const columns: Packed = []
  for (const { id, approval, kind, revision, at } of notices) {
    columns.push(id, approval, kind, revision, at, now - CHANNEL_MS)
  }
  return columns
}

function chainOf({ entries }: Plan): Packed {
  const columns: Packed = []
  for (const { entry, body } of entries) {
    const { event, writer, seq, prev, hash } = entry
    const { approval, revision, command, index } = columnsOf(event)
    columns.push(writer, seq, prev, hash, approval, revision, event.type, event.at, command)
    columns.push(index, body)
  }
  return columns
}

/** Writes a plan inside of a transaction of the caller. */
export async function writePlan(
  client: Pick<ClientBase, 'query'>,
  tenant: string,
  plan: Plan,
  own: OwnRows,
): Promise<void> {
  await client.query(WRITE.text, writeValues(tenant, plan, own))
}

/** False: a transaction that only looked, and has nothing to commit. */
export function writesAnything({ writes, entries, grants, content }: Plan, own: OwnRows): boolean {
  const isOwn = own.registers === true || own.beats !== undefined || (own.links?.length ?? 0) > 0
  return isOwn || [writes, entries, grants, content].some(({ length }) => length > 0)
}

function othersOf({ grants, uses, now }: Plan, own: OwnRows, turned: readonly VoteRow[]) {
  const { instance: id, registers, links = [], beats } = own
  return {
    ...part('turned', turned),
    ...part(
      'changedGrants',
      grants.flatMap(({ before, row }) => (before ? [{ ...row, was: before.revision }] : [])),
    ),
    ...part(
      'grants',
      grants.flatMap(({ before, row }) => (before ? [] : [row])),
    ),
    ...part('uses', uses),
    ...(registers ? { registers: { id, at: now } } : {}),
    ...part('links', links),
    ...(beats ? { beats: { id, at: now, newest: beats.newest } } : {}),
  }
}

function part(name: string, rows: readonly unknown[]): Record<string, readonly unknown[]> {
  return rows.length === 0 ? {} : { [name]: rows }
}

type VoteRow = ReturnType<typeof voteRow>

function voteRow(
  approval: string,
  { by, digest, verdict, at }: ReturnType<typeof voteChanges>['given'][number],
) {
  return { approval, issuer: by.issuer, subject: by.subject, digest, verdict, at }
}
