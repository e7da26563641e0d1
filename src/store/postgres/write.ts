import type { ClientBase } from 'pg'
import type { Head } from '../audit/audit-entry.ts'
import { columnsOf } from '../audit/chain.ts'
import type { Plan, StoredContent } from '../engine/plan.ts'
import { CHANNEL_MS } from '../outbox.ts'
import { newClaim, voteChanges } from '../sql/rows.ts'
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
  text: `select countersign.write_batch($1, $2::json, $3::text[], $4::json, $5::text[], $6::json,
    $7::text[], $8::json, $9::text[], $10::json, $11::json, $12::text[], $13::text[])`,
}

export function writeValues(tenant: string, plan: Plan, own: OwnRows): Value[] {
  const { writes, content, entries, now } = plan
  const changed = writes.flatMap(({ before, row: { body, ...row } }) =>
    before ? [{ body, row: { ...row, was: before.revision } }] : [],
  )
  const added = writes.flatMap(({ before, row: { body, ...row } }) =>
    before ? [] : [{ body, row }],
  )
  const chain = entries.map(({ entry: { event, writer, seq, prev, hash }, body }) => {
    const { type, at } = event
    const { index, ...columns } = columnsOf(event)
    return { body, row: { writer, seq, prev, hash, type, at, ...columns, command_index: index } }
  })
  const stored = ({ value, ...row }: StoredContent) => ({
    body: JSON.stringify(value),
    row: { ...row, at: now },
  })
  const others = othersOf(plan, own)
  const told = [...writes.map(({ after }) => after.id), ...(own.tells ?? [])]
  return [
    tenant,
    ...beside(changed),
    ...beside(added),
    ...beside(content.filter(({ kind }) => kind !== 'result').map(stored)),
    ...beside(content.filter(({ kind }) => kind === 'result').map(stored)),
    Object.keys(others).length === 0 ? null : JSON.stringify(others),
    ...beside(chain),
    told.length === 0 ? null : textArray(payloadsOf(own.instance, told)),
  ]
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

interface RowWithText {
  readonly body: string
  readonly row: object
}

/** The small columns as JSON, and the long texts beside them. */
function beside(rows: readonly RowWithText[]): [string, Buffer] | [null, null] {
  if (rows.length === 0) return [null, null]
  return [JSON.stringify(rows.map(({ row }) => row)), textArray(rows.map(({ body }) => body))]
}

function othersOf({ writes, grants, uses, notices, now }: Plan, own: OwnRows) {
  const { instance: id, registers, links = [], beats } = own
  const votes = writes.map((write) => ({ approval: write.after.id, ...voteChanges(write) }))
  const since = { open: now - CHANNEL_MS, due_at: now }
  return {
    ...part(
      'votes',
      votes.flatMap(({ approval, given }) => given.map((one) => voteRow(approval, one))),
    ),
    ...part(
      'turned',
      votes.flatMap(({ approval, turned }) => turned.map((one) => voteRow(approval, one))),
    ),
    ...part(
      'claims',
      writes.flatMap((write) => {
        const claim = newClaim(write)
        return claim ? [{ approval: write.after.id, ...claim }] : []
      }),
    ),
    ...part(
      'changedGrants',
      grants.flatMap(({ before, row }) => (before ? [{ ...row, was: before.revision }] : [])),
    ),
    ...part(
      'grants',
      grants.flatMap(({ before, row }) => (before ? [] : [row])),
    ),
    ...part('uses', uses),
    ...part(
      'notices',
      notices.map((notice, place) => ({ ...notice, ...since, place })),
    ),
    ...(registers ? { registers: { id, at: now } } : {}),
    ...part('links', links),
    ...(beats ? { beats: { id, at: now, newest: beats.newest } } : {}),
  }
}

function part(name: string, rows: readonly unknown[]): Record<string, readonly unknown[]> {
  return rows.length === 0 ? {} : { [name]: rows }
}

function voteRow(
  approval: string,
  { by, digest, verdict, at }: ReturnType<typeof voteChanges>['given'][number],
) {
  return { approval, issuer: by.issuer, subject: by.subject, digest, verdict, at }
}
