import { CountersignError } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'

/**
 * What one check may cost. A schema can ask for any amount of work: references that double, lists
 * that are compared pair by pair, patterns over long texts. All of it is paid for here, so the end
 * is certain, whatever the schema and the arguments are. A step takes about a hundred nanoseconds.
 */
export const STEPS = 1_000_000
/** Listing the names of an object takes far longer than looking at one of them. */
export const NAME_STEPS = 4

// Deeper than any arguments and any schema are; so only references that lead nowhere get here.
const DEEPEST = 1_000

export interface Problem {
  readonly at: readonly string[]
  readonly message: string
  /** The member that is missing or too many. */
  readonly member?: string | undefined
}

/** The members and items of one value that some part of the schema has spoken about. */
export class Seen {
  readonly members = new Set<string>()
  readonly items = new Set<number>()
  allMembers = false
  allItems = false

  add(other: Seen): void {
    for (const name of other.members) this.members.add(name)
    for (const index of other.items) this.items.add(index)
    this.allMembers ||= other.allMembers
    this.allItems ||= other.allItems
  }
}

/** One check of one value. */
export class Run {
  problem: Problem | undefined
  /** False inside of alternatives: what does not apply in the end must not leave its defaults. */
  fills: boolean
  /** Kept only for schemas that have words for what nothing else speaks about. */
  seen: Seen | undefined
  #left: number
  #depth = 0
  readonly #at: string[] = []

  constructor(options: {
    readonly fills: boolean
    readonly isSeen: boolean
    readonly steps?: number
  }) {
    this.fills = options.fills
    this.seen = options.isSeen ? new Seen() : undefined
    this.#left = options.steps ?? STEPS
  }

  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw unusable('checking these arguments takes too many steps')
  }

  /** Begins with a part that has so many things to say. */
  enter(tests: number): void {
    this.spend(1 + tests)
    if (++this.#depth > DEEPEST) throw unusable('its references lead too deep')
  }

  leave(): void {
    this.#depth -= 1
  }

  /** Begins a list of its own of what is spoken about. Making one takes longer than a step. */
  freshSeen(): Seen {
    this.spend(8)
    this.seen = new Seen()
    return this.seen
  }

  /** Adds what an inner part has spoken about. */
  merge(into: Seen, inner: Seen): void {
    this.spend(inner.members.size + inner.items.size)
    into.add(inner)
  }

  /** Checks a member or an item. */
  inside(key: string, check: () => boolean): boolean {
    const { seen } = this
    this.spend(1)
    if (seen) this.freshSeen()
    this.#at.push(key)
    try {
      return check()
    } finally {
      this.#at.pop()
      this.seen = seen
    }
  }

  /** The place and the rule, never the value: it may be a secret. The first problem is told. */
  fail(message: string, member?: string): false {
    this.problem ??= { at: [...this.#at], message, member }
    return false
  }
}

export function unusable(why: string, cause?: unknown): CountersignError {
  return new CountersignError('schema_unusable', `the tool’s schema cannot be used: ${why}`, {
    hint: 'Correct or simplify the JSON Schema of the tool; it must hold everything it refers to.',
    cause,
  })
}

/** Equal as JSON, whatever the order of keys. */
export function isEqual(one: Json, other: Json, run: Run): boolean {
  // Long texts are compared letter by letter.
  const isText = typeof one === 'string' && typeof other === 'string'
  run.spend(isText && one.length === other.length ? 1 + one.length / 128 : 1)
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
    return false
  }
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, index) => isEqual(item, other[index] as Json, run))
  }
  const [left, right] = [one as JsonObject, other as JsonObject]
  const keys = Object.keys(left)
  run.spend(2 * keys.length * NAME_STEPS)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every(
    (key) => Object.hasOwn(right, key) && isEqual(left[key] as Json, right[key] as Json, run),
  )
}

/** By their canonical text: comparing each with each would take the square of their number. */
export function areUnique(items: readonly Json[], run: Run): boolean {
  const texts = new Set<string>()
  for (const item of items) {
    const text = canonicalJson(item)
    run.spend(12 + text.length / 4)
    if (texts.has(text)) return false
    texts.add(text)
  }
  return true
}
