import type { Level } from '../evaluate/verdict.ts'
import { MAX_PATTERN_INPUT, type Pattern } from '../pattern/pattern.ts'
import { isSafe, OPS, type Probe, saysNo } from './probe.ts'
import { type Entry, levelOf, ownValue, type Readable, type Sheet, type Step } from './strictest.ts'

// As in `strictest`, and not imported: the engine takes only what is a module's own for constants.
const PLAIN: object = Object.prototype
const FRESH: object = {}
const NONE = '\0'
const protoOf: (value: object) => unknown = Object.getPrototypeOf

/**
 * A sheet as a chain of functions: each reads one value, tests it and goes on to the next. It answers
 * what `strictest` answers. `from`: what is read next; `args`: those of the call, where each path
 * begins; `left`: the groups that are not refuted.
 */
export type Chain = (from: Readable, args: Readable, left: number) => Level

/** What follows when a value is read. */
type Then = (value: unknown, args: Readable, left: number) => Level

/** Readers of one chain: about as many functions as the engine puts into one. */
const MOST_READERS = 8

/**
 * Makes chains as long as there are readers that no chain has yet. Of a function that was made once,
 * the JavaScript engine takes what it captured (keys, limits, the next function) for constants, and
 * compiles the chain into what a developer would write for this very rule. With readers in common
 * they would be slower than `strictest`, which serves all that get none.
 */
export function createChains(): (sheet: Sheet) => Chain | undefined {
  const made = new Map<string, Chain>()
  let used = 0

  function readerOf({ key, deeper }: Step, then: Then): Chain {
    const next = deeper && readerOf(deeper, then)
    const reader = READERS[used++] as Reader
    if (!next) return reader(key, then)
    return reader(key, (value, args, left) =>
      typeof value === 'object' && value !== null
        ? next(value as Readable, args, left)
        : then(undefined, args, left),
    )
  }

  let isFull = false

  return (sheet) => {
    // With thousands of tools, what is made on the way would lie between their rules in memory.
    if (isFull) return undefined
    const values = valuesOf(sheet)
    const readers = values?.reduce((sum, { path }) => sum + path.length, 0) ?? 0
    if (values === undefined || readers === 0 || readers > MOST_READERS) return undefined
    // Tools with the same rules share their chain, also after the policy was loaded again.
    const name = nameOf(sheet, values)
    const known = made.get(name)
    isFull = !known && used + readers > READERS.length
    if (known || isFull) return known
    const chain = values.reduceRight<Chain>(
      (next, { step, tests }) => readerOf(step, thenOf(tests, sheet, next)),
      endOf(sheet),
    )
    made.set(name, chain)
    return chain
  }
}

/** One argument, and what it is asked. */
interface Value {
  readonly step: Step
  /** The keys that lead to it. */
  readonly path: readonly string[]
  readonly tests: readonly Entry[]
}

/** Undefined where not all of them are arguments, or where the sheet has another after it. */
function valuesOf(sheet: Sheet): Value[] | undefined {
  const entries: Entry[] = []
  for (let entry = sheet.first; entry; entry = entry.next) entries.push(entry)
  const values = [...Map.groupBy(entries, ({ nth }) => nth).values()].flatMap((tests) => {
    const step = tests[0]?.step
    return step ? [{ step, path: pathOf(step), tests }] : []
  })
  const isWhole = entries.every(({ step }) => step) && sheet.next === undefined
  return isWhole ? values : undefined
}

function pathOf({ key, deeper }: Step): string[] {
  return [key, ...(deeper ? pathOf(deeper) : [])]
}

/** All that a chain depends on. */
function nameOf({ least, groups, reviews, denies }: Sheet, values: readonly Value[]): string {
  const asked = values.map(({ path, tests }) => [
    path,
    tests.map(({ op, operand, refutes }) => [op, refutes, written(operand)]),
  ])
  return JSON.stringify([least, groups, reviews, denies, asked])
}

function written(operand: Probe['operand']): unknown {
  if (typeof operand !== 'object') return operand
  if ('types' in operand) return [operand.types, ...operand.values]
  return 'text' in operand ? operand.text : operand
}

function endOf(sheet: Sheet): Chain {
  return (_from, _args, left) => levelOf(left, sheet)
}

/** The tests of one value, and then the next value. */
function thenOf(tests: readonly Entry[], { groups, least }: Sheet, next: Chain): Then {
  const [only, ...more] = tests
  if (only && more.length === 0 && only.refutes === groups) {
    const isNo = isNoOf(only)
    return (value, args, left) => (isNo(value) ? least : next(args, args, left))
  }
  return tests.reduceRight<Then>(
    (then, test) => {
      const { refutes } = test
      const isNo = isNoOf(test)
      // Where its groups are refuted already, a long text need not be searched.
      return (value, args, left) =>
        then(value, args, (left & refutes) !== 0 && isNo(value) ? left & ~refutes : left)
    },
    (_, args, left) => (left === 0 ? least : next(args, args, left)),
  )
}

/** `saysNo` for one probe. The common tests are small functions, so that a chain has room for them. */
function isNoOf({ op, operand }: Probe): (value: unknown) => boolean {
  const limit = operand as number
  const text = operand as string
  switch (op) {
    case OPS.AT_MOST:
      return (value) => typeof value === 'number' && value <= limit && isSafe(value)
    case OPS.LESS:
      return (value) => typeof value === 'number' && value < limit && isSafe(value)
    case OPS.OTHER_TEXT:
      return (value) => typeof value === 'string' && value !== text
    case OPS.SAME_TEXT:
      return (value) => typeof value === 'string' && value === text
    case OPS.IS_TRUE:
      return (value) => value === true
    case OPS.IS_FALSE:
      return (value) => value === false
    case OPS.TEXT_NOT_LISTED: {
      const isListed = isListedOf(operand as readonly string[])
      return (value) => typeof value === 'string' && !isListed(value)
    }
    case OPS.TEXT_LISTED: {
      const isListed = isListedOf(operand as readonly string[])
      return (value) => typeof value === 'string' && isListed(value)
    }
    case OPS.NOT_MATCHING: {
      const { test } = operand as Pattern
      return (value) =>
        typeof value === 'string' && value.length <= MAX_PATTERN_INPUT && !test(value)
    }
    default: {
      const probe: Probe = { op, operand }
      return (value) => saysNo(probe, value)
    }
  }
}

function isListedOf([one, two, three, ...more]: readonly string[]): (text: string) => boolean {
  if (more.length === 0) return (text) => text === one || text === two || text === three
  const isOther = isListedOf(more)
  return (text) => text === one || text === two || text === three || isOther(text)
}

type Reader = (key: string, then: Then) => Chain

/**
 * The same function as often as there can be readers: what the engine learns of a function, such as
 * the kinds of objects that it meets, it keeps by the place in the source. See `strictest`.
 */
// biome-ignore format: one line for each reader
export const READERS: readonly Reader[] = [
  // Readers written by scripts/sites.ts.
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
  (key, then) => (from, args, left) => then(from[NONE] === undefined && protoOf(from) === PLAIN && !(key in FRESH) ? from[key] : ownValue(from, key), args, left),
]
