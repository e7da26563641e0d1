import { RE2JS } from 're2js'
import { isPlainObject, type Json, type JsonObject } from '../base/json.ts'
import { compilePattern } from '../policy/pattern.ts'
import { formatTest } from './schema-formats.ts'
import { schemaParts } from './schema-parts.ts'
import { areUnique, isEqual, Run, unusable } from './schema-run.ts'

/*
 * JSON Schema (drafts 4 to 7, 2019-09, 2020-12), read once into functions and run with a budget.
 * Nothing is generated and nothing compiled that would take longer than reading the schema does.
 * Why not a library: docs/decisions/json-schema.md.
 */

/** One part of a schema: everything it says about a value, in the order it is looked at. */
interface Part {
  tests: Test[]
  /** It asks what the rest of this very part has not spoken about. */
  asksUnseen: boolean
}

type Test = (value: Json, run: Run) => boolean

export interface ReadSchema {
  readonly fills: boolean
  run(value: Json, steps?: number): Run & { readonly ok: boolean }
}

/** Reading a pattern takes about a millisecond. */
const MAX_PATTERNS = 100

export function readSchema(schema: Json): ReadSchema {
  if (typeof schema === 'boolean') return runner(partOf(schema), { fills: false, isSeen: false })
  if (!isPlainObject(schema)) throw unusable('it is neither an object nor true or false')
  const root = schema as JsonObject
  const parts = schemaParts(root)
  const draft = typeof root.$schema === 'string' ? root.$schema : ''
  const reader = new Reader(parts.target, {
    isOld: /draft-0[4-7]/.test(draft),
    hasTuples: /draft-0[4-7]|2019-09/.test(draft),
  })
  return runner(reader.part(root), parts)
}

function runner(
  part: Part,
  { fills, isSeen }: { readonly fills: boolean; readonly isSeen: boolean },
): ReadSchema {
  return {
    fills,
    run(value, steps) {
      const run = new Run({ fills, isSeen, ...(steps === undefined ? {} : { steps }) })
      return Object.assign(run, { ok: holds(part, value, run) })
    },
  }
}

function holds(part: Part, value: Json, run: Run): boolean {
  run.enter(part.tests.length)
  const outer = run.seen
  if (outer && part.asksUnseen) run.freshSeen()
  const { tests } = part
  let ok = true
  // A loop and not every(): this is what all the time is spent in.
  for (let index = 0; ok && index < tests.length; index++) {
    ok = (tests[index] as Test)(value, run)
  }
  if (outer && part.asksUnseen) {
    if (ok && run.seen) run.merge(outer, run.seen)
    run.seen = outer
  }
  run.leave()
  return ok
}

/** Whether it holds, without leaving anything behind if it does not. */
function applies(part: Part, value: Json, run: Run): boolean {
  const { fills, problem, seen } = run
  run.fills = false
  const inner = seen && run.freshSeen()
  const ok = holds(part, value, run)
  run.fills = fills
  run.seen = seen
  if (ok) run.problem = problem
  if (ok && seen && inner) run.merge(seen, inner)
  return ok
}

function partOf(allowed: boolean): Part {
  const never: Test = (_, run) => run.fail('are not allowed here')
  return { tests: allowed ? [] : [never], asksUnseen: false }
}

interface Draft {
  /** Before 2019-09. */
  readonly isOld: boolean
  /** Whether `items` may be a list. */
  readonly hasTuples: boolean
}

class Reader {
  readonly #target: (reference: string) => Json
  readonly #draft: Draft
  readonly #known = new Map<JsonObject, Part>()
  #patterns = 0

  constructor(target: (reference: string) => Json, draft: Draft) {
    this.#target = target
    this.#draft = draft
  }

  part(schema: Json | undefined): Part {
    if (typeof schema === 'boolean') return partOf(schema)
    if (!isPlainObject(schema)) throw unusable('a part of it is no schema')
    const one = schema as JsonObject
    const known = this.#known.get(one)
    if (known) return known
    const part: Part = { tests: [], asksUnseen: false }
    // Before it is read: it may refer to itself.
    this.#known.set(one, part)
    const { isOld } = this.#draft
    part.asksUnseen = !isOld && ('unevaluatedProperties' in one || 'unevaluatedItems' in one)
    part.tests = [
      ...this.#type(one),
      ...numbers(one),
      ...this.#texts(one),
      ...values(one),
      ...this.#references(one),
      ...this.#combined(one),
      ...this.#lists(one),
      ...this.#objects(one),
    ]
    // Nobody may refer to them, and a mistake in them is one all the same.
    for (const word of ['$defs', 'definitions'] as const) this.#named(one, word)
    return part
  }

  #type({ type, nullable }: JsonObject): Test[] {
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

  #texts(schema: JsonObject): Test[] {
    const { pattern, format } = schema
    const tests: Test[] = []
    const longest = whole(schema, 'maxLength')
    const shortest = whole(schema, 'minLength')
    if (longest !== undefined || shortest !== undefined) {
      tests.push((value, run) => {
        if (typeof value !== 'string') return true
        run.spend(1 + value.length / 64)
        const length = characters(value)
        if (longest !== undefined && length > longest) {
          return run.fail(`must NOT have more than ${longest} characters`)
        }
        return (
          shortest === undefined ||
          length >= shortest ||
          run.fail(`must NOT have fewer than ${shortest} characters`)
        )
      })
    }
    if (pattern !== undefined) {
      if (typeof pattern !== 'string') throw unusable('pattern is not a text')
      const test = this.#pattern(pattern)
      const message = `must match pattern ${JSON.stringify(pattern)}`
      tests.push((value, run) => typeof value !== 'string' || test(value, run) || run.fail(message))
    }
    if (format !== undefined) {
      if (typeof format !== 'string') throw unusable('format is not a text')
      const test = formatTest(format)
      const message = `must match format ${JSON.stringify(format)}`
      if (test) {
        tests.push(
          (value, run) =>
            (typeof value !== 'string' && typeof value !== 'number') ||
            test(value, run) ||
            run.fail(message),
        )
      }
    }
    return tests
  }

  /** Linear in the text, but the size of the pattern is a factor. */
  #pattern(source: string): (text: string, run: Run) => boolean {
    this.#patterns += 1
    if (this.#patterns > MAX_PATTERNS) throw unusable(`it has more than ${MAX_PATTERNS} patterns`)
    const pattern = compilePattern(RE2JS.translateRegExp(source))
    if (!pattern.ok)
      throw unusable(`pattern ${JSON.stringify(source.slice(0, 100))}: ${pattern.problem}`)
    const { test } = pattern.value
    const factor = (1 + source.length / 8) / 8
    return (text, run) => {
      run.spend(1 + text.length * factor)
      return test(text)
    }
  }

  #references(schema: JsonObject): Test[] {
    return ['$ref', '$dynamicRef', '$recursiveRef'].flatMap((word) => {
      const reference = schema[word]
      if (typeof reference !== 'string') return []
      // There is one document and one place for each name: a dynamic reference is a plain one.
      const part = this.part(this.#target(reference))
      return [(value: Json, run: Run) => holds(part, value, run)]
    })
  }

  #combined(schema: JsonObject): Test[] {
    const tests: Test[] = []
    const { not } = schema
    if (not !== undefined) {
      const part = this.part(not)
      tests.push((value, run) => {
        const { problem, seen } = run
        if (seen) run.freshSeen()
        const ok = applies(part, value, run)
        run.problem = problem
        run.seen = seen
        return !ok || run.fail('must NOT be valid')
      })
    }
    const any = this.#several(schema, 'anyOf')
    if (any) {
      tests.push((value, run) => {
        const { problem, seen } = run
        let ok = false
        for (const part of any) {
          ok = applies(part, value, run) || ok
          // What the others speak about counts as well, where somebody asks.
          if (ok && !seen) break
        }
        if (ok) run.problem = problem
        return ok || run.fail('must match a schema in anyOf')
      })
    }
    const one = this.#several(schema, 'oneOf')
    if (one) {
      tests.push((value, run) => {
        const { problem } = run
        const fit = one.filter((part) => applies(part, value, run)).length
        if (fit > 0) run.problem = problem
        return fit === 1 || run.fail('must match exactly one schema in oneOf')
      })
    }
    const all = this.#several(schema, 'allOf')
    if (all) tests.push((value, run) => all.every((part) => holds(part, value, run)))
    return [...tests, ...this.#conditional(schema)]
  }

  #conditional(schema: JsonObject): Test[] {
    const [when, then, otherwise] = ['if', 'then', 'else'].map((word) =>
      schema[word] === undefined ? undefined : this.part(schema[word]),
    )
    if (!when || !(then || otherwise)) return []
    return [
      (value, run) => {
        const { problem } = run
        const branch = applies(when, value, run) ? then : otherwise
        run.problem = problem
        return branch === undefined || holds(branch, value, run)
      },
    ]
  }

  #lists(schema: JsonObject): Test[] {
    const tests: Test[] = [...sizes(schema, 'Items', 'items', lengthOf)]
    const { uniqueItems } = schema
    if (uniqueItems !== undefined && typeof uniqueItems !== 'boolean') {
      throw unusable('uniqueItems is neither true nor false')
    }
    if (uniqueItems) {
      tests.push(
        (value, run) =>
          !Array.isArray(value) ||
          areUnique(value, run) ||
          run.fail('must NOT have duplicate items'),
      )
    }
    const contains = this.#contains(schema)
    return [
      ...this.#items(schema),
      ...(contains ? [contains] : []),
      ...tests,
      ...this.#unseenItems(schema),
    ]
  }

  #items(schema: JsonObject): Test[] {
    const { items, additionalItems } = schema
    const { isOld, hasTuples } = this.#draft
    const isTuple = Array.isArray(items)
    if (isTuple && !hasTuples) throw unusable('items is a list; since 2020-12 that is prefixItems')
    const first = isTuple
      ? (items as readonly Json[]).map((item) => this.part(item))
      : ((isOld ? undefined : this.#several(schema, 'prefixItems')) ?? [])
    const others = isTuple ? additionalItems : items
    const rest = others === undefined ? undefined : this.part(others)
    const defaults = isTuple ? (items as readonly Json[]).map(defaultOf) : []
    if (first.length === 0 && !rest) return []
    return [
      (value, run) => {
        if (!Array.isArray(value)) return true
        if (run.fills) fillItems(value, defaults, run)
        for (let index = 0; index < value.length; index++) {
          const part = first[index] ?? rest
          if (!part) break
          if (!run.inside(String(index), () => holds(part, value[index] as Json, run))) return false
          run.seen?.items.add(index)
        }
        if (run.seen && rest) run.seen.allItems = true
        return true
      },
    ]
  }

  #contains(schema: JsonObject): Test | undefined {
    const { contains } = schema
    const { isOld } = this.#draft
    const least = (isOld ? undefined : whole(schema, 'minContains')) ?? 1
    const most = isOld ? undefined : whole(schema, 'maxContains')
    if (contains === undefined) return undefined
    const part = this.part(contains)
    return (value, run) => {
      if (!Array.isArray(value)) return true
      const { problem } = run
      let found = 0
      for (let index = 0; index < value.length; index++) {
        const fits = run.inside(String(index), () => applies(part, value[index] as Json, run))
        if (fits) run.seen?.items.add(index)
        found += fits ? 1 : 0
      }
      run.problem = problem
      if (most !== undefined && found > most) {
        return run.fail(`must contain at least ${least} and no more than ${most} valid item(s)`)
      }
      return found >= least || run.fail(`must contain at least ${least} valid item(s)`)
    }
  }

  #unseenItems({ unevaluatedItems }: JsonObject): Test[] {
    if (unevaluatedItems === undefined || this.#draft.isOld) return []
    const part = this.part(unevaluatedItems)
    return [
      (value, run) => {
        const { seen } = run
        if (!Array.isArray(value) || !seen || seen.allItems) return true
        for (let index = 0; index < value.length; index++) {
          run.spend(1)
          if (seen.items.has(index)) continue
          const ok = run.inside(String(index), () => holds(part, value[index] as Json, run))
          if (!ok) return false
        }
        seen.allItems = true
        return true
      },
    ]
  }

  #objects(schema: JsonObject): Test[] {
    const { isOld } = this.#draft
    return [
      ...defaults(schema),
      ...sizes(schema, 'Properties', 'properties', (value) =>
        isMembers(value) ? Object.keys(value).length : undefined,
      ),
      ...required(schema),
      ...(isOld ? [] : requiredWith(schema, 'dependentRequired')),
      ...this.#dependent(schema),
      ...this.#names(schema),
      ...this.#members(schema),
      ...this.#unseenMembers(schema),
    ]
  }

  #names({ propertyNames }: JsonObject): Test[] {
    if (propertyNames === undefined) return []
    const part = this.part(propertyNames)
    return [
      (value, run) => {
        if (!isMembers(value)) return true
        return Object.keys(value).every((key) => {
          const { problem, seen } = run
          if (seen) run.freshSeen()
          const ok = applies(part, key, run)
          run.seen = seen
          run.problem = problem
          return ok || run.fail('property name must be valid', key)
        })
      },
    ]
  }

  #members(schema: JsonObject): Test[] {
    const properties = this.#named(schema, 'properties')
    const patterns = [...(this.#named(schema, 'patternProperties') ?? [])].map(
      ([source, part]) => ({ test: this.#pattern(source), part }),
    )
    const { additionalProperties } = schema
    const rest = additionalProperties === undefined ? undefined : this.part(additionalProperties)
    const isClosed = additionalProperties === false
    if (!properties && patterns.length === 0 && !rest) return []
    return [
      (value, run) => {
        if (!isMembers(value)) return true
        const keys = Object.keys(value)
        run.spend(keys.length)
        for (const key of keys) {
          const own = properties?.get(key)
          let isKnown = own !== undefined
          if (own && !this.#member(value, key, own, run)) return false
          for (const { test, part } of patterns) {
            if (!test(key, run)) continue
            isKnown = true
            if (!this.#member(value, key, part, run)) return false
          }
          if (!isKnown && isClosed) return run.fail('must NOT have additional properties', key)
          if (!isKnown && rest && !this.#member(value, key, rest, run)) return false
          if (isKnown || rest) run.seen?.members.add(key)
        }
        return true
      },
    ]
  }

  #member(value: JsonObject, key: string, part: Part, run: Run): boolean {
    return run.inside(key, () => holds(part, value[key] as Json, run))
  }

  #unseenMembers({ unevaluatedProperties }: JsonObject): Test[] {
    if (unevaluatedProperties === undefined || this.#draft.isOld) return []
    const part = this.part(unevaluatedProperties)
    const isClosed = unevaluatedProperties === false
    return [
      (value, run) => {
        const { seen } = run
        if (!isMembers(value) || !seen || seen.allMembers) return true
        for (const key of Object.keys(value)) {
          run.spend(1)
          if (seen.members.has(key)) continue
          if (isClosed) return run.fail('must NOT have unevaluated properties', key)
          if (!this.#member(value, key, part, run)) return false
        }
        seen.allMembers = true
        return true
      },
    ]
  }

  /** `dependentSchemas`, and `dependencies` of older drafts, which have lists of names as well. */
  #dependent(schema: JsonObject): Test[] {
    const { dependencies } = schema
    if (dependencies !== undefined && !isPlainObject(dependencies)) {
      throw unusable('dependencies is no object')
    }
    const all = Object.entries((dependencies ?? {}) as JsonObject)
    const names = Object.fromEntries(all.filter(([, value]) => Array.isArray(value)))
    const parts = [
      ...all
        .filter(([, value]) => !Array.isArray(value))
        .map(([key, value]) => [key, this.part(value)] as const),
      ...((this.#draft.isOld ? undefined : this.#named(schema, 'dependentSchemas')) ?? []),
    ]
    return [
      ...requiredWith({ names }, 'names'),
      ...parts.map(
        ([key, part]): Test =>
          (value, run) =>
            !isMembers(value) || !Object.hasOwn(value, key) || holds(part, value, run),
      ),
    ]
  }

  #several(schema: JsonObject, word: string): readonly Part[] | undefined {
    const list = schema[word]
    if (list === undefined) return undefined
    if (!Array.isArray(list) || list.length === 0) throw unusable(`${word} is no list of schemas`)
    return list.map((one: Json) => this.part(one))
  }

  #named(schema: JsonObject, word: string): ReadonlyMap<string, Part> | undefined {
    const named = schema[word]
    if (named === undefined) return undefined
    if (!isPlainObject(named)) throw unusable(`${word} is no object`)
    return new Map(Object.entries(named as JsonObject).map(([key, one]) => [key, this.part(one)]))
  }
}

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

const BOUNDS = [
  ['maximum', '<=', (value: number, bound: number) => value <= bound],
  ['minimum', '>=', (value: number, bound: number) => value >= bound],
  ['exclusiveMaximum', '<', (value: number, bound: number) => value < bound],
  ['exclusiveMinimum', '>', (value: number, bound: number) => value > bound],
] as const

function numbers(schema: JsonObject): Test[] {
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

function values(schema: JsonObject): Test[] {
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

function sizes(
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
      run.spend(size / 8)
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

function required(schema: JsonObject): Test[] {
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

function requiredWith(schema: JsonObject, word: string): Test[] {
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

function whole(schema: JsonObject, word: string): number | undefined {
  const value = schema[word]
  if (value === undefined) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value
  throw unusable(`${word} is not a whole number`)
}

function lengthOf(value: Json): number | undefined {
  return Array.isArray(value) ? value.length : undefined
}

function isMembers(value: Json): value is JsonObject {
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
function defaultOf(schema: Json | undefined): string | undefined {
  if (!isPlainObject(schema) || schema.default === undefined) return undefined
  return JSON.stringify(schema.default)
}

/** Before anything is asked of the members: one that has a default is not missing. */
function defaults({ properties }: JsonObject): Test[] {
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

function fillItems(
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
