import type { WorkflowProgressCallback } from 'agents/workflows'
import { approvalProgress } from '../progress.ts'

/** A question that waits for people, as an agent lists it. */
export interface PendingApproval {
  /** The id of the approval. */
  readonly id: string
  readonly workflowId: string
  readonly workflowName: string
  readonly message: string
  /** Of the call that is asked about: what an answer names as seen. */
  readonly digest: string
  readonly requestedAt: number
  readonly expiresAt?: number
}

interface Row {
  readonly id: string
  readonly workflow_id: string
  readonly workflow_name: string
  readonly message: string
  readonly digest: string
  readonly requested_at: number
  readonly expires_at: number | null
}

/** An agent's own database. Its `state` is no place for this: clients write there. */
export interface Database {
  sql<T>(
    strings: TemplateStringsArray,
    ...values: readonly (string | number | boolean | null)[]
  ): T[]
}

/** Keeps the list up to what a workflow reports. Whether that changed it. */
export function notePending(db: Database, callback: WorkflowProgressCallback): boolean {
  const progress = approvalProgress(callback.progress)
  if (!progress) return false
  if (progress.status === 'complete') return endPending(db, progress.approval.id)
  const { id, digest, decideBy = null } = progress.approval
  const { workflowId, workflowName, timestamp } = callback
  prepare(db)
  // Reported at least once: a step can run again after its agent has heard it.
  const { length } =
    db.sql`insert into countersign_pending values (${id}, ${workflowId}, ${workflowName},
    ${progress.message}, ${digest}, ${timestamp}, ${decideBy}, 0) on conflict do nothing returning id`
  return length > 0
}

/** It stays known: what a workflow asked before tells whether an answer has to name its question. */
export function endPending(db: Database, id: string): boolean {
  prepare(db)
  const { length } = db.sql`update countersign_pending set is_over = 1
    where id = ${id} and is_over = 0 returning id`
  return length > 0
}

/** A workflow that is complete asks nothing more. */
export function forgetWorkflow(db: Database, workflow: string): void {
  prepare(db)
  db.sql`delete from countersign_pending where workflow_id = ${workflow} and is_over = 1`
}

/** How many questions a workflow has asked, answered ones included. */
export function countQuestions(db: Database, workflow: string): number {
  prepare(db)
  const [row] = db.sql<{ n: number }>`select count(*) as n from countersign_pending
    where workflow_id = ${workflow}`
  return row?.n ?? 0
}

/** The oldest first. Those whose time is over are left out: the workflow hears it from the server. */
export function listPending(db: Database, workflow?: string): PendingApproval[] {
  prepare(db)
  const rows = db.sql<Row>`select * from countersign_pending
    where is_over = 0 and (expires_at is null or expires_at > ${Date.now()})
    and (${workflow ?? null} is null or workflow_id = ${workflow ?? null}) order by requested_at, id`
  return rows.map((row) => ({
    id: row.id,
    workflowId: row.workflow_id,
    workflowName: row.workflow_name,
    message: row.message,
    digest: row.digest,
    requestedAt: row.requested_at,
    ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
  }))
}

function prepare(db: Database): void {
  db.sql`create table if not exists countersign_pending (id text primary key, workflow_id text not null,
    workflow_name text not null, message text not null, digest text not null,
    requested_at integer not null, expires_at integer, is_over integer not null)`
}
