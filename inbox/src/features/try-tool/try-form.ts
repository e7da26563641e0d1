/** A form for a new call, built from the tool's schema alone. */

import { type EditField, readField } from '../../lib/arguments/edit-form.ts'
import { isNested, type Json } from '../../lib/arguments/values.ts'
import { t } from '../../lib/language/t.ts'

export interface TryField {
  readonly field: EditField
  readonly name: string
  readonly isRequired: boolean
  /** What it starts with; empty is left out, unless it is required. */
  readonly start: string
}

type Schema = { readonly [key: string]: unknown }

/** Undefined where the schema does not name its arguments: then they are written as JSON. */
export function tryFields(schema: unknown): readonly TryField[] | undefined {
  if (!isObject(schema) || !isObject(schema.properties)) return undefined
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties)
    .map(([name, inner]) => fieldOf(name, isObject(inner) ? inner : {}, required.includes(name)))
    .sort((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

function fieldOf(name: string, schema: Schema, isRequired: boolean): TryField {
  const keys = [name]
  const hint = [
    typeof schema.type === 'string' ? schema.type : 'JSON',
    ...(isRequired ? [] : [t('may be left out')]),
  ].join(', ')
  const choices = choicesOf(schema)
  const start = schema.default === undefined ? '' : textOf(schema.default as Json, schema, choices)
  const base = { keys, was: '', schema, hint }
  if (choices !== undefined) {
    const field: EditField = { ...base, kind: 'choice', choices }
    return { field, name, isRequired, start }
  }
  const kind = kindOf(schema)
  return { field: { ...base, kind }, name, isRequired, start }
}

function kindOf({ type }: Schema): 'text' | 'number' | 'json' {
  if (type === 'string') return 'text'
  return type === 'number' || type === 'integer' ? 'number' : 'json'
}

function choicesOf({ type, enum: listed }: Schema): readonly Json[] | undefined {
  if (type === 'boolean') return [true, false]
  return Array.isArray(listed) && listed.every((one) => !isNested(one as Json))
    ? (listed as readonly Json[])
    : undefined
}

function textOf(value: Json, schema: Schema, choices: readonly Json[] | undefined): string {
  return choices === undefined && kindOf(schema) === 'text' && typeof value === 'string'
    ? value
    : JSON.stringify(value)
}

export interface Filled {
  readonly arguments: { readonly [name: string]: Json }
  readonly wrong: Readonly<Record<string, string>>
}

export function fillForm(
  fields: readonly TryField[],
  typed: Readonly<Record<string, string>>,
): Filled {
  const found: [string, Json][] = []
  const wrong: Record<string, string> = {}
  for (const { field, name, isRequired, start } of fields) {
    const text = typed[name] ?? start
    const isLeftOut = text === '' && (!isRequired || field.kind !== 'text')
    if (isLeftOut && isRequired) wrong[name] = t('This one is needed.')
    if (isLeftOut) continue
    const read = readField(field, text)
    if (read.ok) found.push([name, read.value])
    else wrong[name] = read.why
  }
  return { arguments: Object.fromEntries(found), wrong }
}

function isObject(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
