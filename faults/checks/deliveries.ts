import type { Event } from '../../src/approval/transition.ts'
import { broken, type Evidence, type Violation } from './check.ts'
import type { EventRow } from './records.ts'

const ENDS = ['approved', 'denied', 'expired', 'withdrawn', 'invalidated']
const OUTCOMES = ['finished', 'resolved', 'lost']

/**
 * INV-14: people hear of every open question and of every end, at least once; nobody is asked what
 * was over when the sender looked; and nothing is left unsent.
 */
export function checkDeliveries(evidence: Evidence): Violation[] {
  const { records, deliveries } = evidence
  const sent = new Set(deliveries.flatMap((line) => (line.phase === 'sent' ? [line.notice] : [])))
  const unsaid = records.events.flatMap((row) => {
    const notice = owedFor(row, evidence)
    return notice === undefined || sent.has(notice)
      ? []
      : [broken(14, `nobody was told of ${notice}`, 'lost')]
  })
  const left = records.notices.map(({ id, isStuck }) =>
    broken(14, `${id} is ${isStuck ? 'stuck' : 'still waiting'}`, 'stuck'),
  )
  return [...unsaid, ...left, ...checkQuestions(evidence)]
}

/** Written down again from its documentation, so that a mistake in one of the two shows. */
function owedFor({ approval: id, type, revision, body }: EventRow, { records }: Evidence) {
  const approval = id === null ? undefined : records.approvals.get(id)
  // Nobody was asked about what a grant let through.
  if (approval === undefined || approval.grant !== undefined) return undefined
  const { status, execution, facts } = (JSON.parse(body) as { event: Event }).event
  const named = (kind: string) => `${id}-${revision}-${kind}`
  if (ENDS.includes(type)) return named(type)
  if (OUTCOMES.includes(type)) {
    return execution === undefined || execution === 'running' ? undefined : named(execution)
  }
  // A question that has ended since may have been dropped instead.
  if (approval.status !== 'pending' || status !== 'pending') return undefined
  if (type === 'requested') return named('asked')
  if (type === 'edited') return named('changed')
  if (type === 'decided') return named(facts?.voided ? 'changed' : 'voted')
  return type === 'reminded' || type === 'escalated' ? named(type) : undefined
}

function checkQuestions({ records, deliveries, operations }: Evidence): Violation[] {
  const endedAt = new Map<string, number>()
  for (const { approval, type, revision } of records.events) {
    if (approval !== null && ENDS.includes(type)) endedAt.set(approval, revision ?? 0)
  }
  const asked = new Map<string, string>()
  for (const line of operations) {
    if (line.phase === 'invoke' && line.kind === 'decide') asked.set(line.op, line.approval ?? '')
  }
  return deliveries.flatMap((line) => {
    if (line.phase !== 'sent' || !line.question) return []
    const { pid, order, notice, approval } = line
    const own = deliveries.filter((one) => one.pid === pid && one.order < order)
    const took = own.findLast((one) => one.phase === 'took' && one.notices.includes(notice))
    if (took === undefined) return [broken(14, `${notice} was sent and never taken`)]
    if (line.revision >= (endedAt.get(approval) ?? Number.POSITIVE_INFINITY)) {
      return [broken(14, `${notice} was asked by somebody who saw that it is over`)]
    }
    const wasOver = own.some((one) => one.phase === 'life' && one.over.includes(approval))
    const wasAnswered = operations.some(
      (end) =>
        end.phase === 'ok' &&
        end.pid === pid &&
        end.order < took.order &&
        asked.get(end.op) === approval &&
        (end.status === 'approved' || end.status === 'denied'),
    )
    return wasOver || wasAnswered ? [broken(14, `${notice} was asked after its end`)] : []
  })
}
