/** A form for the arguments that may be changed, from the tool's schema and the values at hand. */

import type { ApprovalCard } from '../../../../src/api/approval.ts'
import { t } from '../language/t.ts'
import { mayEdit } from './editable.ts'
import {
  isNested,
  type Json,
  type Keys,
  parseArguments,
  readAt,
  replaceAt,
  rowsOf,
} from './values.ts'

export interface EditField {
  readonly keys: Keys
  readonly was: Json
  readonly kind: 'text' | 'number' | 'choice' | 'json' | 'secret'
  readonly choices?: readonly Json[]
  /** `number, at most 20000` */
  readonly hint: string
  readonly schema: Schema | undefined
}

type Schema = { readonly [key: string]: unknown }

export function fieldsOf(card: ApprovalCard): readonly EditField[] {
  return rowsOf(parseArguments(card.arguments) ?? {}, card.masked)
    .filter((row) => mayEdit(card.terms.edit, row) && isLeaf(row.value))
    .map(({ keys, value: was, masked }) =>
      masked && was === MASK
        ? secretField(keys, was, schemaAt(card.schema, keys))
        : fieldFor(keys, was, schemaAt(card.schema, keys)),
    )
}

/** What the server puts in place of a secret, and takes back for it. */
const MASK = '[secret]'

/** A masked value can be overwritten without being shown. */
function secretField(keys: Keys, was: Json, schema: Schema | undefined): EditField {
  return { keys, was, schema, kind: 'secret', hint: t('masked; empty leaves it as it is') }
}

/** Empty objects and lists have nothing inside to edit, so they are edited whole. */
function isLeaf(value: Json): boolean {
  return !isNested(value) || Object.keys(value).length === 0
}

function fieldFor(keys: Keys, was: Json, schema: Schema | undefined): EditField {
  const choices = choicesOf(was, schema)
  const base = { keys, was, schema }
  if (choices !== undefined) return { ...base, kind: 'choice', choices, hint: t('one of these') }
  if (typeof was === 'number') return { ...base, kind: 'number', hint: numberHint(schema) }
  if (typeof was === 'string') return { ...base, kind: 'text', hint: textHint(schema) }
  return { ...base, kind: 'json', hint: 'JSON' }
}

function choicesOf(was: Json, schema: Schema | undefined): readonly Json[] | undefined {
  if (typeof was === 'boolean') return [true, false]
  const listed = schema?.enum
  return Array.isArray(listed) && listed.every((one) => !isNested(one as Json))
    ? (listed as readonly Json[])
    : undefined
}

function numberHint(schema: Schema | undefined): string {
  const word = schema?.type === 'integer' ? t('whole number') : t('number')
  const least = numberIn(schema, 'minimum')
  const most = numberIn(schema, 'maximum')
  return [
    word,
    ...(least === undefined ? [] : [t('from {least}', { least })]),
    ...(most === undefined ? [] : [t('up to {most}', { most })]),
  ].join(', ')
}

function textHint(schema: Schema | undefined): string {
  const most = numberIn(schema, 'maxLength')
  return most === undefined ? t('text') : t('text, up to {most}', { most })
}

function numberIn(schema: Schema | undefined, key: string): number | undefined {
  const value = schema?.[key]
  return typeof value === 'number' ? value : undefined
}

/** The schema of one argument, where it is plainly written. Elsewhere the server judges alone. */
export function schemaAt(schema: unknown, keys: Keys): Schema | undefined {
  let at: unknown = schema
  for (const key of keys) {
    if (!isSchema(at)) return undefined
    const { properties, items } = at
    at = isSchema(properties) && Object.hasOwn(properties, key) ? properties[key] : items
  }
  return isSchema(at) ? at : undefined
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export type ReadField =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly why: string }

/** What was typed, as a value, or what is wrong with it. */
export function readField({ kind, choices, schema }: EditField, text: string): ReadField {
  if (kind === 'choice') {
    const value = choices?.find((choice) => JSON.stringify(choice) === text)
    return value === undefined ? { ok: false, why: t('Choose one.') } : { ok: true, value }
  }
  if (kind === 'secret') {
    if (text === '') return { ok: true, value: MASK }
    const isNumber = schema?.type === 'number' || schema?.type === 'integer'
    return isNumber ? checkNumber(text, schema) : checkText(text, schema)
  }
  if (kind === 'text') return checkText(text, schema)
  if (kind === 'number') return checkNumber(text, schema)
  try {
    return { ok: true, value: JSON.parse(text) as Json }
  } catch {
    return { ok: false, why: t('This is not JSON.') }
  }
}

function checkText(text: string, schema: Schema | undefined): ReadField {
  const length = [...text].length
  const most = numberIn(schema, 'maxLength')
  const least = numberIn(schema, 'minLength')
  if (most !== undefined && length > most)
    return { ok: false, why: t('At most {most} characters.', { most }) }
  if (least !== undefined && length < least)
    return { ok: false, why: t('At least {least} characters.', { least }) }
  return { ok: true, value: text }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function checkNumber(text: string, schema: Schema | undefined): ReadField {
  const value = Number(text)
  if (!NUMBER.test(text.trim())) return { ok: false, why: t('Write a number, like 1200 or 12.5.') }
  const isSafe = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  if (!isSafe) return { ok: false, why: t('This number is too large to be exact.') }
  if (schema?.type === 'integer' && !Number.isInteger(value))
    return { ok: false, why: t('Write a whole number.') }
  const least = numberIn(schema, 'minimum')
  const most = numberIn(schema, 'maximum')
  if (least !== undefined && value < least)
    return { ok: false, why: t('At least {least}.', { least }) }
  if (most !== undefined && value > most) return { ok: false, why: t('At most {most}.', { most }) }
  return { ok: true, value }
}

/** How a value stands in its field before anything was typed. */
export function writeField({ kind, was }: Pick<EditField, 'kind' | 'was'>): string {
  if (kind === 'secret') return ''
  return kind === 'text' ? String(was) : JSON.stringify(was)
}

export interface Edited {
  readonly arguments: Json
  readonly changed: readonly { readonly keys: Keys; readonly was: Json; readonly now: Json }[]
  readonly wrong: readonly { readonly keys: Keys; readonly why: string }[]
}

/** The whole arguments with what was typed. Masked values stay as they came: the server knows them. */
export function applyEdits(
  card: ApprovalCard,
  fields: readonly EditField[],
  typed: (field: EditField) => string,
): Edited {
  let value: Json = parseArguments(card.arguments) ?? {}
  const changed: { keys: Keys; was: Json; now: Json }[] = []
  const wrong: { keys: Keys; why: string }[] = []
  for (const field of fields) {
    const read = readField(field, typed(field))
    if (!read.ok) {
      wrong.push({ keys: field.keys, why: read.why })
      continue
    }
    if (JSON.stringify(read.value) === JSON.stringify(readAt(value, field.keys))) continue
    changed.push({ keys: field.keys, was: field.was, now: read.value })
    value = replaceAt(value, field.keys, read.value)
  }
  return { arguments: value, changed, wrong }
}
