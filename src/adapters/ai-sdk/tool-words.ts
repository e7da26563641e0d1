import { asSchema, type Tool } from 'ai'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { NotStarted, type ToolDefinition } from '../../gate/tool.ts'

const known = new WeakMap<object, ToolDefinition | Promise<ToolDefinition>>()

/** What the tool says of itself, once per tool: approvals are bound to it. */
export function definitionOf(tool: Tool): ToolDefinition | Promise<ToolDefinition> {
  const before = known.get(tool)
  if (before !== undefined) return before
  const { description } = tool
  const schema = asSchema(tool.inputSchema).jsonSchema
  const made = (inputSchema: unknown): ToolDefinition => {
    const definition: ToolDefinition = {
      // A description can be a function of a context that is not the same for every call.
      ...(typeof description === 'string' ? { description } : {}),
      inputSchema: JSON.parse(JSON.stringify(inputSchema)) as Json,
    }
    known.set(tool, definition)
    return definition
  }
  const isLater = typeof (schema as PromiseLike<unknown>)?.then === 'function'
  const definition = isLater ? Promise.resolve(schema).then(made) : made(schema)
  known.set(tool, definition)
  return definition
}

/** All that a server says of its tool, of which the SDK's own words hold only a part. */
export function defineTool(tool: Tool, definition: ToolDefinition): void {
  known.set(tool, definition)
}

/** Arguments a person changed, checked as the SDK checks those of a model. */
export async function fitting(tool: Tool, name: string, args: JsonObject): Promise<unknown> {
  const checked = await asSchema(tool.inputSchema).validate?.(args)
  if (checked === undefined) return args
  if (checked.success) return checked.value
  throw new NotStarted(`the changed arguments of ${name} do not fit its schema`)
}

/** The last value of a tool that streams; what it said before that is not passed on. */
export async function lastOf(output: unknown): Promise<unknown> {
  const stream = output as AsyncIterable<unknown> | undefined
  if (typeof stream?.[Symbol.asyncIterator] !== 'function') return output
  let last: unknown
  for await (const value of stream) last = value
  return last
}
