import { matcherAnswer } from './conditions.ts'
import type { Json, JsonObject, Matcher } from './documents.ts'
import { pathSegments } from './paths.ts'
import { DEAD_ENDS, NUMBERS, ODD_TEXTS, PATHS, PATTERNS, WORDS } from './pools.ts'
import type { Random } from './random.ts'

const AT_THE_LIMIT = `prod${'a'.repeat(8188)}`
const OVER_THE_LIMIT = `prod${'a'.repeat(8189)}`

export function randomScalar(random: Random): string | number | boolean {
  const dice = random.next()
  if (dice < 0.4) return random.pick(NUMBERS)
  if (dice < 0.85) return random.pick(WORDS)
  return random.chance(0.5)
}

/** Any JSON value an argument may have. */
export function randomValue(random: Random): Json {
  const dice = random.next()
  if (dice < 0.6) return randomScalar(random)
  if (dice < 0.75) return random.pick(ODD_TEXTS)
  if (dice < 0.8) return null
  if (dice < 0.82) return -0
  if (dice < 0.88) return [random.pick(NUMBERS), random.pick(WORDS), null, { b: 2, a: [] }]
  if (dice < 0.9) return []
  if (dice < 0.92) return {}
  // Keys out of order, and one that sorts differently by code unit than by code point.
  if (dice < 0.96) return { z: 1, '😀': 2, '\uff5a': 3, A: null, a: random.pick(WORDS) }
  if (dice < 0.97) return JSON.parse('{"__proto__":{"amount":1},"b":1e-7}')
  return { amount: random.pick(NUMBERS), item: { sku: random.pick(WORDS) }, b: false }
}

/** A value chosen with this matcher in mind: on it, beside it, or of another type. */
export function valueNear(random: Random, matcher: Matcher): Json {
  if (random.chance(0.12)) return randomValue(random)
  if (typeof matcher !== 'object') return nearScalar(random, matcher)

  const { pattern, ne } = matcher
  const members = [...(matcher.in ?? []), ...(matcher.not_in ?? [])]
  const limits = [matcher.gt, matcher.gte, matcher.lt, matcher.lte].filter((n) => n !== undefined)
  if (pattern !== undefined && random.chance(0.6)) return nearPattern(random, pattern)
  if (limits.length > 0 && random.chance(0.6)) return nearScalar(random, random.pick(limits))
  if (members.length > 0 && random.chance(0.6)) return nearScalar(random, random.pick(members))
  if (ne !== undefined) return nearScalar(random, ne)
  return randomScalar(random)
}

function nearScalar(random: Random, value: string | number | boolean): Json {
  const dice = random.next()
  if (dice < 0.45) return value
  if (dice < 0.55) return typeof value === 'string' ? value.toUpperCase() : String(value)
  if (typeof value === 'boolean') return dice < 0.9 ? !value : Number(value)
  if (typeof value === 'string') return dice < 0.9 ? random.pick(WORDS) : `${value}\n`
  // Beyond the safe integers a call is refused, so a step up from the last one is left out.
  const step = Number.isSafeInteger(value + 1) ? random.pick([-1, -0.01, 0.01, 1]) : -1
  return Math.abs(value) > 1e15 ? value + Math.trunc(step) : value + step
}

function nearPattern(random: Random, pattern: string): string {
  if (random.chance(0.08)) return random.pick([AT_THE_LIMIT, OVER_THE_LIMIT])
  const known = PATTERNS.find((entry) => entry.pattern === pattern)
  if (known === undefined) return random.pick(WORDS)
  return random.pick(random.chance(0.5) ? known.finds : known.misses)
}

/** A value this matcher says yes to, if a few tries find one. */
export function valueSatisfying(random: Random, matcher: Matcher): Json {
  let value = valueNear(random, matcher)
  for (let tries = 0; tries < 8 && matcherAnswer(matcher, value) !== 'yes'; tries++) {
    value = valueNear(random, matcher)
  }
  return value
}

/** Arguments under the names that policies speak of. */
export function randomArguments(random: Random): JsonObject {
  const args: JsonObject = {}
  for (let count = random.between(0, 5); count > 0; count--) {
    placeAt(args, random.pick(PATHS), randomValue(random))
  }
  if (random.chance(0.1)) args.tags = random.some(WORDS, 2)
  if (random.chance(0.03)) placeAt(args, random.pick(DEAD_ENDS), randomValue(random))
  return args
}

/** Write a value at a path, making room where something else is in the way. */
export function placeAt(target: JsonObject, path: string, value: Json): void {
  const segments = pathSegments(path)
  const last = segments.pop()
  let holder = target
  for (const segment of segments) {
    const found = Object.hasOwn(holder, segment) ? holder[segment] : undefined
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) {
      holder = found
    } else {
      const room: JsonObject = {}
      holder[segment] = room
      holder = room
    }
  }
  if (last !== undefined) holder[last] = value
}
