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
  if (progress.status === 'complete') return dropPending(db, progress.approval.id)
  const { id, digest, decideBy = null } = progress.approval
  const { workflowId, workflowName, timestamp } = callback
  prepare(db)
  // Reported at least once: a step can run again after its agent has heard it.
  const { length } = db.sql`insert into countersign_pending values (${id}, ${workflowId}, ${workflowName},
    ${progress.message}, ${digest}, ${timestamp}, ${decideBy}) on conflict do nothing returning id`
  return length > 0
}

export function dropPending(db: Database, id: string): boolean {
  prepare(db)
  return db.sql`delete from countersign_pending where id = ${id} returning id`.length > 0
}

/** The oldest first. Those whose time is over are left out: the workflow hears it from the server. */
export function listPending(db: Database, workflow?: string): PendingApproval[] {
  prepare(db)
  const rows = db.sql<Row>`select * from countersign_pending
    where (expires_at is null or expires_at > ${Date.now()})
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
    requested_at integer not null, expires_at integer)`
}
