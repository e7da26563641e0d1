import { ERRORS, type ErrorCode } from '../../src/base/errors.ts'
import type { Stamp } from '../workload/log.ts'
import type { Ended, Invoked } from '../workload/operations.ts'
import { broken, type Evidence, type Violation } from './check.ts'

type Told = { readonly asked: Invoked & Stamp; readonly end: Ended & Stamp }

/** INV-3: what was acknowledged is on record. INV-9: agents are told the truth. */
export function checkTold(evidence: Evidence): Violation[] {
  const asked = new Map<string, Invoked & Stamp>()
  const found: Violation[] = []
  for (const line of evidence.operations) {
    if (line.phase === 'invoke') {
      asked.set(line.op, line)
      continue
    }
    const invoked = asked.get(line.op)
    if (line.phase === 'fail' || invoked === undefined) continue
    const told = { asked: invoked, end: line }
    found.push(...lostAnswer(evidence, told), ...untrue(evidence, told))
  }
  return found
}

function lostAnswer({ records, restored }: Evidence, { asked, end }: Told): Violation[] {
  const id = end.approval ?? asked.approval
  // What came after a backup is gone when the backup is put back; that is what a backup is.
  if (id === undefined || restored) return []
  const approval = records.approvals.get(id)
  const lost = (says: string) => [broken(3, `${id}: ${says} is lost`, 'lost')]
  if (approval === undefined) return lost('an acknowledged question')
  if (asked.kind === 'resolve') {
    return approval.execution?.resolvedBy === undefined ? lost('an acknowledged resolution') : []
  }
  if (asked.kind !== 'decide') return []
  const { by, verdict } = asked
  const vote = records.votes.find(
    (one) => one.approval === id && one.subject === by && one.digest === end.digest,
  )
  // A yes may turn to a no of the same person; never the other way round.
  const stands = vote?.verdict === verdict || vote?.verdict === 'deny'
  return stands ? [] : lost(`${by}'s acknowledged ${verdict}`)
}

/** Agents must not hear "did not run" of something that ran, nor "done" of something that did not. */
function untrue({ sightings, records, restored }: Evidence, { asked, end }: Told): Violation[] {
  const { approval: id, status, code, ran } = end
  if (id === undefined || ran === undefined) return []
  const seen = sightings.filter(({ approval }) => approval === id)
  const lie = (says: string) => [broken(9, `${id} (${asked.key}): ${says}`)]
  if (status === 'succeeded' && !seen.some(({ phase }) => phase === 'end')) {
    const resolved = records.approvals.get(id)?.execution?.resolvedBy !== undefined
    if (!resolved) return lie('told that it is done, and it never ended')
  }
  if (ran !== false) return []
  const before = seen.some((one) => one.pid === end.pid && one.order < end.order)
  if (before) return lie(`told ${code ?? status}, after it had started`)
  if (!isFinal(code) || restored) return []
  return seen.length > 0 ? lie(`told for good that it is ${code}, and it started`) : []
}

/**
 * Codes that are said for good: nothing starts under this key afterwards. All others say how the
 * call stands now, and it may well run later.
 */
const FINAL: readonly string[] = [
  'denied',
  'denied_by_policy',
  'denied_by_mode',
  'expired',
  'withdrawn',
  'invalidated',
  'not_started',
  'quarantined',
  'too_many_pending',
  'no_eligible_approver',
  'key_reused',
]

function isFinal(code = ''): boolean {
  const http = ERRORS[code as ErrorCode]?.http
  return FINAL.includes(code) || http === 400 || http === 413
}
