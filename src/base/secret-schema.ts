import { isPlainObject } from './json.ts'

/** A JSON Schema, or a part of one: every part that speaks about the same value. */
export type Schemas = readonly Schema[]
type Schema = { readonly [key: string]: unknown }

const MARKS = ['x-secret', 'x-countersign-secret'] as const

/** Keywords whose schemas speak about the same value. Which of them applies does not matter here. */
const SAME_VALUE = ['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else', '$ref', '$dynamicRef'] as const

/** Reads the marks of one JSON Schema. Only references inside of it are followed. */
export interface SchemaMarks {
  readonly root: Schemas
  /** Every part about this very value, with those it refers to. */
  isSecret(schemas: Schemas): boolean
  child(schemas: Schemas, key: string, isItem: boolean): Schemas
}

export function schemaMarks(schema: unknown): SchemaMarks {
  const root = isPlainObject(schema) ? schema : undefined

  /** Each part once: a schema may refer to itself. */
  function whole(schemas: readonly unknown[]): Schemas {
    const all = new Set<Schema>()
    const left = [...schemas]
    while (left.length > 0) {
      const next = left.pop()
      if (Array.isArray(next)) left.push(...next)
      if (!isPlainObject(next) || all.has(next)) continue
      all.add(next)
      for (const keyword of SAME_VALUE) {
        const inner = own(next, keyword)
        left.push(typeof inner === 'string' ? resolve(inner) : inner)
      }
    }
    return [...all]
  }

  function resolve(ref: string): unknown {
    if (!ref.startsWith('#') || root === undefined) return undefined
    let at: unknown = root
    for (const part of ref.slice(1).split('/').slice(1)) {
      const key = decode(part).replaceAll('~1', '/').replaceAll('~0', '~')
      at = Array.isArray(at) ? at[Number(key)] : own(at, key)
    }
    return at
  }

  return {
    root: whole([root]),
    isSecret: (schemas) =>
      schemas.some(
        (one) =>
          own(one, 'writeOnly') === true ||
          own(one, 'format') === 'password' ||
          MARKS.some((mark) => own(one, mark) !== undefined && own(one, mark) !== false),
      ),
    child(schemas, key, isItem) {
      if (schemas.length === 0) return schemas
      return whole(
        schemas.flatMap((one) => (isItem ? itemSchemas(one, Number(key)) : members(one, key))),
      )
    },
  }
}

function members(schema: Schema, key: string): unknown[] {
  const named = own(own(schema, 'properties'), key)
  const patterns = own(schema, 'patternProperties')
  // Which pattern fits is not asked: a mark on any of them hides, which is the safe mistake.
  const others = isPlainObject(patterns) ? Object.values(patterns) : []
  const rest = named === undefined ? [own(schema, 'additionalProperties')] : []
  return [named, ...others, ...rest]
}

function itemSchemas(schema: Schema, index: number): unknown[] {
  const first = own(schema, 'prefixItems')
  const items = own(schema, 'items')
  return [
    Array.isArray(first) ? first[index] : undefined,
    Array.isArray(items) ? items[index] : items,
    own(schema, 'additionalItems'),
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
