import type { Approval } from '../../approval/approval.ts'
import type { Grant } from '../../approval/grants/grant.ts'
import { grantRecord } from '../../approval/grants/grant-shape.ts'
import { CountersignError } from '../../base/errors.ts'
import { sha256 } from '../audit/chain.ts'
import { columnsOf, grantColumnsOf } from './row-columns.ts'

/**
 * An approval as the SQL stores keep it. `body` is the whole of it and the only thing rules ever
 * read; the other columns are there to find and to constrain.
 */
export type ApprovalRow = Readonly<ReturnType<typeof columnsOf>> & {
  readonly body: string
  readonly seal: string
}

export function toRow(approval: Approval): ApprovalRow {
  const body = JSON.stringify(approval)
  return { ...columnsOf(approval), body, seal: sha256(body) }
}

/** Adds the values of a new row, in the order in which the statements of both drivers take them. */
export function pushRow(into: (string | number | null)[], row: ApprovalRow): void {
  into.push(
    row.id,
    row.revision,
    row.status,
    row.execution,
    row.agent,
    row.run,
    row.call_key,
    row.asked_digest,
    row.joinable,
    row.tool,
    row.server,
    row.risk,
    row.asked_at,
    row.decide_by,
    row.due_at,
    row.instance,
    row.seal,
    row.door,
    row.body,
  )
}

/** A row that does not match its seal was changed behind our back: nothing is decided by it. */
export function fromBody(id: string, body: string, seal: string): Approval {
  if (sha256(body) !== seal) {
    throw new CountersignError('store_damaged', `approval ${id} does not match its seal`, {
      hint: 'The row was changed outside of Countersign; restore the database from a backup.',
      details: { id },
    })
  }
  return JSON.parse(body) as Approval
}

/** A grant as the SQL stores keep it: `body` is the whole of it, the rest finds and constrains. */
export type GrantRow = Readonly<ReturnType<typeof grantColumnsOf>> & {
  readonly body: string
  readonly seal: string
}

export function toGrantRow(grant: Grant): GrantRow {
  const body = JSON.stringify(grant)
  return { ...grantColumnsOf(grant), body, seal: sha256(body) }
}

/** A row that does not match its seal was changed behind our back: nothing runs because of it. */
export function fromGrantBody(id: string, body: string, seal: string): Grant {
  if (sha256(body) === seal) {
    try {
      return grantRecord(JSON.parse(body))
    } catch {
      // As unusable as one that was tampered with.
    }
  }
  throw new CountersignError('store_damaged', `grant ${id} does not match its seal`, {
    hint: 'The row was changed outside of Countersign; restore the database from a backup.',
    details: { id },
  })
}
