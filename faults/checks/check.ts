import type { Approval } from '../../src/approval/approval.ts'
import type { Delivery } from '../workload/deliveries.ts'
import type { Stamp } from '../workload/log.ts'
import type { Operation } from '../workload/operations.ts'
import type { Sighting } from '../workload/witness.ts'
import { checkTold } from './acknowledged.ts'
import { checkAudit } from './audit.ts'
import { checkDeliveries } from './deliveries.ts'
import { checkGrants } from './grants.ts'
import { checkLocks } from './locks.ts'
import { checkPeople } from './people.ts'
import type { Records } from './records.ts'
import { checkRuns } from './runs.ts'
import { checkSwitches } from './switches.ts'

/** Everything anybody knows, at a moment when nobody works. */
export interface Evidence {
  readonly records: Records
  readonly sightings: readonly (Sighting & Stamp)[]
  readonly operations: readonly (Operation & Stamp)[]
  readonly deliveries: readonly (Delivery & Stamp)[]
  /** The store's clock. */
  readonly now: number
  /** The only process that may still hold a claim; none when every process is gone. */
  readonly alive?: string
  /** A backup was put back; what came after it may be gone. */
  readonly restored?: boolean
  /**
   * The clock did not jump while calls were under way. A claimer measures its time to start by a
   * clock that never jumps, so only then can the store's clock tell whether it started too late.
   */
  readonly isClockSteady?: boolean
}

export interface Violation {
  readonly invariant: `INV-${number}`
  readonly kind: 'lost' | 'double' | 'stuck' | 'broken'
  readonly says: string
}

/** The invariants, by number, over all that is known. None may be violated after any crash. */
export function check(evidence: Evidence): Violation[] {
  return [
    ...checkRuns(evidence),
    ...checkTold(evidence),
    ...checkAudit(evidence),
    ...checkGrants(evidence),
    ...checkLocks(evidence),
    ...checkPeople(evidence),
    ...checkSwitches(evidence),
    ...checkDeliveries(evidence),
    ...checkClocks(evidence),
    ...evidence.records.damage.map((says) => broken(7, `the database is damaged: ${says}`)),
  ]
}

export function broken(
  number: number,
  says: string,
  kind: Violation['kind'] = 'broken',
): Violation {
  return { invariant: `INV-${number}`, kind, says }
}

/** INV-6: nothing is stuck. INV-12: no yes after its time, and no end before it. */
function checkClocks({ records, now, alive }: Evidence): Violation[] {
  const stuck = [...records.approvals.values()].flatMap((approval) => {
    const why = stuckBecause(approval, now, alive)
    return why === undefined ? [] : [broken(6, `${approval.id} ${why}`, 'stuck')]
  })
  const untimely = records.events.flatMap(({ approval: id, type, at, body }) => {
    const approval = id === null ? undefined : records.approvals.get(id)
    if (approval === undefined) return []
    const { decideBy, useBy = 0 } = approval
    const { code, facts } = (JSON.parse(body) as { event: { code?: string; facts?: object } }).event
    const granted = facts !== undefined && 'grant' in facts
    if ((type === 'approved' || type === 'denied') && at >= decideBy && !granted) {
      return [broken(12, `${id} was ${type} at ${at}, after its time ran out at ${decideBy}`)]
    }
    if (type === 'claimed' && at >= useBy) return [broken(12, `${id} was claimed after its time`)]
    if (type !== 'expired') return []
    return at < (code === 'unused' ? useBy : decideBy)
      ? [broken(12, `${id} expired at ${at}, before its time`)]
      : []
  })
  return [...stuck, ...untimely]
}

function stuckBecause(approval: Approval, now: number, alive?: string): string | undefined {
  const { status, execution, decideBy, useBy = 0 } = approval
  if (status === 'pending') return now >= decideBy ? 'is pending past its time' : undefined
  if (execution === undefined) {
    return status === 'approved' && now >= useBy ? 'is approved past its time' : undefined
  }
  if (execution.state !== 'running') return undefined
  return execution.instance === alive ? undefined : 'is running in a process that is gone'
}
