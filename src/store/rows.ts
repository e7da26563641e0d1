import { type Approval, isOpen } from '../approval/approval.ts'
import { dueAt } from '../approval/clock.ts'
import { SILENCE } from '../approval/execution.ts'
import { shownRisk, UNRATED } from '../approval/shown-risk.ts'
import { CountersignError } from '../base/errors.ts'
import { riskRank } from '../base/risk.ts'
import { sha256 } from './audit.ts'
import { columnsOf } from './row-columns.ts'

/**
 * An approval as the SQL stores keep it. `body` is the whole of it and the only thing rules ever
 * read; the other columns are there to find and to constrain.
 */
export interface ApprovalRow {
  readonly id: string
  readonly revision: number
  readonly status: string
  readonly execution: string | null
  readonly agent: string
  readonly run: string | null
  readonly call_key: string | null
  readonly asked_digest: string
  /** Calls without a key join this one while it is open or running. */
  readonly joinable: 0 | 1
  readonly tool: string
  readonly server: string | null
  readonly risk: number
  readonly asked_at: number
  readonly decide_by: number
  readonly due_at: number | null
  readonly instance: string | null
  readonly body: string
  readonly seal: string
  readonly door: string
}

export function toRow(approval: Approval): ApprovalRow {
  const body = JSON.stringify(approval)
  return {
    ...columnsOf(approval),
    joinable: isJoinable(approval) ? 1 : 0,
    risk: riskOf(approval),
    asked_at: approval.askedAt,
    decide_by: approval.decideBy,
    due_at: lookAt(approval) ?? null,
    instance: heartOf(approval) ?? null,
    body,
    seal: sha256(body),
  }
}

/** When to look at an approval next: its own clock, or that of the process that claimed it. */
export function lookAt(approval: Approval): number | undefined {
  const { execution } = approval
  const lives = execution?.state === 'running' && execution.leaseUntil === undefined
  return lives ? execution.claimedAt + SILENCE + 1 : dueAt(approval)
}

/** The process by whose heartbeat a running call is believed to run. */
export function heartOf({ execution }: Approval): string | undefined {
  if (execution?.state !== 'running' || execution.leaseUntil !== undefined) return undefined
  return execution.instance
}

/** For sorting. */
export function riskOf({ call }: Approval): number {
  return riskRank(shownRisk(call).risk ?? UNRATED)
}

/** A call without a key that belongs to a run is joined by its like while this one is not over. */
export function isJoinable(approval: Approval): boolean {
  const { run, key } = approval.call
  if (run === undefined || key !== undefined) return false
  return isOpen(approval) || approval.execution?.state === 'running'
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
