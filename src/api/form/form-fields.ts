import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { inEnglish, type Tell } from '../../base/tell.ts'

/*
 * A form as fields, for every surface that shows one. Labels and help texts are the asker's words.
 * What a schema says beyond this the server checks; what has no field of its own is written as JSON.
 */

export interface FormField {
  /** Where the answer goes, key by key; empty for a form that is one piece of JSON. */
  readonly keys: readonly string[]
  readonly kind: 'text' | 'lines' | 'secret' | 'number' | 'choice' | 'choices' | 'json'
  /** As the asker calls it: the title, or the last key. */
  readonly label: string
  readonly help?: string | undefined
  readonly isRequired: boolean
  /** Left empty, it is sent as null where it is required. */
  readonly isNullable: boolean
  /** What can be chosen, where that is all there is. */
  readonly choices: readonly FormChoice[]
  /** In our words: `whole number, from 1, up to 500`. */
  readonly hint: string
  /** What it starts with. */
  readonly start: string
  /** The object it belongs to, where that is not the form itself. */
  readonly group?: FormGroup | undefined
  readonly schema: JsonObject
}

export interface FormChoice {
  readonly value: Json
  readonly label: string
}

export interface FormGroup {
  readonly keys: readonly string[]
  readonly label: string
  readonly help?: string | undefined
  readonly isRequired: boolean
}

/** Names a field among the others of its form. */
export function fieldName({ keys }: Pick<FormField, 'keys'>): string {
  return JSON.stringify(keys)
}

export function formFields(form: unknown, tell: Tell = inEnglish): readonly FormField[] {
  const root = isPlainObject(form) ? (form as JsonObject) : {}
  const members = membersOf(root, root)
  if (members.length === 0) return [jsonField(root, { keys: [], isRequired: true }, tell)]
  return members.flatMap(({ name, schema, isRequired }) => {
    const keys = [name]
    const inner = schema.type === 'object' ? membersOf(schema, root) : []
    const isFlat = inner.every((one) => one.schema.type !== 'object')
    if (inner.length === 0 || !isFlat) return [fieldOf(schema, { keys, isRequired }, tell)]
    const group = { keys, isRequired, ...wordsOf(schema, name) }
    return inner.map((one) =>
      fieldOf(one.schema, { keys: [...keys, one.name], isRequired: one.isRequired, group }, tell),
    )
  })
}

interface Member {
  readonly name: string
  readonly schema: JsonObject
  readonly isRequired: boolean
}

/** The properties in the order they are written, then those that are required and not described. */
function membersOf(schema: JsonObject, root: JsonObject): Member[] {
  const { properties, required } = schema
  const needed = Array.isArray(required) ? required.filter(isText) : []
  const described = isPlainObject(properties) ? Object.entries(properties as JsonObject) : []
  const names = new Set(described.map(([name]) => name))
  return [
    ...described.map(([name, inner]) => ({
      name,
      schema: resolved(inner, root),
      isRequired: needed.includes(name),
    })),
    ...needed
      .filter((name) => !names.has(name))
      .map((name) => ({ name, schema: {}, isRequired: true })),
  ]
}

const MOST_HOPS = 8

/** What a reference inside the form leads to. Titles beside the reference stay. */
function resolved(schema: Json | undefined, root: JsonObject): JsonObject {
  let at: Json | undefined = schema
  let beside: JsonObject = {}
  for (let hop = 0; hop < MOST_HOPS && isPlainObject(at); hop += 1) {
    const { $ref, ...rest } = at as JsonObject
    beside = { ...rest, ...beside }
    if (typeof $ref !== 'string') return beside
    at = $ref.startsWith('#/') ? targetOf($ref, root) : undefined
  }
  return beside
}

function targetOf(reference: string, root: JsonObject): Json | undefined {
  return reference
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json | undefined>(
      (at, key) =>
        isPlainObject(at) && Object.hasOwn(at, key) ? (at as JsonObject)[key] : undefined,
      root,
    )
}

type Place = Pick<FormField, 'keys' | 'isRequired' | 'group'>

function fieldOf(given: JsonObject, place: Place, tell: Tell): FormField {
  const { schema, isNullable } = withoutNull(given)
  const base = { ...place, ...wordsOf(schema, place.keys.at(-1) ?? ''), schema, isNullable }
  const choices = choicesOf(schema, tell)
  if (choices) {
    const start = schema.default === undefined ? '' : JSON.stringify(schema.default)
    return { ...base, kind: 'choice', choices, hint: tell.text('choose one'), start }
  }
  const several = schema.type === 'array' ? choicesOf(itemsOf(schema), tell) : undefined
  if (several) {
    const start = Array.isArray(schema.default) ? JSON.stringify(schema.default) : '[]'
    return { ...base, kind: 'choices', choices: several, hint: countHint(schema, tell), start }
  }
  const kind = plainKind(schema)
  if (kind === undefined) return jsonField(schema, place, tell, isNullable)
  const hint = kind === 'number' ? numberHint(schema, tell) : textHint(schema, tell)
  const { default: start = '' } = schema
  return {
    ...base,
    kind,
    choices: [],
    hint,
    start: typeof start === 'string' ? start : String(start),
  }
}

function jsonField(schema: JsonObject, place: Place, tell: Tell, isNullable = false): FormField {
  return {
    ...place,
    ...wordsOf(schema, place.keys.at(-1) ?? tell.text('Answers')),
    schema,
    isNullable,
    kind: 'json',
    choices: [],
    hint: tell.text('JSON, because it has no field of its own'),
    start: schema.default === undefined ? '' : JSON.stringify(schema.default, null, 2),
  }
}

/** `string` or nothing is a string that may be left empty. */
function withoutNull(schema: JsonObject): { schema: JsonObject; isNullable: boolean } {
  const { type, anyOf, ...rest } = schema
  if (Array.isArray(type) && type.length === 2 && type.includes('null')) {
    const [other] = type.filter((one) => one !== 'null')
    return { schema: { ...schema, type: other as Json }, isNullable: true }
  }
  const parts = Array.isArray(anyOf) ? anyOf.filter(isPlainObject) : []
  const others = parts.filter((one) => one.type !== 'null')
  const [only] = others
  return parts.length === 2 && others.length === 1
    ? { schema: { ...(only as JsonObject), ...rest }, isNullable: true }
    : { schema, isNullable: false }
}

function choicesOf(schema: JsonObject, tell: Tell): FormChoice[] | undefined {
  if (schema.type === 'boolean') {
    return [
      { value: true, label: tell.text('Yes') },
      { value: false, label: tell.text('No') },
    ]
  }
  if (Object.hasOwn(schema, 'const')) return scalars([schema.const as Json])
  if (Array.isArray(schema.enum)) return scalars(schema.enum)
  const named = schema.oneOf ?? schema.anyOf
  if (!Array.isArray(named) || named.length === 0) return undefined
  const parts = named.filter((one) => isPlainObject(one) && Object.hasOwn(one, 'const'))
  if (parts.length < named.length) return undefined
  const found = parts.map((one) => {
    const { const: value, title } = one as JsonObject
    return { value: value as Json, label: isText(title) ? title : labelOf(value as Json) }
  })
  return found.every(({ value }) => isScalar(value)) ? found : undefined
}

function scalars(values: readonly Json[]): FormChoice[] | undefined {
  if (values.length === 0 || !values.every(isScalar)) return undefined
  return values.map((value) => ({ value, label: labelOf(value) }))
}

function labelOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function itemsOf({ items }: JsonObject): JsonObject {
  return isPlainObject(items) && (items as JsonObject).type !== 'boolean'
    ? (items as JsonObject)
    : {}
}

/** More than fits into one line. */
const LONG = 200

function plainKind(schema: JsonObject): 'text' | 'lines' | 'secret' | 'number' | undefined {
  const { type, format, maxLength } = schema
  if (type === 'number' || type === 'integer') return 'number'
  if (type !== 'string') return undefined
  if (schema['x-secret'] === true || schema.writeOnly === true || format === 'password') {
    return 'secret'
  }
  const isLong = typeof maxLength === 'number' && maxLength > LONG
  return format === 'multiline' || isLong ? 'lines' : 'text'
}

function wordsOf({ title, description }: JsonObject, name: string) {
  return {
    label: isText(title) && title.trim() !== '' ? title : name,
    ...(isText(description) && description.trim() !== '' ? { help: description } : {}),
  }
}

function numberHint(schema: JsonObject, tell: Tell): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  return [
    schema.type === 'integer' ? tell.text('whole number') : tell.text('number'),
    ...(typeof minimum === 'number' ? [tell.text('from {least}', { least: minimum })] : []),
    ...(typeof exclusiveMinimum === 'number'
      ? [tell.text('above {bound}', { bound: exclusiveMinimum })]
      : []),
    ...(typeof maximum === 'number' ? [tell.text('up to {most}', { most: maximum })] : []),
    ...(typeof exclusiveMaximum === 'number'
      ? [tell.text('below {bound}', { bound: exclusiveMaximum })]
      : []),
  ].join(', ')
}

/** How a text of a known format is written. */
function formatHint(format: unknown, tell: Tell): string {
  switch (format) {
    case 'date':
      return tell.text('date, like 2026-03-14')
    case 'date-time':
      return tell.text('time, like 2026-03-14T12:40:00Z')
    case 'time':
      return tell.text('time of day, like 12:40:00Z')
    case 'email':
      return tell.text('e-mail address')
    case 'uri':
      return tell.text('address, like https://example.com')
    case 'uuid':
      return 'UUID'
    default:
      return tell.text('text')
  }
}

function textHint({ format, minLength, maxLength }: JsonObject, tell: Tell): string {
  return [
    formatHint(format, tell),
    ...(typeof minLength === 'number' && minLength > 1
      ? [tell.text('at least {least}', { least: minLength })]
      : []),
    ...(typeof maxLength === 'number' ? [tell.text('up to {most}', { most: maxLength })] : []),
  ].join(', ')
}

function countHint({ minItems, maxItems }: JsonObject, tell: Tell): string {
  return [
    tell.text('choose any'),
    ...(typeof minItems === 'number' && minItems > 0
      ? [tell.text('at least {least}', { least: minItems })]
      : []),
    ...(typeof maxItems === 'number' ? [tell.text('at most {most}', { most: maxItems })] : []),
  ].join(', ')
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null
}
