import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { inEnglish, type Tell } from '../../base/tell.ts'
import { type FormField, fieldName } from './form-fields.ts'

/* What was typed into the fields of a form, as the payload it is sent as. */

export interface FilledForm {
  readonly payload: Json
  /** What the fields themselves can tell; the server checks everything again. */
  readonly wrong: readonly { readonly keys: readonly string[]; readonly why: string }[]
}

/** The text of each field by its name; one that is missing stands as it started. */
export type Typed = Readonly<Record<string, string>>

export function fillForm(
  fields: readonly FormField[],
  typed: Typed,
  tell: Tell = inEnglish,
): FilledForm {
  const wrong: { keys: readonly string[]; why: string }[] = []
  let payload: Json = {}
  const groups = new Set(
    fields
      .filter((field) => field.group && (field.group.isRequired || !isEmpty(field, typed)))
      .map(({ group }) => JSON.stringify(group?.keys)),
  )
  for (const field of fields) {
    const { keys, group, isRequired, isNullable } = field
    const isAsked = isRequired && (!group || groups.has(JSON.stringify(group.keys)))
    if (isEmpty(field, typed)) {
      if (isAsked && isNullable) payload = withAt(payload, keys, null)
      else if (isAsked) wrong.push({ keys, why: needed(field, tell) })
      continue
    }
    const read = readAnswer(field, textOf(field, typed), tell)
    if (read.ok) payload = withAt(payload, keys, read.value)
    else wrong.push({ keys, why: read.why })
  }
  return { payload, wrong }
}

function needed({ kind }: FormField, tell: Tell): string {
  if (kind === 'choice') return tell.text('Choose one.')
  return kind === 'choices' ? tell.text('Choose at least one.') : tell.text('Fill this in.')
}

export function textOf(field: FormField, typed: Typed): string {
  const name = fieldName(field)
  return Object.hasOwn(typed, name) ? (typed[name] ?? '') : field.start
}

/** A list of choices without any is an answer where the form takes an empty list. */
function isEmpty(field: FormField, typed: Typed): boolean {
  const text = textOf(field, typed)
  if (field.kind !== 'choices') return text.trim() === ''
  return text === '[]' && (!field.isRequired || Number(field.schema.minItems ?? 0) > 0)
}

export type ReadAnswer =
  | { readonly ok: true; readonly value: Json }
  | { readonly ok: false; readonly why: string }

/** What was typed into one field, as a value, or what is wrong with it. */
export function readAnswer(field: FormField, text: string, tell: Tell = inEnglish): ReadAnswer {
  switch (field.kind) {
    case 'text':
    case 'lines':
    case 'secret':
      return readText(field.schema, text, tell)
    case 'number':
      return readNumber(field.schema, text.trim(), tell)
    case 'choice': {
      const chosen = field.choices.find(({ value }) => JSON.stringify(value) === text)
      return chosen
        ? { ok: true, value: chosen.value }
        : { ok: false, why: tell.text('Choose one.') }
    }
    case 'choices':
      return readChoices(field, text, tell)
    case 'json':
      try {
        return { ok: true, value: JSON.parse(text) as Json }
      } catch {
        return { ok: false, why: tell.text('This is not JSON.') }
      }
  }
}

function readText({ minLength, maxLength }: JsonObject, text: string, tell: Tell): ReadAnswer {
  const length = [...text].length
  if (typeof maxLength === 'number' && length > maxLength) {
    const why = tell.text('At most {most} characters; these are {length}.', {
      most: maxLength,
      length,
    })
    return { ok: false, why }
  }
  if (typeof minLength === 'number' && length < minLength) {
    return { ok: false, why: tell.text('At least {least} characters.', { least: minLength }) }
  }
  return { ok: true, value: text }
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function readNumber(schema: JsonObject, text: string, tell: Tell): ReadAnswer {
  const value = Number(text)
  if (!NUMBER.test(text)) {
    return { ok: false, why: tell.text('Write a number, like 1200 or 12.5.') }
  }
  const isSafe = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  if (!isSafe) return { ok: false, why: tell.text('This number is too large to be exact.') }
  if (schema.type === 'integer' && !Number.isInteger(value)) {
    return { ok: false, why: tell.text('Write a whole number.') }
  }
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  const bounds: readonly (readonly [
    Json | undefined,
    (bound: number) => string,
    (bound: number) => boolean,
  ])[] = [
    [minimum, (least) => tell.text('At least {least}.', { least }), (bound) => value >= bound],
    [maximum, (most) => tell.text('At most {most}.', { most }), (bound) => value <= bound],
    [
      exclusiveMinimum,
      (bound) => tell.text('More than {bound}.', { bound }),
      (bound) => value > bound,
    ],
    [
      exclusiveMaximum,
      (bound) => tell.text('Less than {bound}.', { bound }),
      (bound) => value < bound,
    ],
  ]
  const broken = bounds.find(([bound, , holds]) => typeof bound === 'number' && !holds(bound))
  return broken ? { ok: false, why: broken[1](Number(broken[0])) } : { ok: true, value }
}

function readChoices({ choices, schema }: FormField, text: string, tell: Tell): ReadAnswer {
  const chosen = chosenIn(text)
  const value = choices.filter((one) => chosen.includes(JSON.stringify(one.value)))
  const { minItems, maxItems } = schema
  if (typeof minItems === 'number' && value.length < minItems) {
    return { ok: false, why: tell.text('Choose at least {least}.', { least: minItems }) }
  }
  if (typeof maxItems === 'number' && value.length > maxItems) {
    return { ok: false, why: tell.text('Choose at most {most}.', { most: maxItems }) }
  }
  return { ok: true, value: value.map((one) => one.value) }
}

/** The chosen values of a list, each as JSON text. */
export function chosenIn(text: string): readonly string[] {
  try {
    const values: unknown = JSON.parse(text)
    return Array.isArray(values) ? values.map((one) => JSON.stringify(one)) : []
  } catch {
    return []
  }
}

/** What stands in the fields when another approver's answers are shown in them. */
export function typedFrom(fields: readonly FormField[], payload: unknown): Typed {
  const found = fields.flatMap((field): [string, string][] => {
    const value = valueAt(payload as Json, field.keys)
    if (value === undefined) return [[fieldName(field), field.kind === 'choices' ? '[]' : '']]
    return [[fieldName(field), textFor(field, value)]]
  })
  return Object.fromEntries(found)
}

function textFor({ kind }: FormField, value: Json): string {
  if (value === null) return ''
  if (kind === 'json') return JSON.stringify(value, null, 2)
  if (kind === 'text' || kind === 'lines') return typeof value === 'string' ? value : ''
  // What is masked is typed again by each person.
  return kind === 'secret' ? '' : JSON.stringify(value)
}

export function valueAt(value: Json | undefined, keys: readonly string[]): Json | undefined {
  return keys.reduce<Json | undefined>(
    (at, key) =>
      isPlainObject(at) && Object.hasOwn(at, key) ? (at as JsonObject)[key] : undefined,
    value,
  )
}

/** Entries, so that a key called __proto__ stays an ordinary one. */
export function withAt(value: Json, [key, ...rest]: readonly string[], next: Json): Json {
  if (key === undefined) return next
  const known = isPlainObject(value) ? Object.entries(value as JsonObject) : []
  const inner = valueAt(value, [key])
  const others = known.filter(([name]) => name !== key)
  return Object.fromEntries([...others, [key, withAt(inner ?? {}, rest, next)]])
}
