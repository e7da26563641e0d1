import type { View } from '../../approval/command.ts'
import type { Call } from '../../base/call.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { canonicalJson, freshParse } from '../../base/json/canonical.ts'
import { deepFreeze, isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import {
  type Keys,
  MASK,
  type Masked,
  type Secrecy,
  type SecretPath,
} from '../../base/secrets/mask.ts'
import { secretSpans } from '../../base/secrets/secret-text.ts'
import { shownArguments } from '../../policy/evaluate/declared.ts'
import type { Policy } from '../../policy/policy.ts'

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

export type { View }

/**
 * What is kept of a call for people to see; nothing when nothing in it is hidden. Made by the gate
 * that asks, because it knows the tool's schema and what its own code declares secret.
 */
export function keptView(policy: Policy, call: Call, secrecy: Secrecy): View | undefined {
  const { value, masked } = shownArguments(policy, call, secrecy)
  return masked.length === 0 ? undefined : { arguments: canonicalJson(value), masked }
}

export interface Looking {
  readonly policy: Policy
  /** With the arguments as bound. */
  readonly call: Call
  readonly schema: Json | undefined
  /** As it was kept when these arguments were asked about. */
  readonly view: View | undefined
}

/** What was hidden when it was asked stays hidden, and so is what would be hidden now. */
export function viewNow({ policy, call, schema, view }: Looking): Masked<JsonObject> {
  const before = view ? (freshParse(view.arguments) as JsonObject) : call.args
  const { value, masked } = shownArguments(policy, { ...call, args: before }, { schema })
  return { value, masked: outermost([...(view?.masked ?? []), ...masked]) }
}

/** What was hidden whole stays so, whatever is there now: the process that hid it may know more. */
export function hiddenWhole({ value, masked }: Masked<JsonObject>): readonly SecretPath[] {
  return masked
    .filter((keys) => keys.length > 0 && valueAt(value, keys) === MASK)
    .map((keys) => ({ keys, items: true }))
}

/** Without what lies inside of another one. */
function outermost(paths: readonly Keys[]): readonly Keys[] {
  const all = new Map(paths.map((keys) => [JSON.stringify(keys), keys]))
  return [...all.values()].filter(
    (keys) => !keys.some((_, depth) => all.has(JSON.stringify(keys.slice(0, depth)))),
  )
}

// Shorter ones occur in texts by chance, and replacing them there would make nonsense of it.
const SHORTEST = 6
const MOST = 100

/** The secrets of a call themselves, longest first: to be taken out of what others say. */
export function hiddenTexts(args: Json, masked: readonly Keys[]): readonly string[] {
  const texts = masked.flatMap((keys) => textsOf(valueAt(args, keys)))
  return longestFirst(texts.filter((secret) => secret.length >= SHORTEST)).slice(0, MOST)
}

/** A short one inside of a long one would leave the rest of it. */
export function longestFirst(texts: readonly string[]): readonly string[] {
  return texts.toSorted((a, b) => b.length - a.length)
}

function textsOf(value: Json | undefined): string[] {
  if (typeof value === 'string') {
    const inside = secretSpans(value).map(([from, to]) => value.slice(from, to))
    return [value, ...inside]
  }
  if (typeof value === 'number') return [String(value)]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsOf)
}

/** Items of lists too, unlike paths of policies: a mask may stand anywhere. */
export function valueAt(value: Json, keys: Keys): Json | undefined {
  let inner: Json | undefined = value
  for (const key of keys) {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, key)) return undefined
    inner = (inner as JsonObject)[key]
  }
  return inner
}
