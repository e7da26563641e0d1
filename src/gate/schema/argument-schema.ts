import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'

/** As much of Standard Schema as is used here; zod, valibot and arktype have it. */
export interface StandardSchema {
  readonly '~standard': {
    readonly vendor: string
    readonly validate: (value: unknown) => unknown
    readonly jsonSchema?: { readonly input: (options: { target: 'draft-07' }) => unknown }
  }
}

export type ArgumentSchema = StandardSchema | JsonObject

export function isStandard(schema: ArgumentSchema): schema is StandardSchema {
  return '~standard' in schema
}

/** JSON Schema for the approver's form, as far as the schema can say it. */
export function schemaOf(schema: ArgumentSchema): unknown {
  if (!isStandard(schema)) return schema
  const { vendor, jsonSchema } = schema['~standard']
  return jsonSchema
    ? JSON.parse(JSON.stringify(jsonSchema.input({ target: 'draft-07' })))
    : { description: `checked by ${vendor}` }
}

/** Checks arguments and gives what the schema makes of them. JSON Schema alone checks nothing. */
export function checkerOf(schema: ArgumentSchema | undefined) {
  return async (args: JsonObject): Promise<JsonObject> => {
    if (!schema || !isStandard(schema)) return args
    const result = (await schema['~standard'].validate(args)) as {
      readonly value?: unknown
      readonly issues?: readonly { readonly message: string; readonly path?: readonly unknown[] }[]
    }
    if (!result.issues) return result.value as JsonObject
    const [first] = result.issues
    const where = first?.path?.length ? `${first.path.map(pathPart).join('.')}: ` : ''
    throw new CountersignError('invalid_call', `${where}${first?.message ?? 'it does not fit'}`)
  }
}

function pathPart(part: unknown): string {
  return String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part)
}
