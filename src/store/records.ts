import { CountersignError } from '../base/errors.ts'
import type { Json } from '../base/json/json.ts'

/** What a server keeps besides approvals: people, sessions, tokens. Small values, found by name. */
export interface Records {
  /** Undefined when it is not there, or past its end. */
  get(kind: string, id: string): Promise<StoredRecord | undefined>
  /**
   * Writes it. With `expect`, only when it is still at that revision, or `absent`; undefined when it
   * is not. Of several that expect the same, in any process, one succeeds.
   */
  put(
    kind: string,
    id: string,
    value: Json,
    options?: PutOptions,
  ): Promise<StoredRecord | undefined>
  /** By id, ascending. */
  list(kind: string, page?: RecordPageRequest): Promise<RecordPage>
  /** What was removed: for exactly one caller, whatever the process. */
  remove(kind: string, id: string): Promise<StoredRecord | undefined>
}

export interface StoredRecord {
  readonly id: string
  readonly value: Json
  /** Starts at 1 and grows by one with each change. */
  readonly revision: number
  /** When it was last changed, on the store's clock. */
  readonly at: number
  readonly expiresAt?: number
}

export interface PutOptions {
  readonly expect?: number | 'absent'
  /** From then on it is as if it were not there. Never, unless set. */
  readonly expiresAt?: number
}

export interface RecordPageRequest {
  /** `next` of the page before. */
  readonly after?: string
  /** At most 500. */
  readonly limit?: number
}

export interface RecordPage {
  readonly records: readonly StoredRecord[]
  /** Absent on the last page. */
  readonly next?: string
}

const MAX_BYTES = 65_536
const MAX_NAME = 256
const MAX_PAGE = 500

/** Records past their end that one write clears away. */
export const CLEARED_AT_ONCE = 100

/**
 * Whether a record can have this name. Postgres holds no U+0000, and half a surrogate pair is written
 * as another character, so two names would be one.
 */
export function isRecordName(name: string): boolean {
  return name.length > 0 && name.length <= MAX_NAME && isStorable(name)
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

/** The value as it is stored. Names and values have bounds, regardless of their source. */
export function recordText(kind: string, id: string, value: Json): string {
  const text = JSON.stringify(value)
  if (![kind, id].every(isStorable)) {
    throw new CountersignError('invalid_value', `a name of a ${kind} holds a character it must not`)
  }
  if (text.length <= MAX_BYTES && [kind, id].every(isRecordName)) return text
  throw new CountersignError('too_large', `this ${kind} does not fit into a record`)
}

/** Whether a write that expects this may go on, given what is there. */
export function isExpected(
  expect: PutOptions['expect'],
  found: { readonly revision: number } | undefined,
): boolean {
  return expect === undefined || (found?.revision ?? 'absent') === expect
}

export function recordLimit(limit = MAX_PAGE): number {
  return Number.isSafeInteger(limit) ? Math.min(Math.max(limit, 1), MAX_PAGE) : MAX_PAGE
}

/** Everything of one kind that is not past its end. */
export async function allRecords(records: Records, kind: string): Promise<StoredRecord[]> {
  const found: StoredRecord[] = []
  let after: string | undefined
  do {
    const page = await records.list(kind, after === undefined ? {} : { after })
    found.push(...page.records)
    after = page.next
  } while (after !== undefined)
  return found
}

/** Of one more than was asked for, to know whether there is a next page. */
export function recordPage(found: readonly StoredRecord[], limit: number): RecordPage {
  const records = found.slice(0, limit)
  const last = records.at(-1)
  return found.length > limit && last ? { records, next: last.id } : { records }
}

export function storedRecord(
  id: string,
  text: string,
  numbers: {
    readonly revision: number
    readonly at: number
    readonly expiresAt: number | undefined
  },
): StoredRecord {
  const { revision, at, expiresAt } = numbers
  const value = JSON.parse(text) as Json
  return { id, value, revision, at, ...(expiresAt === undefined ? {} : { expiresAt }) }
}
