import { isPlainObject, type Json, type Scalar } from './json.ts'

/** A value that a condition can test, and where it stands. */
export interface Leaf {
  readonly keys: readonly string[]
  readonly value: Scalar
}

/** Longer texts are no values that people choose rules by. */
const LONGEST = 1_000

/** Texts, numbers and truth values; paths of policies do not go into lists. */
export function leavesOf(value: Json, keys: readonly string[] = []): Leaf[] {
  if (isPlainObject(value)) {
    return Object.entries(value as Record<string, Json>).flatMap(([key, inner]) =>
      leavesOf(inner, [...keys, key]),
    )
  }
  if (typeof value === 'string') return value.length <= LONGEST ? [{ keys, value }] : []
  return typeof value === 'number' || typeof value === 'boolean' ? [{ keys, value }] : []
}

/** As policies write paths: a dot inside a name is escaped. */
export function pathText(keys: readonly string[]): string {
  return keys.map((key) => key.replace(/[\\.]/g, '\\$&')).join('.')
}
