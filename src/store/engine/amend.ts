import { randomUUID } from 'node:crypto'
import type { AuditEntry } from '../audit/audit-entry.ts'
import { ownerOf } from '../audit/audit-log.ts'
import {
  AUDITED_KINDS,
  type RecordColumns,
  type RecordState,
  recordStateText,
} from '../audit/audited-records.ts'
import { type Circumstances, seal, sealContent, sha256 } from '../audit/chain.ts'
import { recordText } from '../records.ts'
import type { Amendment, RecordChange } from './amendment.ts'
import type { Plan, StoredContent } from './plan.ts'

/** A record as it was found under the locks; one past its end is not there. */
export type FoundRecord = RecordColumns

export interface RecordWrite {
  readonly kind: string
  readonly id: string
  readonly revision: number
  /** Null: removed. */
  readonly value: string | null
  readonly expiresAt: number | null
}

export interface AmendPlan extends Plan {
  readonly records: readonly RecordWrite[]
  /** False: an expectation did not hold, and nothing is written. */
  readonly isDone: boolean
}

export function planAmendment(
  amendment: Amendment,
  found: {
    readonly records: readonly FoundRecord[]
    readonly now: number
    /** The end of our own chain, looked up only when an answer was lost. */
    readonly earlier?: readonly AuditEntry[]
  },
  { tenant, tip, opening }: Circumstances,
): AmendPlan {
  const { commandId, event, changes, content = [] } = amendment
  const { now } = found
  const nothing = { now, writes: [], grants: [], uses: [], notices: [], outcomes: [], again: [] }
  const foundOf = ({ kind, id }: Pick<RecordChange, 'kind' | 'id'>) =>
    found.records.find((one) => one.kind === kind && one.id === id)
  const revisionOf = (change: RecordChange) => foundOf(change)?.revision
  const wasDone = found.earlier?.some(
    ({ event: one }) => 'command' in one && one.command === commandId,
  )
  const holds = changes.every(({ expect, ...change }) => {
    const revision = revisionOf(change)
    if (expect === undefined) return true
    return expect === 'present' ? revision !== undefined : (revision ?? 'absent') === expect
  })
  // What this process has to say about its chain is said in either case.
  const opened = opening && seal(tip, { event: opening })
  const begun = opened ? [{ entry: opened.entry, body: opened.body }] : []
  if (wasDone || !holds) {
    const own = { entries: begun, content: [], tip: opened?.tip ?? tip, records: [] }
    return { ...nothing, ...own, isDone: wasDone === true }
  }
  const stored = content.map((one): StoredContent => {
    const text = JSON.stringify(one.value)
    return { ...one, text, salt: randomUUID(), approval: ownerOf(one.key) }
  })
  const seals = Object.fromEntries(stored.map((one) => [one.key, sealContent(one, one.salt)]))
  const records = changes.map(
    (change): RecordWrite => ({
      kind: change.kind,
      id: change.id,
      revision: (revisionOf(change) ?? 0) + 1,
      value: change.value === undefined ? null : recordText(change.kind, change.id, change.value),
      expiresAt: change.expiresAt ?? null,
    }),
  )
  const states = records
    .filter(({ kind }) => AUDITED_KINDS.includes(kind))
    .map((write) => stateOf(foundOf(write), write, now))
  const noted = seal(opened?.tip ?? tip, {
    event: { ...event, tenant, at: now, command: commandId },
    ...(states.length > 0 ? { records: states } : {}),
    ...(stored.length > 0 ? { seals } : {}),
  })
  return {
    ...nothing,
    entries: [...begun, { entry: noted.entry, body: noted.body }],
    content: stored,
    tip: noted.tip,
    records,
    isDone: true,
  }
}

function stateOf(found: FoundRecord | undefined, write: RecordWrite, at: number): RecordState {
  const { kind, id, value, expiresAt } = write
  return {
    kind,
    id,
    ...(found ? { was: sha256(recordStateText(found)) } : {}),
    ...(value === null ? {} : { now: sha256(recordStateText({ ...write, value, at })) }),
    ...(value === null || expiresAt === null ? {} : { expiresAt }),
  }
}
