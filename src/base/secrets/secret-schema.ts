import { isPlainObject } from '../json/json.ts'

/** A JSON Schema, or a part of one: every part that speaks about the same value. */
export type Schemas = readonly Schema[]
type Schema = { readonly [key: string]: unknown }

const MARKS = ['x-secret', 'x-countersign-secret'] as const

/** Keywords whose schemas speak about the same value. Which of them applies does not matter here. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else'] as const
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const
/** Their values do, by the names of members that have to be there. */
const BY_MEMBER = ['dependentSchemas', 'dependencies'] as const

/** Reads the marks of one JSON Schema. Only references inside of it are followed. */
export interface SchemaMarks {
  readonly root: Schemas
  /** Every part about this very value, with those it refers to. */
  isSecret(schemas: Schemas): boolean
  child(schemas: Schemas, key: string, isItem: boolean): Schemas
}

/**
 * Parts that are looked at for one value. A schema can have many parts speak about each of many
 * members, and the sender of the schema chooses all of them.
 */
const PARTS = 200_000

export function schemaMarks(schema: unknown): SchemaMarks {
  const { isMarked: isUsed, anchors } = lookOver(schema)
  const root = isPlainObject(schema) && isUsed ? schema : undefined
  const base = own(root, '$id')
  let left = PARTS

  /** Each part once: a schema may refer to itself. */
  function whole(schemas: readonly unknown[]): Schemas {
    const all = new Set<Schema>()
    const waiting = [...schemas]
    while (waiting.length > 0 && left > 0) {
      const next = waiting.pop()
      left -= 1
      // One by one: as arguments of one call a long list would not fit on the stack.
      if (Array.isArray(next)) for (const one of next) waiting.push(one)
      if (!isPlainObject(next) || all.has(next)) continue
      all.add(next)
      for (const keyword of SAME_VALUE) waiting.push(own(next, keyword))
      for (const keyword of REFERENCES) {
        const inner = own(next, keyword)
        if (typeof inner === 'string') waiting.push(resolve(inner))
      }
      for (const keyword of BY_MEMBER) {
        const inner = own(next, keyword)
        if (isPlainObject(inner)) waiting.push(Object.values(inner))
      }
    }
    return [...all]
  }

  function resolve(reference: string): unknown {
    const isWhole = typeof base === 'string' && reference.startsWith(base.replace(/#$/, ''))
    const ref = isWhole ? reference.slice(base.replace(/#$/, '').length) : reference
    if (root === undefined || !(ref === '' || ref.startsWith('#'))) return undefined
    left -= ref.length / 16
    const inside = decode(ref.slice(1))
    if (inside !== '' && !inside.startsWith('/')) return anchors.get(inside)
    let at: unknown = root
    for (const part of inside.split('/').slice(1)) {
      const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
      at = Array.isArray(at) ? at[Number(key)] : own(at, key)
    }
    return at
  }

  return {
    root: whole([root]),
    // What cannot be looked at in time is hidden.
    isSecret: (schemas) => left <= 0 || schemas.some(isMarked),
    child(schemas, key, isItem) {
      if (schemas.length === 0 || left <= 0) return schemas
      left -= schemas.length
      return whole(
        schemas.flatMap((one) => (isItem ? itemSchemas(one, Number(key)) : members(one, key))),
      )
    },
  }
}

interface Looked {
  /** Most schemas have no marks, and then nothing needs to be looked up. */
  readonly isMarked: boolean
  readonly anchors: ReadonlyMap<string, unknown>
}

/** Wherever they stand, also where no schema is expected: a mark too many only hides. */
function lookOver(schema: unknown): Looked {
  const waiting: unknown[] = [schema]
  const seen = new Set<unknown>()
  const anchors = new Map<string, unknown[]>()
  let isUsed = false
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null || seen.has(next)) continue
    seen.add(next)
    for (const inner of Object.values(next)) waiting.push(inner)
    if (!isPlainObject(next)) continue
    isUsed ||= isMarked(next)
    for (const keyword of ['$anchor', '$dynamicAnchor', '$id'] as const) {
      const name = own(next, keyword)
      if (typeof name !== 'string') continue
      const key = keyword === '$id' ? name.replace(/^#/, '') : name
      anchors.set(key, [...(anchors.get(key) ?? []), next])
    }
  }
  return { isMarked: isUsed, anchors }
}

function isMarked(schema: Schema): boolean {
  return (
    own(schema, 'writeOnly') === true ||
    own(schema, 'format') === 'password' ||
    MARKS.some((mark) => own(schema, mark) !== undefined && own(schema, mark) !== false)
  )
}

function members(schema: Schema, key: string): unknown[] {
  const named = own(own(schema, 'properties'), key)
  const patterns = own(schema, 'patternProperties')
  // Which pattern fits is not asked: a mark on any of them hides, which is the safe mistake.
  const others = isPlainObject(patterns) ? Object.values(patterns) : []
  const unnamed = [own(schema, 'additionalProperties'), own(schema, 'unevaluatedProperties')]
  const rest = named === undefined ? unnamed : []
  return [named, ...others, ...rest]
}

function itemSchemas(schema: Schema, index: number): unknown[] {
  const first = own(schema, 'prefixItems')
  const items = own(schema, 'items')
  return [
    Array.isArray(first) ? first[index] : undefined,
    Array.isArray(items) ? items[index] : items,
    own(schema, 'additionalItems'),
    own(schema, 'unevaluatedItems'),
    own(schema, 'contains'),
  ]
}

function own(value: unknown, key: string): unknown {
  return isPlainObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
