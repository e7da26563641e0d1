import type { Json, JsonObject } from '../base/json/json.ts'

/**
 * Named unions as one object each, for generators of OpenAPI 3.0: most make one class of a union
 * and then hold each member to the rules of all. A member that not every part has may be absent.
 */
export function flatUnions(schemas: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const parts = partsOf(schema, schemas)
      return [name, parts ? merged(parts) : schema]
    }),
  )
}

interface Part extends JsonObject {
  readonly properties: JsonObject
}

/** What a union of named objects is made of. */
function partsOf(schema: Json | undefined, schemas: JsonObject): readonly Part[] | undefined {
  const { anyOf } = schema as JsonObject
  if (!Array.isArray(anyOf)) return undefined
  const parts = anyOf.map((one) => {
    const { $ref } = one as { readonly $ref?: string }
    return schemas[$ref?.split('/').at(-1) ?? ''] as JsonObject | undefined
  })
  return parts.every((part): part is Part => part?.properties !== undefined) ? parts : undefined
}

function merged(parts: readonly Part[]): JsonObject {
  const names = new Set(parts.flatMap(({ properties }) => Object.keys(properties)))
  const properties = [...names].map((name) => {
    const found = parts.flatMap((part) => part.properties[name] ?? [])
    return [name, together(found as JsonObject[])]
  })
  const required = [...names].filter((name) =>
    parts.every((part) => Array.isArray(part.required) && part.required.includes(name)),
  )
  return {
    type: 'object',
    properties: Object.fromEntries(properties) as JsonObject,
    ...(required.length > 0 ? { required } : {}),
  }
}

/** Equal ones are one, words are collected; of anything else nothing is said. */
function together(schemas: readonly JsonObject[]): JsonObject {
  const [first = {}] = schemas
  if (schemas.every((one) => JSON.stringify(one) === JSON.stringify(first))) return first
  const words = schemas.flatMap((one) => (Array.isArray(one.enum) ? one.enum : []))
  const isWords = schemas.every((one) => Array.isArray(one.enum) && one.type === 'string')
  return isWords ? { type: 'string', enum: [...new Set(words)] } : {}
}
