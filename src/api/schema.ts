import * as v from 'valibot'
import { isPlainObject, type Json } from '../base/json/json.ts'

/*
 * The words that contracts are written in: valibot's, and these few. Messages say what is wrong
 * with a value, without its place: `readInput` puts that in front.
 */

export type Schema = v.GenericSchema

/** The type of what a schema describes. Nothing that crosses HTTP is changed in place. */
export type Infer<S extends Schema> = DeepReadonly<v.InferOutput<S>>

/** The type of what a caller sends. */
export type Given<S extends Schema> = DeepReadonly<v.InferInput<S>>

type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T

/** A member that may be absent. `undefined` is not JSON, so it is never present with that. */
export const optional = v.exactOptional

/** Says what a value means: it stands in the OpenAPI document. */
export function about<const S extends Schema>(schema: S, text: string) {
  return v.pipe(schema, v.description(text))
}

/**
 * An object with these members. Unknown members are refused, and reported before missing ones: a
 * misspelt name is both.
 */
export function object<const E extends v.ObjectEntries>(entries: E) {
  const known = Object.keys(entries)
  const use = `is unknown; use ${known.join(', ')}`
  const base = v.strictObject(entries, ({ path, expected }) => {
    if (path === undefined) return 'is not an object'
    return expected === 'never' ? use : 'is missing'
  })
  type Run = (typeof base)['~run']
  const run: Run = (dataset, config) => {
    const { value: input } = dataset
    // Valibot takes a list for an object.
    const stray = isPlainObject(input)
      ? Object.keys(input).find((key) => !Object.hasOwn(entries, key))
      : undefined
    if (isPlainObject(input) && stray === undefined) return base['~run'](dataset, config)
    const refused = { typed: false, value: input } as unknown as ReturnType<Run>
    // Its type knows no schema whose message is a function of a subtype of issues.
    const context = base as unknown as Parameters<typeof v._addIssue>[0]
    if (stray === undefined || !isPlainObject(input)) {
      v._addIssue(context, 'type', refused as never, config as never)
    } else {
      const at = { type: 'object', origin: 'key', input, key: stray, value: input[stray] } as const
      const issue = { input: stray, expected: 'never', path: [at] as const }
      v._addIssue(context, 'key', refused as never, config as never, issue as never)
    }
    return refused
  }
  return { ...base, '~run': run } as typeof base
}

export function text({ min = 0, max }: { readonly min?: number; readonly max: number }) {
  return v.pipe(
    v.string('is not a text'),
    v.minLength(min, 'is empty'),
    v.maxLength(max, `is longer than ${max} characters`),
  )
}

/** SHA-256 in hexadecimal. */
export const digest = v.pipe(
  v.string('is not a digest'),
  v.regex(/^[0-9a-f]{64}$/, 'is not a digest'),
)

export function oneOf<const W extends readonly string[]>(...words: W) {
  return v.picklist(words, `must be one of ${words.join(', ')}`)
}

/** A whole number. Times and durations are milliseconds. */
export function whole({ min = 0, max = Number.MAX_SAFE_INTEGER } = {}) {
  const says = `is no whole number from ${min} to ${max}`
  return v.pipe(v.number(says), v.integer(says), v.minValue(min, says), v.maxValue(max, says))
}

export function amount({ min }: { readonly min: number }) {
  const says = `is no number from ${min}`
  return v.pipe(v.number(says), v.finite(says), v.minValue(min, says))
}

export const flag = v.boolean('is neither true nor false')

export function list<const S extends Schema>(item: S, { max }: { readonly max: number }) {
  return v.pipe(v.array(item, 'is not a list'), v.maxLength(max, `has more than ${max} items`))
}

/** Any JSON. What a body holds was read strictly already. */
export const json = v.unknown() as unknown as v.GenericSchema<unknown, Json>

/** A name or an id that people or agents chose. */
export const name = text({ min: 1, max: 1_024 })

/** The last instant that a Date can hold. */
export const time = whole({ max: 8.64e15 })
