import * as v from 'valibot'
import type { Infer, Schema } from '../../api/schema.ts'
import { CountersignError } from '../../base/errors.ts'

// One problem is enough to refuse, and a hostile body could have a million.
const FIRST = { abortEarly: true }

/** Reads what was sent as its contract says. Throws `invalid_value` with the place of the problem. */
export function readInput<S extends Schema>(schema: S, value: unknown, whole: string): Infer<S> {
  const read = v.safeParse(schema, value, FIRST)
  if (read.success) return read.output as Infer<S>
  const [{ path, message }] = read.issues
  throw new CountersignError('invalid_value', `${placeOf(path) || whole} ${message}`)
}

function placeOf(path: readonly { readonly key?: unknown }[] = []): string {
  return path.reduce((place: string, { key }) => {
    if (typeof key === 'number') return `${place}[${key}]`
    return place === '' ? String(key) : `${place}.${String(key)}`
  }, '')
}

/** Reads one value of the query, which is text, as the type that its contract names. */
export function readQuery<S extends Schema>(schema: S, text: string, name: string): Infer<S> {
  const read = v.safeParse(schema, QUERY_VALUES[schema.type]?.(text) ?? text, FIRST)
  if (read.success) return read.output as Infer<S>
  throw new CountersignError('invalid_value', `${name} ${read.issues[0].message}`)
}

const QUERY_VALUES: Readonly<Record<string, (text: string) => unknown>> = {
  number: (text) => (/^\d{1,16}$/.test(text) ? Number(text) : undefined),
  boolean: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
  array: (text) => text.split(','),
}
