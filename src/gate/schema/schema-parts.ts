import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { unusable } from './schema-run.ts'

/*
 * Finds every part of a schema, and what its references lead to. Only references inside of the
 * schema count: what is elsewhere may be another thing tomorrow.
 */

const ONE = [
  'additionalItems',
  'additionalProperties',
  'contains',
  'else',
  'if',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
] as const
const SEVERAL = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const NAMED = [
  '$defs',
  'definitions',
  'dependentSchemas',
  'patternProperties',
  'properties',
] as const
const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'] as const

export interface SchemaParts {
  /** What a reference leads to. */
  target(reference: string): Json
  /** Whether any part asks for what no other part has spoken about. */
  readonly isSeen: boolean
  /** Whether any part has a default. */
  readonly fills: boolean
}

export function schemaParts(root: JsonObject): SchemaParts {
  const found = new Set<JsonObject>()
  const anchors = new Map<string, JsonObject>()
  const references: string[] = []
  const left: Json[] = [root]
  const base = typeof root.$id === 'string' ? root.$id.replace(/#$/, '') : undefined
  let isSeen = false
  let fills = false

  function walk(): void {
    for (let part = left.pop(); part !== undefined; part = left.pop()) {
      if (!isPlainObject(part) || found.has(part as JsonObject)) continue
      const schema = part as JsonObject
      found.add(schema)
      isSeen ||= 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema
      fills ||= 'default' in schema
      // Ajv's word for validating with promises; nothing here would await them.
      if ('$async' in schema) throw unusable('$async is not JSON Schema')
      note(schema)
      left.push(...subschemas(schema))
      for (const word of REFERENCES) {
        const reference = schema[word]
        if (reference === undefined) continue
        if (typeof reference !== 'string') throw unusable(`${word} is not a text`)
        references.push(reference)
      }
    }
  }

  function note(schema: JsonObject): void {
    for (const word of ['$anchor', '$dynamicAnchor', '$id'] as const) {
      const name = schema[word]
      if (name === undefined) continue
      if (typeof name !== 'string') throw unusable(`${word} is not a text`)
      if (word !== '$id') name_(name, schema)
      else if (name.startsWith('#')) name_(name.slice(1), schema)
      // Inside of it references would mean something else.
      else if (schema !== root) throw unusable('only the whole schema may have an $id')
    }
  }

  function name_(name: string, schema: JsonObject): void {
    const other = anchors.get(name)
    if (other && other !== schema) throw unusable(`${name} names two parts`)
    anchors.set(name, schema)
  }

  function target(reference: string): Json {
    const own =
      base !== undefined && reference.startsWith(base) ? reference.slice(base.length) : reference
    if (own === '' || own === '#') return root
    if (!own.startsWith('#')) throw unusable(`${shown(reference)} is not inside of it`)
    const inside = decoded(own.slice(1))
    const led = inside.startsWith('/') ? pointed(root, inside) : anchors.get(inside)
    if (typeof led === 'boolean' || isPlainObject(led)) return led as Json
    throw unusable(`${shown(reference)} leads to no schema`)
  }

  walk()
  // What they lead to may be where no schema is expected, and has references of its own.
  for (let next = references.pop(); next !== undefined; next = references.pop()) {
    left.push(target(next))
    walk()
  }
  return { target, isSeen, fills }
}

function subschemas(schema: JsonObject): Json[] {
  const { items, dependencies } = schema
  return [
    ...ONE.flatMap((word) => schema[word] ?? []),
    ...SEVERAL.flatMap((word) => listOf(schema[word])),
    ...NAMED.flatMap((word) => valuesOf(schema[word])),
    ...(Array.isArray(items) ? items : items === undefined ? [] : [items]),
    ...valuesOf(dependencies).filter((one) => !Array.isArray(one)),
  ]
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function valuesOf(value: Json | undefined): Json[] {
  return isPlainObject(value) ? Object.values(value as JsonObject) : []
}

function pointed(root: JsonObject, pointer: string): Json | undefined {
  let at: Json | undefined = root
  for (const part of pointer.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined
    at = (at as JsonObject)[key]
  }
  return at
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

function shown(reference: string): string {
  return JSON.stringify(reference.slice(0, 100))
}
