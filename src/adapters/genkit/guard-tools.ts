import type { GenerateMiddlewareDef, ToolArgument } from 'genkit'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import { internals } from '../../gate/internals.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { checkAsking, checkOrigin } from '../asking.ts'
import { type GuardedTool, runGuarded, type ToolAsking } from './guarded-tool.ts'
import { callMiddleware } from './middleware.ts'
import type { GenkitTool, ToolOptions } from './sdk-types.ts'

export type { ToolAsking } from './guarded-tool.ts'

/** For `generate`: both belong together. */
export interface GuardedTools {
  readonly tools: ToolArgument[]
  readonly use: GenerateMiddlewareDef[]
}

const guardedTools = new WeakMap<object, GuardedTool>()

/** Where a wrapped tool came from; undefined for any other. */
export function guardedBehind(tool: unknown): GuardedTool | undefined {
  return typeof tool === 'function' ? guardedTools.get(tool) : undefined
}

/**
 * The same tools, each behind the gate, and the middleware that tells them which call they serve:
 * `ai.generate({ prompt, ...guarded })`. A call that waits is one of Genkit's interrupts, and looks at
 * its approval again when it is restarted; what it is restarted with decides nothing.
 */
export async function guardTools(
  gate: ToolGate,
  tools: readonly ToolArgument[],
  asking: ToolAsking,
): Promise<GuardedTools> {
  checkAsking(gate, asking)
  const { toJsonSchema } = await sdk()
  const made = tools.map((one) => {
    const before = guardedBehind(one)
    if (before) checkOrigin(before.name, before.asking.server, asking.server)
    const tool = before?.tool ?? toolOf(one)
    // Guarded again it belongs to the new run: on the old one it would run on another one's yes.
    const server = asking.server ?? before?.asking.server
    const own = server === undefined ? asking : { ...asking, server }
    return guarded(gate, tool, own, toJsonSchema)
  })
  return {
    tools: made as unknown as ToolArgument[],
    use: [callMiddleware() as unknown as GenerateMiddlewareDef],
  }
}

function toolOf(one: unknown): GenkitTool {
  const { __action: action } = (one ?? {}) as Partial<GenkitTool>
  const isTool = action?.actionType === 'tool' || action?.actionType === 'tool.v2'
  if (typeof one === 'function' && isTool) return one as unknown as GenkitTool
  throw new CountersignError('usage', 'guardTools takes tools of Genkit, and nothing else', {
    hint: 'Pass what ai.defineTool() or ai.dynamicTool() gave, not its name; wrap a prompt or a flow in a tool.',
  })
}

type ToJsonSchema = (options: { schema: never; jsonSchema: never }) => unknown

function guarded(
  gate: ToolGate,
  tool: GenkitTool,
  asking: ToolAsking,
  toJsonSchema: ToJsonSchema,
): GenkitTool {
  const { __action: action } = tool
  const { description, inputSchema: schema, inputJsonSchema: jsonSchema } = action
  // As the model sees it: Genkit leaves out what stands before the last slash.
  const name = action.name.slice(action.name.lastIndexOf('/') + 1)
  const given = { schema: schema as never, jsonSchema: jsonSchema as never }
  const inputSchema = schema || jsonSchema ? (toJsonSchema(given) as Json) : undefined
  const definition: ToolDefinition = {
    ...(description === undefined ? {} : { description }),
    ...(inputSchema === undefined ? {} : { inputSchema: withoutMarks(inputSchema) }),
  }
  if (asking.server === undefined) gate[internals].tool(name, definition)
  const own: GuardedTool = { gate, name, tool, asking, definition }
  const run = (input: unknown, options?: ToolOptions) => runGuarded(own, input, options)
  const made = Object.assign((input: unknown, options?: ToolOptions) => run(input, options), {
    // Dynamic: Genkit takes this function, instead of the one that is registered by its name.
    __action: { ...action, metadata: { ...action.metadata, dynamic: true } },
    run: async (input: unknown, options?: ToolOptions) => ({ result: await run(input, options) }),
  })
  // Genkit notes here where a tool is registered, and complains of every call after the first.
  Object.defineProperty(made, '__registry', { get: () => undefined, set: () => {} })
  guardedTools.set(made, own)
  return made as unknown as GenkitTool
}

/** JSON and nothing else: the definition is part of what a yes is bound to. */
function withoutMarks(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema)) as Json
}

async function sdk(): Promise<{ readonly toJsonSchema: ToJsonSchema }> {
  try {
    return (await import('genkit/schema')) as unknown as { readonly toJsonSchema: ToJsonSchema }
  } catch (cause) {
    throw new CountersignError('peer_missing', 'genkit is not installed', {
      hint: 'Run npm install genkit.',
      cause,
    })
  }
}
