import type { Json, JsonObject } from '../base/json/json.ts'
import { NotStarted, type ToolDefinition } from '../gate/tool.ts'

/**
 * Arguments that a person changed must fit the schema that the model was given. Where they do not,
 * the call is not started, instead of running into an error of the SDK.
 */
export async function checkEdited(
  { inputSchema }: ToolDefinition,
  args: JsonObject,
): Promise<void> {
  if (inputSchema === undefined) return
  // Loaded here: edits are rare, and a validator is large.
  const { jsonSchema } = await import('../gate/schema/json-schema.ts')
  let problem: string | undefined
  try {
    const answer = await jsonSchema()(inputSchema as Json, args)
    if (!answer.ok) problem = answer.problem
  } catch {
    problem = 'the changed arguments could not be checked, because the schema cannot be used'
  }
  if (problem !== undefined) throw new NotStarted(problem)
}
