import { isSafeNumber } from '../../base/json/canonical.ts'
import type { Result } from '../../base/result.ts'
import type { Place } from '../document.ts'
import { nearest } from '../grammar/nearest.ts'
import { type Report, show } from './read-report.ts'
import { type Tree, type TreeScalar, under } from './read-tree.ts'

/** One thing a policy may say: how to read it, what to call it, and how editors check it. */
export interface Shape<T> {
  /** Completes "write …" in messages. */
  readonly wants: string
  /** Undefined after a mistake, which is then in the report. */
  readonly read: (tree: Tree, at: At) => T | undefined
  readonly schema: (defs: SchemaDefs) => JsonSchema
}

export type JsonSchema = { readonly [keyword: string]: unknown }
export type SchemaDefs = Map<string, JsonSchema>

/** Where a reader is. */
export interface At {
  readonly path: string
  readonly report: Report
  /** Keys known somewhere in the grammar, and where; for keys that are in the wrong place. */
  readonly homes: ReadonlyMap<string, string>
}

/** A value together with the spot it was read at, for checks that come later. */
export interface Placed<T> {
  readonly value: T
  readonly place: Place
  readonly path: string
}

export function inside(at: At, key: string | number): At {
  return { ...at, path: under(at.path, key) }
}

/** Reports what stands here instead of what was wanted. Always undefined. */
export function refuse(tree: Tree, at: At, wants: string): undefined {
  if (tree.kind === 'broken') return undefined
  if (tree.kind === 'scalar' && tree.value === null) {
    const found = tree.source === '' ? 'nothing stands here' : 'null says nothing'
    at.report.mistake(tree.place, at.path, 'empty_value', `${found}; write ${wants}`)
    return undefined
  }
  const problem = `found ${describe(tree)}; write ${wants}`
  at.report.mistake(tree.place, at.path, 'wrong_type', problem)
  return undefined
}

export function describe(tree: Tree): string {
  if (tree.kind !== 'scalar') return tree.kind === 'list' ? 'a list' : 'a map'
  if (typeof tree.value === 'string') return `the text ${show(tree.value)}`
  return typeof tree.value === 'number'
    ? `the number ${show(tree.source)}`.replaceAll('"', '')
    : `${tree.value}`
}

interface TextOptions {
  readonly schema?: JsonSchema
  /** What to write where another scalar was found. */
  readonly instead?: (found: string) => string
  /** The value may be a secret: it is never repeated in a message. */
  readonly quiet?: boolean
}

/** Text that a small parser reads: durations, paths, patterns. */
export function parsed<T>(
  wants: string,
  parse: (text: string) => Result<T>,
  { schema = {}, instead = () => wants, quiet = false }: TextOptions = {},
): Shape<T> {
  return {
    wants,
    read(tree, at) {
      if (tree.kind !== 'scalar' || tree.value === null) return refuse(tree, at, wants)
      if (typeof tree.value !== 'string') {
        if (!quiet) return refuse(tree, at, instead(tree.source))
        const problem = `found a ${typeof tree.value}; write ${instead('it')}`
        at.report.mistake(tree.place, at.path, 'wrong_type', problem)
        return undefined
      }
      const result = parse(tree.value)
      if (result.ok) return result.value
      const problem = quiet ? result.problem : `${show(tree.value)}: ${result.problem}`
      at.report.mistake(tree.place, at.path, 'bad_value', problem)
      return undefined
    },
    schema: () => ({ type: 'string', ...schema }),
  }
}

/** Text of a given form; `problem` says what is right. */
export function text(
  wants: string,
  {
    pattern = /\S/,
    problem = 'it is empty',
    quiet = false,
  }: { pattern?: RegExp; problem?: string; quiet?: boolean } = {},
): Shape<string> {
  const check = (value: string): Result<string> =>
    pattern.test(value) ? { ok: true, value } : { ok: false, problem }
  const instead = () => `${wants}, in quotes`
  return parsed(wants, check, { schema: { pattern: pattern.source }, instead, quiet })
}

const TRUE_WORDS = ['yes', 'y', 'on', 'true']
const FALSE_WORDS = ['no', 'n', 'off', 'false']

export const flag: Shape<boolean> = {
  wants: 'true or false',
  read(tree, at) {
    if (tree.kind === 'scalar' && typeof tree.value === 'boolean') return tree.value
    return refuse(tree, at, booleanHint(tree) ?? 'true or false')
  },
  schema: () => ({ type: 'boolean' }),
}

/** What `yes`, `on` or `"true"` should have been: all of them are text in YAML 1.2. */
export function booleanHint(tree: Tree): string | undefined {
  if (tree.kind !== 'scalar' || typeof tree.value !== 'string') return undefined
  const word = tree.value.toLowerCase()
  const meant = TRUE_WORDS.includes(word)
    ? 'true'
    : FALSE_WORDS.includes(word)
      ? 'false'
      : undefined
  if (!meant) return undefined
  return word === meant ? `${meant} without quotes` : `${meant} (${word} is text in YAML 1.2)`
}

/** Numbers as every reader understands them: decimal, finite, exact. */
export function readNumber(tree: TreeScalar, at: At): number | undefined {
  const { value, source, place } = tree
  if (typeof value !== 'number') return undefined
  const problem = /^[-+]?0[xo]/i.test(source)
    ? `${source} is written in another base; write ${value}`
    : /^[-+]?0\d/.test(source)
      ? `${source} starts with a zero, which some readers take for octal; write ${value}`
      : isSafeNumber(value)
        ? undefined
        : `${source} is not a number that every reader keeps exactly`
  if (problem === undefined) return value === 0 ? 0 : value
  at.report.mistake(place, at.path, 'bad_number', problem)
  return undefined
}

export const number: Shape<number> = {
  wants: 'a number',
  read: (tree, at) => readAnyNumber(tree, at, 'a number'),
  schema: () => ({ type: 'number' }),
}

function readAnyNumber(tree: Tree, at: At, wants: string): number | undefined {
  if (tree.kind === 'scalar' && typeof tree.value === 'number') return readNumber(tree, at)
  const written = tree.kind === 'scalar' && typeof tree.value === 'string' ? tree.value : ''
  const meant = written.replace(/[_,']/g, '')
  const plain = /^[-+]?\d+(\.\d+)?$/.test(meant)
  return refuse(tree, at, plain ? `${meant} without quotes or separators` : wants)
}

export function whole(min: number, max: number): Shape<number> {
  const wants = `a whole number from ${min} to ${max}`
  return {
    wants,
    read(tree, at) {
      const value = readAnyNumber(tree, at, wants)
      if (value === undefined) return undefined
      if (Number.isInteger(value) && value >= min && value <= max) return value
      at.report.mistake(tree.place, at.path, 'bad_number', `found ${value}; write ${wants}`)
      return undefined
    },
    schema: () => ({ type: 'integer', minimum: min, maximum: max }),
  }
}

/** `renamed` says of a word that is no longer read what to write instead. */
export function choice<const W extends string>(
  words: readonly W[],
  renamed: (word: string) => string | undefined = () => undefined,
): Shape<W> {
  const wants = words.length === 2 ? words.join(' or ') : `one of ${words.join(', ')}`
  return {
    wants,
    read(tree, at) {
      if (tree.kind !== 'scalar' || typeof tree.value !== 'string') return refuse(tree, at, wants)
      const found = words.find((word) => word === tree.value)
      if (found !== undefined) return found
      const meant = nearest(tree.value, words)
      const hint = renamed(tree.value) ?? (meant === undefined ? '' : `; did you mean ${meant}?`)
      const problem = `found ${show(tree.value)}; write ${wants}${hint}`
      at.report.mistake(tree.place, at.path, 'unknown_word', problem)
      return undefined
    },
    schema: () => ({ enum: words }),
  }
}

interface ListOptions<T> {
  readonly wants: string
  readonly min?: number
  readonly max?: number
  /** Items of the same name are the same item; undefined has no name. */
  readonly name?: (item: T) => string | number | boolean | undefined
}

export function list<T>(item: Shape<T>, options: ListOptions<T>): Shape<readonly Placed<T>[]> {
  const { wants, min = 1, max = 10_000, name } = options
  return {
    wants,
    read(tree, at) {
      if (tree.kind !== 'list') return refuse(tree, at, wants)
      if (tree.items.length < min) {
        at.report.mistake(tree.place, at.path, 'empty_list', `the list is empty; write ${wants}`)
      }
      if (tree.items.length > max) {
        const problem = `the list has ${tree.items.length} items; at most ${max} are read`
        at.report.mistake(tree.place, at.path, 'too_many', problem)
        return undefined
      }
      const seen = new Map<unknown, Place>()
      return tree.items.flatMap((one, index) => {
        const here = inside(at, index)
        const value = item.read(one, here)
        if (value === undefined) return []
        const known = name?.(value)
        const earlier = known === undefined ? undefined : seen.get(known)
        if (known !== undefined && earlier) {
          const problem = `${show(known)} is already listed${earlierLine(earlier)}`
          at.report.mistake(one.place, here.path, 'duplicate', problem)
        }
        if (known !== undefined && !earlier) seen.set(known, one.place)
        return [{ value, place: one.place, path: here.path }]
      })
    },
    schema: (defs) => ({
      type: 'array',
      items: item.schema(defs),
      minItems: min,
      maxItems: max,
      ...(name && { uniqueItems: true }),
    }),
  }
}

/** Code has no lines to point at. */
function earlierLine({ line }: Place): string {
  return line > 0 ? ` in line ${line}` : ''
}

/** A map whose keys the author chooses. */
interface TableOptions {
  readonly wants: string
  readonly min?: number
  readonly keyPattern?: RegExp
  /** What is right for a key that does not fit the pattern. */
  readonly problem?: string
}

export interface TableRow<T> extends Placed<T> {
  readonly key: string
}

export function table<T>(value: Shape<T>, options: TableOptions): Shape<readonly TableRow<T>[]> {
  const { wants, min = 0, keyPattern = /^/, problem = '' } = options
  return {
    wants,
    read(tree, at) {
      if (tree.kind !== 'map') return refuse(tree, at, wants)
      if (tree.entries.length < min) {
        at.report.mistake(tree.place, at.path, 'empty_map', `the map is empty; write ${wants}`)
      }
      return tree.entries.flatMap((entry) => {
        const here = inside(at, entry.key)
        if (!keyPattern.test(entry.key))
          at.report.mistake(entry.place, here.path, 'bad_name', problem)
        const read = value.read(entry.value, here)
        if (read === undefined) return []
        return [{ key: entry.key, value: read, place: entry.place, path: here.path }]
      })
    },
    schema: (defs) => ({
      type: 'object',
      additionalProperties: value.schema(defs),
      propertyNames: { pattern: keyPattern.source },
      ...(min > 0 && { minProperties: min }),
    }),
  }
}

/** Written once under `$defs`, referred to everywhere else. */
export function named<T>(name: string, shape: Shape<T>): Shape<T> {
  return {
    ...shape,
    schema(defs) {
      if (!defs.has(name)) {
        defs.set(name, {})
        defs.set(name, shape.schema(defs))
      }
      return { $ref: `#/$defs/${name}` }
    },
  }
}
