import type { Approval } from '../../src/approval/approval.ts'
import type { Event } from '../../src/approval/transition.ts'
import { broken, type Evidence, type Violation } from './check.ts'
import { areEnough, type Yes } from './quorum.ts'
import type { EventRow } from './records.ts'

/**
 * INV-16: nobody answers for another outside of the time they stand in for them, nobody fills two
 * places, nothing counts that somebody said before they were removed or under a stand-in that was
 * taken back, nobody answers before they are asked, and the record says who answered for whom.
 */
export function checkPeople(evidence: Evidence): Violation[] {
  return [...checkRecord(evidence), ...checkAcknowledged(evidence), ...leftAway(evidence)]
}

type Facts = NonNullable<Event['facts']>
type AnyEvent = Pick<Event, 'type' | 'at' | 'by' | 'digest' | 'code' | 'facts'>

interface Said {
  readonly subject: string
  readonly digest: string
  readonly lent: readonly { readonly subject: string; readonly standIn: string }[]
  /** Where in the record it was said. */
  readonly at: number
}

interface StandIn {
  readonly absent: string
  readonly deputy: string
  readonly from: number
  readonly until: number
  isOver: boolean
  isVoid: boolean
}

/** The whole record, event by event, by a second reading of what is promised. */
function checkRecord({ records }: Evidence): Violation[] {
  const found: Violation[] = []
  const standIns = new Map<string, StandIn>()
  /** Where in the record somebody was last removed. */
  const removed = new Map<string, number>()
  const said = new Map<string, Said[]>()
  const steps = new Map<string, { requirement: number; step: number; at: number }[]>()

  function admin({ facts = {} }: AnyEvent, type: string, at: number): void {
    const name = String(facts.subject)
    if (type === 'standin.set') standIns.set(String(facts.standIn), standInOf(facts))
    if (type === 'standin.ended') {
      const one = standIns.get(String(facts.standIn))
      if (one) Object.assign(one, { isOver: true, isVoid: facts.void === true })
    }
    if (type === 'person.removed') removed.set(name, at)
    // Whatever was arranged before somebody came back is over as well.
    if (type !== 'person.removed' && type !== 'person.added') return
    for (const one of standIns.values()) {
      if (one.absent === name || one.deputy === name) one.isOver = true
    }
  }

  function answer(id: string, event: AnyEvent, at: number): void {
    const subject = subjectOf(event)
    const names = event.facts?.for as readonly string[] | undefined
    const ids = (event.facts?.standIns ?? []) as readonly string[]
    const lent = ids.map((standIn, index) => ({ standIn, subject: names?.[index] ?? '' }))
    for (const one of lent) {
      const why = whyNot(standIns.get(one.standIn), { ...one, deputy: subject, now: event.at })
      if (why !== undefined) {
        found.push(broken(16, `${id}: ${subject} answered for ${one.subject}, ${why}`))
      }
    }
    if (event.type === 'denied') return
    const others = (said.get(id) ?? []).filter((one) => one.subject !== subject)
    said.set(id, [...others, { subject, digest: event.digest ?? '', lent, at }])
  }

  /** Those that count at this place in the record. */
  function counting(id: string, digest: string | undefined): Yes[] {
    const isSince = (name: string, at: number) => (removed.get(name) ?? -1) > at
    return (said.get(id) ?? [])
      .filter((one) => one.digest === digest && !isSince(one.subject, one.at))
      .map(({ subject, lent, at }) => ({
        subject,
        lent: lent
          .filter(({ standIn }) => standIns.get(standIn)?.isVoid === false)
          .map((one) => one.subject)
          .filter((name) => !isSince(name, at)),
      }))
  }

  records.events.forEach((row, at) => {
    const event = eventOf(row)
    if (row.approval === null) {
      admin(event, row.type, at)
      return
    }
    const approval = records.approvals.get(row.approval)
    if (approval === undefined) return
    const { id } = approval
    if (ANSWERS.includes(row.type)) answer(id, event, at)
    if (row.type === 'escalated') {
      const { requirement, step } = event.facts as { requirement: number; step: number }
      const taken = steps.get(id) ?? []
      const isTwice = taken.some((one) => one.requirement === requirement && one.step === step)
      if (isTwice) found.push(broken(16, `${id} was escalated twice`, 'double'))
      steps.set(id, [...taken, { requirement, step, at: event.at }])
    }
    if ((row.type !== 'approved' && row.type !== 'claimed') || approval.grant !== undefined) return
    const { requirements } = approval
    const yeses = counting(id, event.digest)
    if (!areEnough({ requirements, escalated: steps.get(id) ?? [] }, yeses)) {
      const names = yeses.map(({ subject, lent }) => [subject, ...lent].join(' for '))
      found.push(broken(16, `${id} was ${row.type} by ${names.join(', ') || 'nobody'} alone`))
    }
  })
  for (const approval of records.approvals.values()) {
    found.push(...unnamed(approval, said.get(approval.id) ?? []))
  }
  return found
}

const ANSWERS: readonly string[] = ['decided', 'edited', 'denied']

function eventOf({ body }: EventRow): AnyEvent {
  return (JSON.parse(body) as { event: AnyEvent }).event
}

function subjectOf({ by }: AnyEvent): string {
  return 'person' in by ? by.person.subject : ''
}

function standInOf(facts: Facts): StandIn {
  return {
    absent: String(facts.subject),
    deputy: String(facts.bySubject),
    from: Number(facts.from),
    until: Number(facts.until),
    isOver: false,
    isVoid: false,
  }
}

function whyNot(
  standIn: StandIn | undefined,
  said: { readonly subject: string; readonly deputy: string; readonly now: number },
): string | undefined {
  if (standIn === undefined) return 'whom nobody lent them'
  if (standIn.absent !== said.subject || standIn.deputy !== said.deputy) return 'who lent it others'
  if (standIn.isOver) return 'after that had ended'
  return said.now < standIn.from || said.now >= standIn.until ? 'outside of its time' : undefined
}

/** What the approval says of who answered for whom is what the record says. */
function unnamed({ id, decisions, digest, grant }: Approval, said: readonly Said[]): Violation[] {
  if (grant !== undefined) return []
  return decisions.flatMap(({ by, verdict, digest: about }): Violation[] => {
    if (verdict !== 'approve' || about !== digest) return []
    const recorded = said.find((one) => one.subject === by.subject)?.lent.map((one) => one.standIn)
    const kept = (by.for ?? []).map(({ standIn }) => standIn)
    return String(recorded) === String(kept)
      ? []
      : [broken(16, `${id}: the record does not say for whom ${by.subject} answered`)]
  })
}

/** What was acknowledged is on record after every crash. */
function checkAcknowledged({ records, operations, restored }: Evidence): Violation[] {
  if (restored) return []
  const noted = new Set(
    records.events.flatMap((row) => {
      const { facts = {} } = eventOf(row)
      if (row.type.startsWith('standin.')) return [`${row.type} ${String(facts.standIn)}`]
      if (row.type.startsWith('person.')) return [`${row.type} ${String(facts.subject)}`]
      return row.type === 'revealed' ? [`revealed ${row.approval}`] : []
    }),
  )
  const asked = new Map<string, (typeof operations)[number] & { phase: 'invoke' }>()
  return operations.flatMap((line): Violation[] => {
    if (line.phase === 'invoke') {
      asked.set(line.op, line)
      return []
    }
    const about = asked.get(line.op)
    if (line.phase !== 'ok' || about === undefined) return []
    const owed = {
      away: `standin.set ${line.standIn}`,
      back: `standin.ended ${line.standIn}`,
      remove: `person.removed ${about.subject}`,
      reveal: `revealed ${about.approval}`,
    }[about.kind as string]
    if (owed !== undefined && !noted.has(owed)) return [broken(16, `${owed} is lost`, 'lost')]
    const isBack = about.kind === 'back' && records.standIns.includes(line.standIn ?? '')
    return isBack ? [broken(16, `stand-in ${line.standIn} ended and is there again`, 'lost')] : []
  })
}

/** When every process is gone, the last of them has brought everybody back. */
function leftAway({ records, alive }: Evidence): Violation[] {
  if (alive !== undefined) return []
  return [...records.removed.map((who) => broken(16, `${who} was never added again`, 'stuck'))]
}
