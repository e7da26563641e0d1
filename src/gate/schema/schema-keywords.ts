import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import type { Test } from './schema-part.ts'
import { isEqual, NAME_STEPS, type Run, unusable } from './schema-run.ts'

/* Keywords that look at a value by themselves, without another part of the schema. */

const TYPES: { readonly [name: string]: (value: Json) => boolean } = {
  __proto__: null as never,
  array: (value) => Array.isArray(value),
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  null: (value) => value === null,
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  object: (value) => isMembers(value),
  string: (value) => typeof value === 'string',
}

export function types({ type, nullable }: JsonObject): Test[] {
  if (type === undefined) return []
  const names = Array.isArray(type) ? type : [type]
  if (!names.every((name): name is string => typeof name === 'string' && name in TYPES)) {
    throw unusable('type is no type')
  }
  const allowed = new Set([...names, ...(nullable === true ? ['null'] : [])])
  const tests = [...allowed].map((name) => TYPES[name])
  const message = `must be ${names.join(',')}`
  return [(value, run) => tests.some((test) => test?.(value)) || run.fail(message)]
}

const BOUNDS = [
  ['maximum', '<=', (value: number, bound: number) => value <= bound],
  ['minimum', '>=', (value: number, bound: number) => value >= bound],
  ['exclusiveMaximum', '<', (value: number, bound: number) => value < bound],
  ['exclusiveMinimum', '>', (value: number, bound: number) => value > bound],
] as const

export function numbers(schema: JsonObject): Test[] {
  const tests = BOUNDS.flatMap(([word, sign, test]): Test[] => {
    const bound = schema[word]
    if (bound === undefined) return []
    if (typeof bound !== 'number') throw unusable(`${word} is not a number`)
    const message = `must be ${sign} ${bound}`
    return [(value, run) => typeof value !== 'number' || test(value, bound) || run.fail(message)]
  })
  const { multipleOf } = schema
  if (multipleOf === undefined) return tests
  if (typeof multipleOf !== 'number' || multipleOf <= 0) {
    throw unusable('multipleOf is not a number above zero')
  }
  return [
    ...tests,
    (value, run) =>
      typeof value !== 'number' ||
      Number.isInteger(value / multipleOf) ||
      run.fail(`must be multiple of ${multipleOf}`),
  ]
}

/** Of a text, in characters as people count them. */
export function lengths(schema: JsonObject): Test[] {
  const longest = whole(schema, 'maxLength')
  const shortest = whole(schema, 'minLength')
  if (longest === undefined && shortest === undefined) return []
  return [
    (value, run) => {
      if (typeof value !== 'string') return true
      run.spend(1 + value.length / 8)
      const length = characters(value)
      if (longest !== undefined && length > longest) {
        return run.fail(`must NOT have more than ${longest} characters`)
      }
      return (
        shortest === undefined ||
        length >= shortest ||
        run.fail(`must NOT have fewer than ${shortest} characters`)
      )
    },
  ]
}

export function values(schema: JsonObject): Test[] {
  const tests: Test[] = []
  if (Object.hasOwn(schema, 'const')) {
    const only = schema.const as Json
    tests.push((value, run) => isEqual(value, only, run) || run.fail('must be equal to constant'))
  }
  const allowed = schema.enum
  if (allowed !== undefined) {
    if (!Array.isArray(allowed) || allowed.length === 0) throw unusable('enum is no list of values')
    tests.push(
      (value, run) =>
        allowed.some((one: Json) => isEqual(value, one, run)) ||
        run.fail('must be equal to one of the allowed values'),
    )
  }
  return tests
}

export function sizes(
  schema: JsonObject,
  word: 'Items' | 'Properties',
  what: string,
  sizeOf: (value: Json) => number | undefined,
): Test[] {
  const most = whole(schema, `max${word}`)
  const least = whole(schema, `min${word}`)
  if (most === undefined && least === undefined) return []
  return [
    (value, run) => {
      const size = sizeOf(value)
      if (size === undefined) return true
      run.spend(word === 'Properties' ? size * NAME_STEPS : 1)
      if (most !== undefined && size > most) {
        return run.fail(`must NOT have more than ${most} ${what}`)
      }
      return (
        least === undefined ||
        size >= least ||
        run.fail(`must NOT have fewer than ${least} ${what}`)
      )
    },
  ]
}

export function required(schema: JsonObject): Test[] {
  const names = schema.required
  if (names === undefined) return []
  assertNames('required', names)
  return [
    (value, run) => {
      if (!isMembers(value)) return true
      run.spend(names.length)
      const missing = names.find((name) => !Object.hasOwn(value, name))
      return missing === undefined || run.fail(`must have required property '${missing}'`, missing)
    },
  ]
}

export function requiredWith(schema: JsonObject, word: string): Test[] {
  const rules = schema[word]
  if (rules === undefined) return []
  if (!isPlainObject(rules)) throw unusable(`${word} is no object`)
  return Object.entries(rules as JsonObject).map(([key, names]): Test => {
    assertNames(word, names)
    return (value, run) => {
      if (!isMembers(value) || !Object.hasOwn(value, key)) return true
      run.spend(names.length)
      const missing = names.find((name) => !Object.hasOwn(value, name))
      const message = `must have property ${missing} when property ${key} is present`
      return missing === undefined || run.fail(message, missing)
    }
  })
}

function assertNames(word: string, names: Json | undefined): asserts names is readonly string[] {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return
  throw unusable(`${word} is no list of names`)
}

export function whole(schema: JsonObject, word: string): number | undefined {
  const value = schema[word]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  throw unusable(`${word} is not a whole number`)
}

export function lengthOf(value: Json): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

export function isMembers(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** As people count them: a pair of surrogates is one. */
function characters(text: string): number {
  let count = text.length
  for (let index = 0; index + 1 < text.length; index++) {
    const unit = text.charCodeAt(index)
    if (unit < 0xd800 || unit > 0xdbff) continue
    const next = text.charCodeAt(index + 1)
    if (next < 0xdc00 || next > 0xdfff) continue
    count -= 1
    index += 1
  }
  return count
}

/** Text, because each place gets a value of its own. */
export function defaultOf(schema: Json | undefined): string | undefined {
  if (!isPlainObject(schema) || schema.default === undefined) return undefined
  return JSON.stringify(schema.default)
}

/** Before anything is asked of the members: one that has a default is not missing. */
export function defaults({ properties }: JsonObject): Test[] {
  if (!isPlainObject(properties)) return []
  const known = Object.entries(properties as JsonObject).flatMap(([key, schema]) => {
    const text = defaultOf(schema)
    return text === undefined ? [] : [[key, text] as const]
  })
  if (known.length === 0) return []
  return [
    (value, run) => {
      if (!run.fills || !isMembers(value)) return true
      run.spend(known.length)
      for (const [key, text] of known) {
        if (Object.hasOwn(value, key)) continue
        run.spend(text.length)
        // Not by assignment: a member called __proto__ is one like any other.
        const filled = { value: JSON.parse(text), writable: true, enumerable: true }
        Object.defineProperty(value, key, { ...filled, configurable: true })
      }
      return true
    },
  ]
}

export function fillItems(
  list: readonly Json[],
  defaults: readonly (string | undefined)[],
  run: Run,
): void {
  for (let index = list.length; index < defaults.length; index++) {
    const text = defaults[index]
    if (text === undefined) return
    run.spend(1 + text.length)
    ;(list as Json[]).push(JSON.parse(text))
  }
}
