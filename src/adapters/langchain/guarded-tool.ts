import { toJsonSchema } from '@langchain/core/utils/json_schema'
import { interopSafeParseAsync, isInteropZodSchema } from '@langchain/core/utils/types'
import type { Call } from '../../base/call.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { delegation } from '../../gate/delegate.ts'
import { internals } from '../../gate/internals.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { type Asking, checkAsking, type ParentInput, parentInput } from '../asking.ts'

export interface ThreadAsking extends Omit<Asking, 'run'> {
  /** The `thread_id` the graph is invoked with, unless set: one agent serves many threads. */
  readonly run?: string
  /** Tools that hand work to a sub-agent, by name: they are asked about as delegations. */
  readonly agents?: readonly string[]
  /** The alias of the MCP server that the tools come from. */
  readonly server?: string
  /**
   * For delegations: what the delegating agent was given, or a function of what LangGraph hands to
   * tools. Rules read it as `parent.input.<key>`, and ask where it is missing.
   */
  readonly parent?: ParentInput<NodeConfig>
}

export function checkThreadAsking(gate: ToolGate, asking: ThreadAsking): void {
  checkAsking(gate, { ...asking, run: asking.run ?? 'the thread of the graph' })
}

/** As much of LangChain's tools as is needed: what has no `invoke` runs at the provider. */
export interface SomeTool {
  readonly name: string
  readonly description?: string
  readonly schema?: unknown
  invoke(input: unknown, config?: unknown): Promise<unknown>
}

export function isRunnable(tool: object): tool is SomeTool {
  return 'invoke' in tool && typeof tool.invoke === 'function'
}

/** Tools of the provider are known by their type alone. */
export function nameOf(tool: object): string {
  const { name, type } = tool as { readonly name?: unknown; readonly type?: unknown }
  return String(name ?? type)
}

/** A tool, and everything needed to look up how one of its calls stands. */
export interface GuardedTool {
  readonly gate: ToolGate
  readonly name: string
  readonly asking: ThreadAsking
  readonly definition: ToolDefinition
  readonly schema: unknown
}

export function guardedTool(
  gate: ToolGate,
  name: string,
  tool: object | undefined,
  asking: ThreadAsking,
): GuardedTool {
  const { schema } = (tool ?? {}) as Partial<SomeTool>
  return { gate, name, asking, definition: tool ? definitionOf(tool) : {}, schema }
}

/** For the inbox. Sub-agents and the tools of servers are declared elsewhere in the policy. */
export function register({ gate, name, asking, definition }: GuardedTool): void {
  if (asking.server === undefined && !isAgent(asking, name)) gate[internals].tool(name, definition)
}

function isAgent({ agents = [] }: ThreadAsking, name: string): boolean {
  return agents.includes(name)
}

const definitions = new WeakMap<object, ToolDefinition>()

/** What the tool says of itself, once per tool: approvals are bound to it. */
function definitionOf(tool: object): ToolDefinition {
  const known = definitions.get(tool)
  if (known) return known
  const { description, schema } = tool as Partial<SomeTool>
  const definition: ToolDefinition = {
    ...(typeof description === 'string' ? { description } : {}),
    ...jsonSchemaOf(schema),
  }
  definitions.set(tool, definition)
  return definition
}

function jsonSchemaOf(schema: unknown): { readonly inputSchema?: Json } {
  if (schema === undefined) return {}
  try {
    const inputSchema = JSON.parse(JSON.stringify(toJsonSchema(schema as never))) as Json
    return { inputSchema }
  } catch {
    // Some schemas cannot be said in JSON. The tool itself still checks by them.
    return {}
  }
}

/** What is wrong with the arguments, as far as the tool can say it without running. */
export async function misfitOf({ schema }: GuardedTool, args: unknown) {
  if (!isInteropZodSchema(schema)) return undefined
  const checked = await interopSafeParseAsync(schema, args)
  if (checked.success) return undefined
  const [issue] = (checked.error as { readonly issues?: readonly Issue[] }).issues ?? []
  const where = issue?.path?.length ? `${issue.path.map(String).join('.')}: ` : ''
  return `${where}${issue?.message ?? 'the arguments do not fit'}`
}

interface Issue {
  readonly message: string
  readonly path?: readonly PropertyKey[]
}

/** A call as the model made it. */
export interface ModelCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args: unknown
}

/** As much of what LangGraph hands to nodes and tools as is looked at. */
export interface NodeConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined
  readonly signal?: AbortSignal | undefined
  /** What the graph was invoked with besides its state. */
  readonly context?: unknown
  /** Of the graph, where LangGraph hands it to tools. Its messages are the model's words. */
  readonly state?: unknown
}

export function callOf(tool: GuardedTool, { id, args }: ModelCall, config: NodeConfig): Call {
  const { name, asking } = tool
  const given = args as JsonObject
  const call: Call = isAgent(asking, name)
    ? delegation(name, given, parentInput(asking.parent, config))
    : { tool: name, args: given }
  const run = asking.run ?? threadOf(config)
  return {
    ...call,
    ...(asking.server === undefined ? {} : { server: asking.server }),
    ...(run === undefined ? {} : { run }),
    ...(id === undefined ? {} : { key: id }),
  }
}

export function threadOf({ configurable }: NodeConfig): string | undefined {
  const thread = configurable?.thread_id
  return thread === undefined || thread === null ? undefined : String(thread)
}
