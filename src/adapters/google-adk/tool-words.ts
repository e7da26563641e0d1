import type { BaseTool } from '@google/adk'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { checkerOf, type StandardSchema } from '../../gate/schema/argument-schema.ts'
import type { ToolDefinition } from '../../gate/tool.ts'

/** What the tool says of itself to a model; nothing for a tool that runs at the provider. */
export function definitionOf(tool: BaseTool): ToolDefinition | undefined {
  const declared = tool._getDeclaration()
  if (!declared) return undefined
  const { description, parameters, parametersJsonSchema } = declared
  const schema = parametersJsonSchema ?? (parameters && jsonSchemaOf(parameters))
  return {
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { inputSchema: JSON.parse(JSON.stringify(schema)) as Json }),
  }
}

const AS_THEY_ARE = 'description title enum required pattern minimum maximum default'.split(' ')
// Marks of a secret value. Gemini knows none of them, and an author who wrote one meant it.
const MARKS = ['writeOnly', 'x-secret', 'x-countersign-secret']
const SAME_VALUE = ['anyOf', 'allOf', 'oneOf']
const COUNTS = 'minLength maxLength minItems maxItems minProperties maxProperties'.split(' ')

/** Gemini's schemas are OpenAPI's: other words for types, and 64-bit numbers as text. */
function jsonSchemaOf(schema: object): JsonObject {
  const from = schema as Readonly<Record<string, unknown>>
  const made: Record<string, unknown> = {}
  for (const key of [...AS_THEY_ARE, ...MARKS]) if (from[key] !== undefined) made[key] = from[key]
  for (const key of COUNTS) if (from[key] !== undefined) made[key] = Number(from[key])
  const type = typeof from.type === 'string' ? from.type.toLowerCase() : from.type
  const isNamed = type !== undefined && type !== 'type_unspecified'
  if (isNamed) made.type = from.nullable === true ? [type, 'null'] : type
  if (isSchema(from.items)) made.items = jsonSchemaOf(from.items)
  if (from.format === 'password') made.format = from.format
  for (const key of SAME_VALUE) {
    const parts = from[key]
    if (Array.isArray(parts)) made[key] = parts.filter(isSchema).map(jsonSchemaOf)
  }
  if (isSchema(from.properties)) {
    const entries = Object.entries(from.properties).map(([name, one]) => {
      return [name, isSchema(one) ? jsonSchemaOf(one) : {}] as const
    })
    made.properties = Object.fromEntries(entries)
  }
  const { additionalProperties: more } = from
  if (typeof more === 'boolean') made.additionalProperties = more
  else if (isSchema(more)) made.additionalProperties = jsonSchemaOf(more)
  return made as JsonObject
}

function isSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What is wrong with the arguments, where the tool has a schema that can say so. */
export async function problemWith(tool: BaseTool, args: JsonObject): Promise<string | undefined> {
  const { parameters } = tool as { readonly parameters?: unknown }
  if (!isSchema(parameters) || !('~standard' in parameters)) return undefined
  try {
    await checkerOf(parameters as StandardSchema)(args)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'they do not fit'
  }
}

const KINDS = {
  agentTool: Symbol.for('google.adk.agentTool'),
  functionTool: Symbol.for('google.adk.functionTool'),
  tool: Symbol.for('google.adk.baseTool'),
  toolset: Symbol.for('google.adk.baseToolset'),
  agent: Symbol.for('google.adk.baseAgent'),
  llmAgent: Symbol.for('google.adk.llmAgent'),
} as const

/** By the SDK's own marks, which hold across two copies of it, without loading it. */
export function isA(kind: keyof typeof KINDS, value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    (value as Readonly<Record<symbol, unknown>>)[KINDS[kind]] === true
  )
}
