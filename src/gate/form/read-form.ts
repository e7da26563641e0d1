import { isCountersignError } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { type ReadSchema, readSchema } from '../schema/schema-read.ts'
import type { Problem } from '../schema/schema-run.ts'
import { unusableForm } from './form.ts'

/* Loaded only where a form is asked: reading JSON Schema needs packages that a gate alone does not. */

/** Small enough to be read on a card; far more than a person fills in. */
const LIMITS = { depth: 16, bytes: 16_384, keys: 500 }
/** A hundred thousand: about ten milliseconds. What people fill in takes a few hundred. */
const STEPS = 100_000
const MOST_KNOWN = 100

const known = new Map<string, ReadSchema>()

/** One mistake in the answers: its place, key by key, and the rule. Never the value. */
export interface FormMistake {
  readonly at: readonly string[]
  readonly problem: string
}

/** Reads the schema with the interpreter that tools' schemas are read with: bounded, without code. */
export function readForm(form: JsonObject): ReadSchema {
  const text = boundedText(form)
  const before = known.get(text)
  if (before) return before
  if (form.type !== 'object') throw unusableForm('its type is not "object"')
  try {
    const read = readSchema(form)
    // References that lead nowhere show when the schema runs, and must not show to the approver.
    read.check({}, STEPS)
    if (known.size >= MOST_KNOWN) known.clear()
    known.set(text, read)
    return read
  } catch (error) {
    throw unusableForm(whyOf(error), error)
  }
}

function boundedText(form: JsonObject): string {
  try {
    return canonicalJson(form, LIMITS)
  } catch (error) {
    throw unusableForm(error instanceof Error ? error.message : 'it is not JSON', error)
  }
}

function whyOf(error: unknown): string {
  if (!isCountersignError(error)) return 'it is nested too deeply'
  return error.message.replace(/^.*cannot be used: /, '').replace('these arguments', 'answers')
}

/** Every mistake in the answers; none where the form accepts them. Nothing is filled in. */
export function formMistakes(form: JsonObject, answers: Json): readonly FormMistake[] {
  const read = readForm(form)
  const { ok, problem } = checked(read, answers)
  if (ok) return []
  const found = mistakesIn(form, read, answers, [])
  const first = problem && mistakeOf(problem, [])
  const isListed = first === undefined || found.some(({ at }) => isSame(at, first.at))
  return isListed && found.length > 0 ? found : [...found, first ?? { at: [], problem: UNFIT }]
}

const UNFIT = 'does not fit the form'

function checked(read: ReadSchema, value: Json) {
  try {
    return read.check(value, STEPS)
  } catch (error) {
    throw unusableForm(whyOf(error), error)
  }
}

/** Field by field, because a check stops at its first problem and people correct all at once. */
function mistakesIn(
  schema: JsonObject,
  read: ReadSchema,
  value: Json,
  at: readonly string[],
): FormMistake[] {
  if (!isPlainObject(value)) return [{ at, problem: 'must be object' }]
  const answers = value as JsonObject
  const required = Array.isArray(schema.required) ? schema.required : []
  const missing = required
    .filter((name): name is string => typeof name === 'string' && !Object.hasOwn(answers, name))
    .map((name) => ({ at: [...at, name], problem: 'is required' }))
  const wrong = Object.entries(answers).flatMap(([name, inner]): FormMistake[] => {
    const field = read.member(name)
    if (field === undefined) return []
    const { ok, problem } = checked(field, inner as Json)
    if (ok) return []
    const part = memberOf(schema, name)
    const place = [...at, name]
    const inside =
      part && isPlainObject(inner) && isPlainObject(part.properties)
        ? mistakesIn(part, field, inner as Json, place)
        : []
    return inside.length > 0 ? inside : [mistakeOf(problem, place)]
  })
  return [...missing, ...wrong]
}

function memberOf({ properties }: JsonObject, name: string): JsonObject | undefined {
  if (!isPlainObject(properties) || !Object.hasOwn(properties, name)) return undefined
  const member = (properties as JsonObject)[name]
  return isPlainObject(member) ? (member as JsonObject) : undefined
}

function mistakeOf(problem: Problem | undefined, place: readonly string[]): FormMistake {
  const { at = [], message = UNFIT, member } = problem ?? {}
  const isMissing = member !== undefined && message.startsWith('must have required')
  return {
    at: [...place, ...at, ...(member === undefined ? [] : [member])],
    problem: isMissing ? 'is required' : message,
  }
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index])
}
