import { RE2JS } from 're2js'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { compilePattern } from '../../policy/pattern/pattern.ts'
import { patternSize } from '../../policy/pattern/pattern-size.ts'
import { formatTest } from './schema-formats.ts'
import {
  defaults,
  isMembers,
  lengths,
  numbers,
  required,
  requiredWith,
  sizes,
  types,
  values,
} from './schema-keywords.ts'
import { type Draft, type ListReader, lists } from './schema-lists.ts'
import { applies, holds, type Part, partOf, type Test } from './schema-part.ts'
import { schemaParts } from './schema-parts.ts'
import { NAME_STEPS, Run, unusable } from './schema-run.ts'

/*
 * JSON Schema (drafts 4 to 7, 2019-09, 2020-12), read once into functions and run with a budget.
 * Nothing is generated and nothing compiled that would take longer than reading the schema does.
 * Why not a library: docs/decisions/json-schema.md.
 */

export interface ReadSchema {
  readonly fills: boolean
  run(value: Json, steps?: number): Run & { readonly ok: boolean }
  /** The same without filling in anything: the value stays as it is. */
  check(value: Json, steps?: number): Run & { readonly ok: boolean }
  /** Of one property, where the schema names it plainly. */
  member(name: string): ReadSchema | undefined
}

/** Reading a pattern takes about a millisecond. */
const MAX_PATTERNS = 100
/** And longer for large ones, so all of them together have a size. */
const MAX_PATTERN_SIZE = 10_000

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
  return runner(reader.part(root), parts, (name) => reader.memberOf(root, name), reader)
}

type Member = { readonly schema: JsonObject; readonly part: Part } | undefined

function runner(
  part: Part,
  { fills, isSeen }: { readonly fills: boolean; readonly isSeen: boolean },
  member: (name: string) => Member = () => undefined,
  reader?: Reader,
): ReadSchema {
  function run(value: Json, steps: number | undefined, isFilling: boolean) {
    const one = new Run({ fills: isFilling, isSeen, ...(steps === undefined ? {} : { steps }) })
    return Object.assign(one, { ok: holds(part, value, one) })
  }
  return {
    fills,
    run: (value, steps) => run(value, steps, fills),
    check: (value, steps) => run(value, steps, false),
    member(name) {
      const inner = member(name)
      return (
        inner &&
        runner(inner.part, { fills, isSeen }, (key) => reader?.memberOf(inner.schema, key), reader)
      )
    },
  }
}

class Reader implements ListReader {
  readonly #target: (reference: string) => Json
  readonly draft: Draft
  readonly #known = new Map<JsonObject, Part>()
  #patterns = 0
  #patternSize = 0

  constructor(target: (reference: string) => Json, draft: Draft) {
    this.#target = target
    this.draft = draft
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
    const { isOld } = this.draft
    part.asksUnseen = !isOld && ('unevaluatedProperties' in one || 'unevaluatedItems' in one)
    part.tests = [
      ...types(one),
      ...numbers(one),
      ...this.#texts(one),
      ...values(one),
      ...this.#references(one),
      ...this.#combined(one),
      ...lists(one, this),
      ...this.#objects(one),
    ]
    // Read even if nothing refers to them: a mistake in them is still a mistake.
    for (const word of ['$defs', 'definitions'] as const) this.#named(one, word)
    return part
  }

  memberOf({ properties }: JsonObject, name: string): Member {
    if (!isPlainObject(properties) || !Object.hasOwn(properties, name)) return undefined
    const schema = (properties as JsonObject)[name]
    return isPlainObject(schema)
      ? { schema: schema as JsonObject, part: this.part(schema as JsonObject) }
      : undefined
  }

  #texts(schema: JsonObject): Test[] {
    const { pattern, format } = schema
    const tests: Test[] = [...lengths(schema)]
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
    const size = patternSize(source)
    this.#patternSize += size
    if (this.#patternSize > MAX_PATTERN_SIZE) throw unusable('its patterns are too large')
    const pattern = compilePattern(RE2JS.translateRegExp(source))
    if (!pattern.ok)
      throw unusable(`pattern ${JSON.stringify(source.slice(0, 100))}: ${pattern.problem}`)
    const { test } = pattern.value
    const factor = (1 + Math.max(source.length, size) / 8) / 8
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
    const any = this.several(schema, 'anyOf')
    if (any) {
      tests.push((value, run) => {
        const { problem, seen } = run
        let ok = false
        for (const part of any) {
          ok = applies(part, value, run) || ok
          // What the others evaluate counts as well, where the caller collects it.
          if (ok && !seen) break
        }
        if (ok) run.problem = problem
        return ok || run.fail('must match a schema in anyOf')
      })
    }
    const one = this.several(schema, 'oneOf')
    if (one) {
      tests.push((value, run) => {
        const { problem } = run
        const fit = one.filter((part) => applies(part, value, run)).length
        if (fit > 0) run.problem = problem
        return fit === 1 || run.fail('must match exactly one schema in oneOf')
      })
    }
    const all = this.several(schema, 'allOf')
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

  #objects(schema: JsonObject): Test[] {
    const { isOld } = this.draft
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
        const keys = Object.keys(value)
        run.spend(keys.length * NAME_STEPS)
        return keys.every((key) => {
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
        run.spend(keys.length * NAME_STEPS)
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
    if (unevaluatedProperties === undefined || this.draft.isOld) return []
    const part = this.part(unevaluatedProperties)
    const isClosed = unevaluatedProperties === false
    return [
      (value, run) => {
        const { seen } = run
        if (!isMembers(value) || !seen || seen.allMembers) return true
        for (const key of Object.keys(value)) {
          run.spend(NAME_STEPS)
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
      ...((this.draft.isOld ? undefined : this.#named(schema, 'dependentSchemas')) ?? []),
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

  /** A list of schemas. */
  several(schema: JsonObject, word: string): readonly Part[] | undefined {
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
