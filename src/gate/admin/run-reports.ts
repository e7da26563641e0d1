import type { Approval } from '../../approval/approval.ts'
import { CountersignError } from '../../base/errors.ts'
import { digestOf } from '../../base/json/digest.ts'
import type { Json } from '../../base/json/json.ts'
import { mask } from '../../base/secrets/mask.ts'
import { type WorkflowRun, workflowRun } from '../../base/workflow-run.ts'
import { RUN_RECORD } from '../../store/records/run-record.ts'
import type { Records, StoredRecord } from '../../store/records.ts'
import { hiddenIn } from '../content/remarks.ts'
import type { GateContext } from '../context.ts'
import { type CallerIdentity, ownerName } from '../identity.ts'
import { isForAnother } from '../pipeline/lease.ts'

/** What a workflow says of itself, in the words of Cloudflare's callbacks. It decides nothing. */
export type RunReport =
  | { readonly type: 'progress'; readonly progress: Json }
  | { readonly type: 'complete'; readonly result?: Json }
  | { readonly type: 'error'; readonly error: string }

/** A report as it is kept. */
export interface KeptReport {
  readonly type: RunReport['type']
  readonly at: number
  /** The approval that it was sent with. */
  readonly approval: string
  readonly progress?: Json
  readonly result?: Json
  readonly error?: string
  /** It came with more than is kept of one report. */
  readonly isCut?: true
}

/** Characters of one report as JSON. A record holds 65,536. */
const LONGEST = 4_096
const MOST_TEXT = 60_000
const MOST = 100
/** Not longer than arguments and reasons are, where the policy says how long that is. */
const KEPT_MS = 90 * 86_400_000
/** Branches of one workflow may report at the same moment; more than a few do not. */
const TRIES = 8

/**
 * Keeps what the agent that asked reports of the run. For another agent, or for an agent that works
 * for another person, the approval does not exist. The same report again changes nothing.
 */
export async function reportRun(
  core: GateContext,
  caller: CallerIdentity,
  id: string,
  report: RunReport,
): Promise<void> {
  const approval = await core.store.get(id)
  const isOwn = approval?.call.agent === ownerName(caller.agent)
  if (!approval || !isOwn || isForAnother(approval, caller)) {
    throw new CountersignError('approval_not_found', `there is no approval ${id}`)
  }
  const run = workflowRun(approval.call.run)
  if (!run) {
    throw new CountersignError('usage', 'no workflow of a known engine asked for this approval', {
      hint: 'Report with the id that `waitForApproval` resolved with.',
    })
  }
  // Without them the secrets of the call are not known, and a report could hold one.
  const { length } = await core.store.content(id, ['arguments'])
  if (length === 0) {
    throw new CountersignError('content_gone', `the arguments of approval ${id} are no longer kept`)
  }
  const now = await core.store.now()
  const said = mask(saidIn(report), { known: await hiddenIn(core, approval) }).value
  const kept: KeptReport = { ...bounded(said), at: now, approval: id }
  const { retain = KEPT_MS } = core.policy().owner
  const until = now + Math.min(retain, KEPT_MS)
  await add(core.store.records, await runKey(approval, run), { kept, until })
}

/** What was reported of the run that asked for this approval, oldest first. */
export async function runReports(
  records: Records,
  approval: Approval,
): Promise<readonly KeptReport[]> {
  const run = workflowRun(approval.call.run)
  return run ? reportsIn(await records.get(RUN_RECORD, await runKey(approval, run))) : []
}

/**
 * Whether two approvals were asked for by one run: of the same agent, through the same door and for
 * the same person. Ids of runs are chosen by programs, so alone they tell nothing.
 */
export function isSameRun(one: Approval, other: Approval): boolean {
  const [own, others] = [workflowRun(one.call.run), workflowRun(other.call.run)]
  if (!own || !others) return false
  return JSON.stringify(nameOf(one, own)) === JSON.stringify(nameOf(other, others))
}

function nameOf({ call }: Approval, { engine, id }: WorkflowRun): readonly (string | null)[] {
  const { agent, door, principal } = call
  return [agent, door, principal?.email ?? principal?.subject ?? null, engine, id]
}

function runKey(approval: Approval, run: WorkflowRun): Promise<string> {
  return digestOf('workflow-run', nameOf(approval, run))
}

/** Only what is known here, from whichever process it comes. */
function saidIn(report: RunReport): RunReport {
  if (report.type === 'progress') return { type: 'progress', progress: report.progress }
  if (report.type === 'error') return { type: 'error', error: String(report.error) }
  const { type, result } = report
  return result === undefined ? { type } : { type, result }
}

/** What is too long is left out; of an error its beginning stays. */
function bounded(said: RunReport): RunReport & { readonly isCut?: true } {
  if (JSON.stringify(said).length <= LONGEST) return said
  if (said.type === 'error') return { type: 'error', error: cut(said.error), isCut: true }
  if (said.type === 'complete') return { type: 'complete', isCut: true }
  return { type: 'progress', progress: null, isCut: true }
}

/** Half as long at most: as JSON, some characters are longer. */
function cut(text: string): string {
  return text.slice(0, LONGEST / 8).replace(/[\ud800-\udbff]$/, '')
}

async function add(
  records: Records,
  key: string,
  { kept: report, until }: { readonly kept: KeptReport; readonly until: number },
): Promise<void> {
  for (let turn = 0; turn < TRIES; turn += 1) {
    const found = await records.get(RUN_RECORD, key)
    const before = reportsIn(found)
    if (isRepeated(before, report)) return
    const reports = fitting([...before, report])
    const written = await records.put(RUN_RECORD, key, { reports } as unknown as Json, {
      expect: found?.revision ?? 'absent',
      expiresAt: until,
    })
    if (written) return
  }
  throw new CountersignError('store_unavailable', 'this run is reported about elsewhere')
}

function reportsIn(found: StoredRecord | undefined): readonly KeptReport[] {
  const { reports = [] } = (found?.value ?? {}) as unknown as { reports?: readonly KeptReport[] }
  return reports
}

/** A durable step can run again after what it reported was kept. */
function isRepeated(before: readonly KeptReport[], report: KeptReport): boolean {
  const text = JSON.stringify(wordsOf(report))
  const newest = before.findLast(({ type }) => type === report.type)
  return newest !== undefined && JSON.stringify(wordsOf(newest)) === text
}

function wordsOf({ at: _, ...report }: KeptReport): Omit<KeptReport, 'at'> {
  return report
}

/** How it ended is worth more than how far it got: old progress goes first. */
function fitting(reports: readonly KeptReport[]): readonly KeptReport[] {
  const kept = [...reports]
  while (kept.length > MOST || JSON.stringify(kept).length > MOST_TEXT) {
    const oldest = kept.findIndex(({ type }, at) => type === 'progress' && at < kept.length - 1)
    kept.splice(Math.max(oldest, 0), 1)
  }
  return kept
}
