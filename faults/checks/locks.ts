import type { Approval } from '../../src/approval/approval.ts'
import type { LockTarget } from '../../src/approval/locks/lock.ts'
import type { Stamp } from '../workload/log.ts'
import { broken, type Evidence, type Violation } from './check.ts'
import { type Done, isBefore, type Moment, momentsOf, NEVER, operationsOf } from './moments.ts'
import { areEnough, yesesOf } from './quorum.ts'

/** INV-15: a lock holds from its acknowledgement until it is lifted, and nothing of it is lost. */
export function checkLocks(evidence: Evidence): Violation[] {
  return [
    ...checkRecord(evidence),
    ...checkAcknowledged(evidence),
    ...checkStarts(evidence),
    ...leftLocked(evidence),
  ]
}

interface AnyEvent {
  readonly type: string
  readonly by: { readonly person?: { readonly subject: string } }
  readonly facts?: { readonly [name: string]: unknown }
}

const ANSWERS: readonly string[] = ['decided', 'approved', 'denied', 'edited']

/** By the record: what was written between a lock and its end must not be what it holds back. */
function checkRecord({ records }: Evidence): Violation[] {
  const held = new Map<string, Readonly<Record<string, unknown>>>()
  const found: Violation[] = []
  for (const { type, approval: id, body } of records.events) {
    const { event } = JSON.parse(body) as { event: AnyEvent }
    const { lock, ...target } = event.facts ?? {}
    if (type === 'lock.set') held.set(String(lock), target)
    if (type === 'lock.lifted') held.delete(String(lock))
    const approval = id === null ? undefined : records.approvals.get(id)
    if (approval === undefined || held.size === 0) continue
    const targets = [...held.values()]
    const locked = targets.flatMap(({ subject }) => (subject === undefined ? [] : [subject]))
    const by = event.by.person?.subject
    if (ANSWERS.includes(type) && by !== undefined && locked.includes(by) && !isByGrant(event)) {
      found.push(broken(15, `${id} was ${type} by ${by}, who was locked`))
    }
    if (type !== 'claimed' && type !== 'requested') continue
    const stopped = targets.find((one) => isHeldBack(one, approval))
    if (stopped) found.push(broken(15, `${id} was ${type} under the lock ${words(stopped)}`))
    if (type === 'claimed' && !areEnough(approval, yesesOf(approval, locked))) {
      found.push(broken(15, `${id} was claimed by the yes of somebody who was locked`))
    }
  }
  return found
}

/** A grant speaks in the name of whoever made it, and is looked at elsewhere. */
function isByGrant({ facts }: AnyEvent): boolean {
  return facts !== undefined && 'grant' in facts
}

/** Written down again from what locks promise, so that a mistake in one of the two shows. */
function isHeldBack(target: Readonly<Record<string, unknown>>, { id, call }: Approval): boolean {
  if (target.everything === true || target.approval === id) return true
  return target.agent === call.agent || target.tool === call.tool
}

interface Held {
  readonly lock: string
  readonly target: LockTarget
  /** When it was asked for, and when whoever set it knew that it holds. */
  readonly asked: Moment
  readonly from: Moment
  /** When somebody first tried to lift it. */
  readonly until: Moment
}

/** What was acknowledged is there after every crash: a lock until it is lifted, and no longer. */
function checkAcknowledged(evidence: Evidence): Violation[] {
  if (evidence.restored) return []
  const { locks, events } = evidence.records
  const kept = new Set(locks)
  const noted = new Set(
    events.flatMap(({ type, body }) => {
      const { event } = JSON.parse(body) as { event: AnyEvent }
      return type.startsWith('lock.') ? [`${type} ${String(event.facts?.lock)}`] : []
    }),
  )
  const all = operationsOf(evidence)
  const lifts = new Set(all.flatMap(({ asked }) => (asked.kind === 'lift' ? [asked.lock] : [])))
  const lost = (says: string) => broken(15, says, 'lost')
  return all.flatMap(({ asked, end }): Violation[] => {
    if (end?.phase !== 'ok' || end.lock === undefined) return []
    const { lock } = end
    if (asked.kind === 'lift') {
      return kept.has(lock) || !noted.has(`lock.lifted ${lock}`)
        ? [lost(`lock ${lock} was lifted and is there again`)]
        : []
    }
    if (!noted.has(`lock.set ${lock}`)) return [lost(`lock ${lock} left no event`)]
    return kept.has(lock) || lifts.has(lock) ? [] : [lost(`an acknowledged lock ${lock} is gone`)]
  })
}

/**
 * By the witness, without the record: whoever tries to run something after a lock on it was
 * acknowledged, and before anybody lifts it, starts nothing. And nobody hears of a lock that was not.
 */
function checkStarts(evidence: Evidence): Violation[] {
  const { records, sightings, restored } = evidence
  if (restored) return []
  const at = momentsOf(evidence)
  const all = operationsOf(evidence)
  const held = heldLocks(all, at)
  const runs = all.filter(({ asked: { kind } }) => kind === 'run' || kind === 'resume')
  const started = sightings.flatMap((one): Violation[] => {
    const approval = records.approvals.get(one.approval)
    if (one.phase !== 'start' || approval === undefined) return []
    const tried = runs.filter(
      ({ asked }) => asked.pid === one.pid && asked.key === approval.call.key,
    )
    const stopped = held.find(({ target, from, until }) => {
      const isDuring = isBefore(from, at(one)) && isBefore(at(one), until)
      return isDuring && isHeldBack({ ...target }, approval) && !tried.some(underWayAt(from, at))
    })
    if (stopped === undefined) return []
    return [broken(15, `${one.approval} started under the lock ${words({ ...stopped.target })}`)]
  })
  const untrue = runs.flatMap(({ asked, end }): Violation[] => {
    if (end?.status !== 'locked') return []
    const isTrue = held.some(
      (lock) => isBefore(lock.asked, at(end)) && isBefore(at(asked), liftedAt(lock.lock, all, at)),
    )
    return isTrue ? [] : [broken(9, `${asked.key} was told of a lock when nothing was locked`)]
  })
  return [...started, ...untrue]
}

function underWayAt(moment: Moment, at: (line: Stamp) => Moment): (done: Done) => boolean {
  return ({ asked, end }) =>
    isBefore(at(asked), moment) && (end === undefined || isBefore(moment, at(end)))
}

/** All that may have been set; those that nobody acknowledged hold nothing that can be counted on. */
function heldLocks(all: readonly Done[], at: (line: Stamp) => Moment): Held[] {
  return all.flatMap(({ asked, end }): Held[] => {
    if (asked.kind !== 'lock' || asked.target === undefined) return []
    const { target } = asked
    const lock = end?.lock ?? ''
    const tries = all.filter((one) => one.asked.kind === 'lift' && one.asked.lock === lock)
    const [first] = tries.map((one) => at(one.asked)).sort((a, b) => (isBefore(a, b) ? -1 : 1))
    const isKnown = end?.phase === 'ok'
    const from = isKnown ? at(end) : NEVER
    return [{ lock, target, asked: at(asked), from, until: isKnown ? (first ?? NEVER) : NEVER }]
  })
}

/** When whoever lifted it knew that it is lifted; a lock that nobody knew of may hold for ever. */
function liftedAt(lock: string, all: readonly Done[], at: (line: Stamp) => Moment): Moment {
  const done = all.find(
    ({ asked, end }) => asked.kind === 'lift' && asked.lock === lock && end?.phase === 'ok',
  )
  return lock !== '' && done?.end ? at(done.end) : NEVER
}

/** When every process is gone, the last of them has lifted whatever there was. */
function leftLocked({ records, alive }: Evidence): Violation[] {
  if (alive !== undefined) return []
  return records.locks.map((lock) => broken(15, `lock ${lock} was never lifted`, 'stuck'))
}

function words(target: Readonly<Record<string, unknown>>): string {
  return `on ${Object.entries(target).flat().join(' ')}`
}
