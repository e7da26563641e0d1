import { CountersignError, isCountersignError } from '../errors.ts'
import { canonicalJson, freshParse } from '../json/canonical.ts'
import { isPlainObject, type JsonObject } from '../json/json.ts'

/*
 * What a program says its call would do: rows that would change, the people behind an id, the mail as
 * it would be sent. It is data for people, never markup, and no rule reads it.
 */

export type PreviewValue = string | number | boolean | null

export interface Preview {
  /** One sentence: `Refunds 3 orders, EUR 412.50 in all`. */
  readonly summary?: string
  readonly facts?: readonly PreviewFact[]
  readonly table?: PreviewTable
  /** Texts before and after, shown as a diff. */
  readonly changes?: readonly PreviewChange[]
  /** A text as it would be sent or written, such as a mail. */
  readonly text?: string
}

export interface PreviewFact {
  readonly label: string
  readonly value: PreviewValue
}

export interface PreviewTable {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly PreviewValue[])[]
  /** How many rows there are in all, where these are only the first. */
  readonly total?: number
}

export interface PreviewChange {
  readonly label: string
  readonly before: string
  readonly after: string
}

/** Why there is none, although the program makes previews. */
export const PREVIEW_FAILURES = ['threw', 'timed_out', 'invalid', 'too_large'] as const
export type PreviewFailure = (typeof PREVIEW_FAILURES)[number]

/** What was made of one call: a preview, or the reason why there is none. */
export type MadePreview = { readonly preview: Preview } | { readonly failed: PreviewFailure }

/** More than that is not read before a decision. */
export const PREVIEW_LIMITS = {
  bytes: 16_384,
  summary: 500,
  facts: 20,
  label: 100,
  value: 500,
  columns: 8,
  rows: 50,
  changes: 5,
  text: 8_000,
} as const

/** Deep enough for the rows of a table. */
const LIMITS = { depth: 6, bytes: PREVIEW_LIMITS.bytes }

/**
 * A copy that shares nothing with the caller's object. Throws `invalid_value` for anything that is not
 * exactly a preview, and `too_large` for one that is too much to read.
 */
export function readPreview(given: unknown): Preview {
  const value = copied(given)
  if (!isPlainObject(value)) throw invalid('it is not an object')
  if (Object.keys(value).length === 0) throw invalid('it is empty')
  onlyKeys(value, ['summary', 'facts', 'table', 'changes', 'text'], 'the preview')
  const { summary, facts, table, changes, text } = value
  if (summary !== undefined) textOf(summary, 'summary', PREVIEW_LIMITS.summary)
  if (text !== undefined) textOf(text, 'text', PREVIEW_LIMITS.text)
  if (facts !== undefined) listOf(facts, 'facts', PREVIEW_LIMITS.facts).forEach(checkFact)
  if (table !== undefined) checkTable(table)
  if (changes !== undefined) listOf(changes, 'changes', PREVIEW_LIMITS.changes).forEach(checkChange)
  return value as unknown as Preview
}

/** The same for what a client made of it. */
export function readMadePreview(given: unknown): MadePreview {
  if (!isPlainObject(given)) throw invalid('it is not an object')
  if (!Object.hasOwn(given, 'failed')) return { preview: readPreview(given) }
  onlyKeys(given, ['failed'], 'a preview that failed')
  const failed = PREVIEW_FAILURES.find((one) => one === given.failed)
  if (failed === undefined) throw invalid(`failed is not one of ${PREVIEW_FAILURES.join(', ')}`)
  return { failed }
}

/** Plain JSON in canonical order: members set to undefined are left out, as anywhere in JSON. */
function copied(given: unknown): unknown {
  let text: string | undefined
  try {
    text = JSON.stringify(given, withinLimits())
  } catch (cause) {
    if (isCountersignError(cause)) throw cause
    throw invalid('it is not JSON', cause)
  }
  if (text === undefined) throw invalid('it is not JSON')
  if (text.length > PREVIEW_LIMITS.bytes) throw tooMuch()
  return freshParse(canonicalJson(JSON.parse(text), LIMITS))
}

/** Stops while it is written out: a few objects that refer to each other can stand for gigabytes. */
function withinLimits(): (key: string, value: unknown) => unknown {
  let left: number = PREVIEW_LIMITS.bytes
  return (_key, value) => {
    left -= typeof value === 'string' ? value.length : 1
    if (left < 0) throw tooMuch()
    // JSON would make null of it.
    if (typeof value === 'number' && !Number.isFinite(value)) throw invalid('a number is none')
    return value
  }
}

function tooMuch(): CountersignError {
  return new CountersignError('too_large', `a preview has at most ${PREVIEW_LIMITS.bytes} bytes`)
}

function checkFact(fact: unknown): void {
  const { label, value } = membersOf(fact, ['label', 'value'], 'a fact')
  textOf(label, 'the label of a fact', PREVIEW_LIMITS.label)
  cellOf(value, 'the value of a fact')
}

function checkTable(table: unknown): void {
  const { columns, rows, total } = membersOf(table, ['columns', 'rows', 'total'], 'the table')
  const names = listOf(columns, 'columns', PREVIEW_LIMITS.columns)
  if (names.length === 0) throw invalid('the table has no columns')
  if (new Set(names).size < names.length) throw invalid('two columns have one name')
  for (const name of names) textOf(name, 'the name of a column', PREVIEW_LIMITS.label)
  const shown = listOf(rows, 'rows', PREVIEW_LIMITS.rows)
  for (const row of shown) {
    const cells = listOf(row, 'a row', PREVIEW_LIMITS.columns)
    if (cells.length !== names.length) throw invalid('a row has another length than the columns')
    for (const cell of cells) cellOf(cell, 'a cell')
  }
  if (total === undefined) return
  if (!Number.isSafeInteger(total) || (total as number) < shown.length) {
    throw invalid('total is less than the rows, or no whole number')
  }
}

function checkChange(change: unknown): void {
  const { label, before, after } = membersOf(change, ['label', 'before', 'after'], 'a change')
  textOf(label, 'the label of a change', PREVIEW_LIMITS.label)
  textOf(before, 'before', PREVIEW_LIMITS.text)
  textOf(after, 'after', PREVIEW_LIMITS.text)
}

function membersOf(value: unknown, keys: readonly string[], what: string): JsonObject {
  if (!isPlainObject(value)) throw invalid(`${what} is not an object`)
  onlyKeys(value, keys, what)
  return value as JsonObject
}

function onlyKeys(value: object, keys: readonly string[], what: string): void {
  const other = Object.keys(value).find((key) => !keys.includes(key))
  if (other !== undefined) throw invalid(`${what} has ${JSON.stringify(other.slice(0, 40))}`)
}

function listOf(value: unknown, what: string, most: number): readonly unknown[] {
  if (!Array.isArray(value)) throw invalid(`${what} is not a list`)
  if (value.length > most) {
    throw new CountersignError('too_large', `${what} of a preview has more than ${most} entries`)
  }
  return value
}

function textOf(value: unknown, what: string, most: number): void {
  if (typeof value !== 'string') throw invalid(`${what} is not text`)
  if (value.length > most) {
    throw new CountersignError('too_large', `${what} of a preview is longer than ${most}`)
  }
}

function cellOf(value: unknown, what: string): void {
  if (typeof value === 'string') {
    textOf(value, what, PREVIEW_LIMITS.value)
  } else if (value !== null && typeof value !== 'number' && typeof value !== 'boolean') {
    throw invalid(`${what} is neither text, number, true, false nor null`)
  }
}

function invalid(why: string, cause?: unknown): CountersignError {
  return new CountersignError('invalid_value', `not a preview: ${why}`, {
    hint: 'A preview has summary, facts, table, changes or text: see the guide to previews.',
    ...(cause === undefined ? {} : { cause }),
  })
}
