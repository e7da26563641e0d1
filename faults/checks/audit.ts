import { createHash } from 'node:crypto'
import type { Event } from '../../src/approval/transition.ts'
import { broken, type Evidence, type Violation } from './check.ts'
import type { EventRow } from './records.ts'

interface Body {
  readonly writer: string
  readonly seq: number
  readonly prev: string
  readonly event: Event
  readonly refused?: string
  readonly state?: string
}

/** INV-4: one end that never changes. INV-7: the chains verify and say everything that happened. */
export function checkAudit({ records }: Evidence): Violation[] {
  const found: Violation[] = []
  const last = new Map<string, { seq: number; hash: string }>()
  for (const row of [...records.events].sort((a, b) => a.seq - b.seq)) {
    const { seq, hash } = last.get(row.writer) ?? { seq: 0, hash: '0'.repeat(64) }
    const body = JSON.parse(row.body) as Body
    const follows = row.seq === seq + 1 && row.prev === hash
    const isItself = sha256(row.body) === row.hash && body.seq === row.seq && body.prev === row.prev
    if (!follows || !isItself)
      found.push(broken(7, `event ${row.seq} of ${row.writer} does not fit`))
    last.set(row.writer, { seq: row.seq, hash: row.hash })
  }
  const byApproval = Map.groupBy(
    records.events.filter(({ approval }) => approval !== null),
    ({ approval }) => approval ?? '',
  )
  for (const [id, { revision, status, execution }] of records.approvals) {
    const rows = byApproval.get(id) ?? []
    found.push(...checkStory(id, rows, revision))
    const newest = bodyOf(rows.findLast((row) => row.revision === revision))
    if (newest === undefined) continue
    if (newest.event.status !== status || newest.event.execution !== execution?.state) {
      found.push(broken(7, `${id} is ${status}, and its events say ${newest.event.status}`))
    }
    if (newest.state !== undefined && newest.state !== records.seals.get(id)) {
      found.push(broken(7, `${id} is not what its last event sealed`))
    }
  }
  for (const id of byApproval.keys()) {
    if (!records.approvals.has(id))
      found.push(broken(7, `events speak of ${id}, which is gone`, 'lost'))
  }
  return found
}

/** Every revision has its events, in order; after an end only the execution goes on. */
function checkStory(id: string, rows: readonly EventRow[], revision: number): Violation[] {
  const found: Violation[] = []
  const told = new Set(rows.map((row) => row.revision))
  for (let one = 1; one <= revision; one += 1) {
    if (!told.has(one)) found.push(broken(7, `revision ${one} of ${id} left no event`))
  }
  if (told.size > revision) found.push(broken(7, `${id} has events of revisions it never had`))
  const sent = new Set<string>()
  let end: string | undefined
  let claims = 0
  for (const row of [...rows].sort((a, b) => (a.revision ?? 0) - (b.revision ?? 0))) {
    const name = `${row.command}/${row.command_index}`
    if (sent.has(name)) found.push(broken(7, `${id} records ${name} twice`))
    sent.add(name)
    const status = bodyOf(row)?.event.status ?? 'pending'
    if (row.type === 'claimed') claims += 1
    if (end !== undefined && status !== end) {
      found.push(broken(4, `${id} was ${end} and became ${status}`))
    }
    if (status !== 'pending' && status !== 'approved') end = status
  }
  if (claims > 1) found.push(broken(2, `${id} was claimed ${claims} times`, 'double'))
  return found
}

function bodyOf(row: EventRow | undefined): Body | undefined {
  return row && (JSON.parse(row.body) as Body)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
