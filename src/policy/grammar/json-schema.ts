import type { JsonSchema, SchemaDefs } from '../read/read-shape.ts'
import { governanceFile, ownerFile } from './grammar.ts'

/** JSON Schema for countersign.yaml, from the grammar itself: what editors complete and explain. */
export function policySchema(): JsonSchema {
  return schemaOf(ownerFile, 'Countersign policy')
}

/** The same for governance files. */
export function governanceSchema(): JsonSchema {
  return schemaOf(governanceFile, 'Countersign governance')
}

function schemaOf(
  file: { readonly schema: (defs: SchemaDefs) => JsonSchema },
  title: string,
): JsonSchema {
  const defs: SchemaDefs = new Map()
  const top = file.schema(defs)
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...top,
    $defs: Object.fromEntries(defs),
  }
}
