import type { ModelMessage, Tool } from 'ai'
import type { Call } from '../../base/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { CallDeclaration } from '../../gate/declared/declarations.ts'
import { resolveDeclared } from '../../gate/declared/resolve-declared.ts'
import { internals, type Stands } from '../../gate/internals.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { type Asking, previewFor } from '../asking.ts'

export interface ToolAsking extends Asking {
  /** The alias of the MCP server that the tools come from. */
  readonly server?: string
}

/** A tool behind its gate, and what is needed to look up how one of its calls stands. */
export interface GuardedTool {
  readonly gate: ToolGate
  readonly name: string
  readonly asking: ToolAsking
  readonly definition: () => ToolDefinition | Promise<ToolDefinition>
  /** As the application wrote it. */
  readonly tool: Tool
}

/** What the SDK gives `needsApproval`, and nothing else. */
export interface Given {
  readonly toolCallId: string
  readonly messages: ModelMessage[]
  readonly context: unknown
}

const guardedTools = new WeakMap<object, GuardedTool>()

export function remember(wrapped: Tool, guarded: GuardedTool): void {
  guardedTools.set(wrapped, guarded)
}

/** Where a wrapped tool came from; undefined for any other. */
export function guardedBehind(tool: unknown): GuardedTool | undefined {
  return typeof tool === 'object' && tool !== null ? guardedTools.get(tool) : undefined
}

export function callOf(
  { name, asking: { run, server } }: GuardedTool,
  input: unknown,
  toolCallId: string,
): Call {
  return {
    tool: name,
    args: input as JsonObject,
    run,
    key: toolCallId,
    ...(server === undefined ? {} : { server }),
  }
}

/** What the author wrote in the SDK's own words, for one call. It belongs to this tool alone. */
export async function declaredFor(
  { tool }: GuardedTool,
  input: unknown,
  { toolCallId, messages, context }: Given,
): Promise<CallDeclaration | undefined> {
  const { needsApproval } = tool
  const options = { toolCallId, messages, context: context as never }
  // A method of the tool, as for the SDK: without `this` it could say no for want of a limit.
  const ask =
    typeof needsApproval === 'function'
      ? () => needsApproval.call(tool, input as never, options)
      : undefined
  return resolveDeclared(needsApproval, { args: input, ask })
}

/** The same where there is no context: a function that takes more than the arguments asks. */
export function declaredWithoutContext(
  { tool }: GuardedTool,
  input: unknown,
): Promise<CallDeclaration | undefined> {
  const { needsApproval } = tool
  const setting = typeof needsApproval === 'function' ? needsApproval.bind(tool) : needsApproval
  return resolveDeclared(setting, { args: input })
}

/** As strict as it can be, to find what was asked about before. */
function strictestDeclared({ tool: { needsApproval } }: GuardedTool) {
  if (needsApproval === undefined) return undefined
  return typeof needsApproval === 'function'
    ? { approval: true, byFunction: true }
    : { approval: needsApproval }
}

/** How one call stands. Asks about it when there is no question yet. */
export async function stands(
  tool: GuardedTool,
  input: unknown,
  toolCallId: string,
  declared: CallDeclaration | undefined,
): Promise<Stands> {
  const definition = await tool.definition()
  return tool.gate.check(callOf(tool, input, toolCallId), {
    definition,
    declared,
    ...previewFor(tool.asking, tool.name),
  })
}

/** How one call stands that people were asked about; undefined where they were not. Never asks. */
export async function stood(
  tool: GuardedTool,
  input: unknown,
  toolCallId: string,
): Promise<Stands | undefined> {
  const definition = await tool.definition()
  const declared = strictestDeclared(tool)
  return tool.gate[internals].asked(callOf(tool, input, toolCallId), { definition, declared })
}

/** Only a question that is open pauses the run. All else is answered where the call would run. */
export async function pauses(tool: GuardedTool, input: unknown, given: Given): Promise<boolean> {
  return (await standsAtPause(tool, input, given))?.status === 'pending'
}

/** Undefined where that cannot be found out: running the call says what is wrong. */
export async function standsAtPause(
  tool: GuardedTool,
  input: unknown,
  given: Given,
): Promise<Stands | undefined> {
  const { gate, asking, tool: own } = tool
  const call = callOf(tool, input, given.toolCallId)
  if (asking.mode === 'block') return undefined
  if (own.needsApproval === undefined && gate[internals].allows?.(call))
    return { status: 'allowed' }
  try {
    return await stands(tool, input, given.toolCallId, await declaredFor(tool, input, given))
  } catch {
    return undefined
  }
}
