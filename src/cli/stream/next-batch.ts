import { hash } from 'node:crypto'
import { isPlainObject } from '../../base/json/json.ts'
import { AuditProblem } from '../../gate/audit/audit-problem.ts'
import { lineOf } from '../../gate/audit/audit-records.ts'
import type { Head } from '../../store/audit/audit-entry.ts'
import type { AuditLog, LoggedEntry } from '../../store/audit/audit-log.ts'
import type { Cursor } from './cursor.ts'

/** One entry or checkpoint, as a line and with what a log needs to file it. */
export interface StreamedLine {
  readonly text: string
  readonly type: string
  readonly at: number
}

export interface Batch {
  readonly lines: readonly StreamedLine[]
  /** Where the stream stands once they are delivered. */
  readonly cursor: Cursor
  /** There is nothing more at this moment. */
  readonly isLast: boolean
}

const NOTHING = '0'.repeat(64)
const sha256 = (text: string) => hash('sha256', text)

/**
 * What came after the cursor. Each entry is held against the one before it in its chain, and each
 * chain against the entry that was delivered last: what was rewritten since is not passed on.
 */
export async function nextBatch(log: AuditLog, cursor: Cursor, most: number): Promise<Batch> {
  const heads = new Map(cursor.heads)
  const checkpoints = new Map(cursor.checkpoints)
  const unseen = new Set(heads.keys())
  const lines: StreamedLine[] = []
  const whole = () => ({ lines, cursor: { heads, checkpoints } })
  for await (const entry of log.entries()) {
    const { writer, seq } = entry.columns
    const place = `entry ${seq} of writer ${writer}`
    const last = heads.get(writer)
    if (unseen.delete(writer)) {
      assertSame(entry, last, place)
      continue
    }
    assertDelivered(unseen)
    // Where there is no cursor yet, or a chain is read from its middle on, what was sent is passed.
    if (last && seq <= last.seq) continue
    if (lines.length === most) return { ...whole(), isLast: false }
    heads.set(writer, followed(entry, last, place))
    const text = lineOf({ kind: 'entry', hash: entry.hash, text: entry.body, content: {}, place })
    lines.push({ text, ...filedUnder(entry.body) })
  }
  assertDelivered(unseen)
  const numbers = new Map([...checkpoints].map(([tenant, { n }]) => [tenant, n]))
  for await (const { tenant, n, jws } of log.checkpoints(numbers)) {
    const place = `checkpoint ${n}`
    const payload = payloadOf(jws)
    const last = checkpoints.get(tenant)
    if (n !== (last?.n ?? 0) + 1 || payload.prev !== (last?.hash ?? NOTHING)) {
      throw new AuditProblem('checkpoint_order', place, 'it does not follow the one before it')
    }
    checkpoints.set(tenant, { n, hash: sha256(jws) })
    const text = lineOf({ kind: 'checkpoint', tenant, n, jws, place })
    lines.push({ text, type: 'checkpoint', at: payload.at })
  }
  return { ...whole(), isLast: true }
}

function assertSame({ hash: found }: LoggedEntry, last: Head | undefined, place: string): void {
  if (found === last?.hash) return
  throw new AuditProblem('chain', place, 'it is not the entry that was delivered')
}

function assertDelivered(unseen: ReadonlySet<string>): void {
  const [writer] = unseen
  if (writer === undefined) return
  const place = `the chain of writer ${writer}`
  throw new AuditProblem('missing', place, 'the entry that was delivered last is no longer there')
}

function followed(entry: LoggedEntry, last: Head | undefined, place: string): Head {
  const { writer, seq, prev } = entry.columns
  if (sha256(entry.body) !== entry.hash) {
    throw new AuditProblem('hash', place, 'its text does not give its hash')
  }
  const isNext = seq === (last?.seq ?? 0) + 1 && prev === (last?.hash ?? NOTHING)
  const body = parsed(entry.body)
  const isSame = body.writer === writer && body.seq === seq && body.prev === prev
  if (isNext && isSame) return { writer, seq, hash: entry.hash }
  throw new AuditProblem('chain', place, 'it does not follow the entry before it')
}

/** As the text that was hashed says: columns beside it may say something else. */
function filedUnder(body: string): Pick<StreamedLine, 'type' | 'at'> {
  const { event } = parsed(body)
  const { type, at } = isPlainObject(event) ? event : {}
  // Only what a header of syslog can hold.
  const name = typeof type === 'string' ? type.replaceAll(/[^!-~]/g, '?').slice(0, 32) : ''
  return { type: name === '' ? '-' : name, at: timeOf(at) }
}

const LATEST = 253_402_300_799_999

function timeOf(at: unknown): number {
  return Number.isSafeInteger(at) && (at as number) >= 0 && (at as number) <= LATEST
    ? (at as number)
    : 0
}

function payloadOf(jws: string): { readonly prev: unknown; readonly at: number } {
  const text = Buffer.from(jws.split('.')[1] ?? '', 'base64url').toString()
  const { prev, at } = parsed(text)
  return { prev, at: timeOf(at) }
}

function parsed(text: string): { readonly [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? value : {}
  } catch {
    return {}
  }
}
