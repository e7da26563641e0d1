import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { canonicalJson, freshParse } from '../../base/json/canonical.ts'
import { deepFreeze, isPlainObject, type JsonObject } from '../../base/json/json.ts'

/** Arguments as they were at one moment: the bytes, and a value read from exactly those bytes. */
export interface Snapshot {
  readonly text: string
  readonly args: JsonObject
}

export interface ArgumentLimits {
  readonly argsBytes?: number
  readonly argsDepth?: number
}

const BYTES = 1_048_576
const DEPTH = 64
// Objects and lists of one call. More than a megabyte of JSON could hold anyway.
const MEMBERS = 400_000

/**
 * Reads arguments once. From here on nothing the caller does to its object, and no getter or proxy
 * that answers differently the second time, can change what is judged, shown and run.
 */
export function snapshot(args: unknown, limits: ArgumentLimits = {}): Snapshot {
  const { argsBytes = BYTES, argsDepth = DEPTH } = limits
  const text = canonicalText(args, { bytes: argsBytes, depth: argsDepth })
  const copy = freshParse(text)
  if (!isPlainObject(copy)) throw new CountersignError('invalid_call', 'args is not an object')
  return { text, args: deepFreeze(copy as JsonObject) }
}

/** A fresh value for the next reader: a shared one could be changed for others. */
export function freshArgs({ text }: Pick<Snapshot, 'text'>): JsonObject {
  return freshParse(text) as JsonObject
}

function canonicalText(value: unknown, limits: { bytes: number; depth: number }): string {
  try {
    return canonicalJson(withoutUndefined(value, limits.depth, { left: MEMBERS }), limits)
  } catch (error) {
    if (isCountersignError(error)) throw error
    // Reading hostile objects (a getter that throws, a revoked proxy) fails in ways of their own.
    throw new CountersignError('invalid_call', 'the arguments cannot be read', { cause: error })
  }
}

/**
 * Programs leave optional arguments out by setting them to undefined, and JSON has no word for it.
 * Only members of plain objects: an undefined in a list would move the others. The budget stops
 * an object that refers to itself many times over before it is copied out.
 */
function withoutUndefined(value: unknown, depth: number, budget: { left: number }): unknown {
  if (depth < 0 || typeof value !== 'object' || value === null) return value
  if (--budget.left < 0)
    throw new CountersignError('too_large', 'the arguments hold too many values')
  if (Array.isArray(value)) return value.map((item) => withoutUndefined(item, depth - 1, budget))
  if (!isPlainObject(value)) return value
  const copy: Record<string, unknown> = Object.create(null)
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member !== undefined) copy[key] = withoutUndefined(member, depth - 1, budget)
  }
  return copy
}
