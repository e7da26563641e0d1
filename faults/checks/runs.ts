import { createHash } from 'node:crypto'
import type { Approval } from '../../src/approval/approval.ts'
import { broken, type Evidence, type Violation } from './check.ts'
import { areEnough, yesesOf } from './quorum.ts'

/**
 * INV-1: every start has its yes, for exactly these bytes. INV-2: at most one start. INV-5: none
 * after a no. INV-8: the record says what the tool says.
 */
export function checkRuns(evidence: Evidence): Violation[] {
  const { sightings, records } = evidence
  const starts = Map.groupBy(
    // What needed nobody has no approval, and is looked at elsewhere.
    sightings.filter(({ phase, approval }) => phase === 'start' && approval !== ''),
    ({ approval }) => approval,
  )
  const found: Violation[] = []
  for (const [id, all] of starts) {
    if (all.length > 1) found.push(broken(2, `${id} started ${all.length} times`, 'double'))
    const approval = records.approvals.get(id)
    if (approval === undefined) {
      if (!evidence.restored) found.push(broken(1, `${id} started and is not on record`, 'lost'))
      continue
    }
    for (const { claim, args, tool, at } of all) {
      const { startBy = 0 } = approval.execution ?? {}
      if (evidence.isClockSteady && at >= startBy)
        found.push(broken(12, `${id} started at ${at}, after ${startBy}`))
      const why = unfounded(approval, records.claims.get(id), { claim, args, tool })
      if (why !== undefined) found.push(broken(1, `${id} started although ${why}`))
    }
    if (approval.status !== 'approved') {
      found.push(broken(5, `${id} started and is ${approval.status}`))
    }
  }
  for (const approval of records.approvals.values()) {
    const seen = sightings.filter((one) => one.approval === approval.id).map(({ phase }) => phase)
    const why = dishonest(approval, new Set(seen))
    if (why !== undefined) found.push(broken(8, `${approval.id} ${why}`))
  }
  return found
}

function unfounded(
  approval: Approval,
  claimOnRecord: string | undefined,
  { claim, args, tool }: { claim: string; args: string; tool: string },
): string | undefined {
  const { execution, call, digest } = approval
  if (execution?.claim !== claim || claimOnRecord !== claim) return 'another claim holds it'
  if (digestOf(approval, tool, args) !== digest) return 'other bytes were approved'
  const yeses = yesesOf(approval, [call.agent])
  if (areEnough(approval, yeses)) return undefined
  return `only ${yeses.map(({ subject }) => subject).join(' and ') || 'nobody'} said yes`
}

/** Written down again from its documentation, so that a mistake in one of the two shows. */
function digestOf({ tenant, call }: Approval, tool: string, args: string): string {
  const { door, kind, server = null, definition, agent, principal } = call
  const person = principal ? [principal.issuer ?? null, principal.subject] : null
  const names = [tenant, door, kind, server, tool, definition, agent, person]
  const parts = ['countersign.call.v1', ...names].map((part) => JSON.stringify(part))
  return createHash('sha256')
    .update(`[${parts.join(',')},${args}]`)
    .digest('hex')
}

function dishonest({ execution }: Approval, seen: Set<string>): string | undefined {
  if (execution === undefined) return undefined
  const { state, resolvedBy, noResult } = execution
  if (resolvedBy !== undefined || noResult === 'dropped') return undefined
  if (state === 'succeeded' && !seen.has('end')) return 'is said to have succeeded and never ended'
  // Claimed and then not started is written down as failed: it never ran, and nobody says it did.
  if (state === 'failed' && seen.has('start') && !seen.has('threw')) {
    return 'is said to have failed, and the tool did not'
  }
  return undefined
}
