import type { FunctionTool, RunContext, Tool } from '@openai/agents'
import type { Call } from '../../base/call.ts'
import { isCountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import { parseStrict } from '../../base/strict-json.ts'
import type { AnyGate } from '../../gate/any-gate.ts'
import { delegation } from '../../gate/delegate.ts'
import { resultOrSentence } from '../../gate/guard.ts'
import { type Outcome, refusal } from '../../gate/outcome.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import { type Asking, checkAsking, checkForeign } from '../asking.ts'

/** What is needed to look up how a call of one tool stands. */
export interface GuardedTool {
  readonly gate: AnyGate
  readonly name: string
  readonly asking: Asking
  readonly definition: ToolDefinition
  /** The alias of the MCP server it belongs to. */
  readonly server?: string | undefined
  /** It hands the work to a sub-agent: asked about as a delegation. */
  readonly isAgent: boolean
}

const guardedTools = new WeakMap<object, GuardedTool>()

export function guardedBehind(tool: object): GuardedTool | undefined {
  return guardedTools.get(tool)
}

/**
 * The same tools, each behind the gate. `state.approve()` only wakes a run up: whether a call runs
 * is read from the approvals, each time, just before it would.
 */
export function guardTools<T extends Tool<never>>(
  gate: AnyGate,
  tools: readonly T[],
  asking: Asking,
): T[] {
  checkAsking(gate, asking)
  return tools.map((tool) => {
    if (guardedTools.has(tool)) return tool
    if (tool.type === 'function') {
      return guardFunction(gate, tool as unknown as AnyFunctionTool, asking) as unknown as T
    }
    // Hosted tools run at the provider; shells, patches and computers have no place to wait in.
    checkForeign(gate, tool.name)
    return tool
  })
}

// The SDK's own `any`s: a tool for every context, with whatever arguments and results.
export type AnyFunctionTool = FunctionTool<unknown, undefined, unknown>

type Details = Parameters<AnyFunctionTool['invoke']>[2]

export function guardFunction(
  gate: AnyGate,
  tool: AnyFunctionTool,
  asking: Asking,
  server?: string,
): AnyFunctionTool {
  const { name, description, parameters, invoke } = tool
  const definition: ToolDefinition = { description, inputSchema: parameters as unknown as Json }
  // Only `asTool` makes tools that one can listen to.
  const isAgent = 'on' in tool && typeof tool.on === 'function'
  const guarded: GuardedTool = { gate, name, asking, definition, server, isAgent }
  if (server === undefined && !isAgent) {
    declare(guarded, tool)
    gate.tool(name, definition)
  }
  const { mode = 'suspend', waitFor } = asking

  async function guardedInvoke(context: RunContext<unknown>, input: string, details?: Details) {
    const read = argsOf(input)
    if (!read.ok) return refusal('invalid', { tool: name, reason: read.problem }).message
    const start = (args: JsonObject, { edited }: { readonly edited: boolean }) =>
      invoke(context, edited ? JSON.stringify(args) : input, details)
    const signal = details?.signal
    const outcome = await gate.run(
      callOf(guarded, read.args, details?.toolCall?.callId),
      { name, definition, run: start },
      mode === 'block' ? { signal, waitFor } : { signal, wait: false },
    )
    // It was handed over before, and paused inside: what it called there has approvals of its own.
    const isPausedInside = isAgent && details?.resumeState !== undefined && isReplay(outcome)
    return isPausedInside ? invoke(context, input, details) : told(outcome)
  }

  const changes: Pick<AnyFunctionTool, 'invoke' | 'needsApproval'> = {
    invoke: guardedInvoke,
    needsApproval: async (_context, input, callId) =>
      mode === 'suspend' && waits(guarded, input, callId),
  }
  // The SDK knows the agent behind such a tool by the object itself, so that one is changed.
  const wrapped = isAgent ? Object.assign(tool, changes) : { ...tool, ...changes }
  guardedTools.set(wrapped, guarded)
  return wrapped
}

/**
 * What the author wrote in the SDK's own words is a declaration like any other. The SDK does not
 * tell a `false` from nothing written at all, so a no leaves it to the files.
 */
function declare({ gate, name }: GuardedTool, { needsApproval }: AnyFunctionTool): void {
  gate.declare(name, {
    otherwise: 'files',
    approval: (args: JsonObject) => needsApproval({} as never, args as never, undefined),
  })
}

function isReplay(outcome: Outcome): boolean {
  return outcome.status === 'succeeded' && outcome.replayed === true
}

/** Never thrown: the SDK would tell the model to try again. */
function told(outcome: Outcome): unknown {
  return outcome.status === 'failed' ? outcome.message : resultOrSentence(outcome)
}

type ReadArgs =
  | { readonly ok: true; readonly args: JsonObject }
  | { readonly ok: false; readonly problem: string }

/** The arguments as the model wrote them: bytes of our own, so that nothing in them is lost. */
export function argsOf(input: string): ReadArgs {
  try {
    const args = parseStrict(input.trim() === '' ? '{}' : input)
    if (typeof args === 'object' && args !== null && !Array.isArray(args)) {
      return { ok: true, args: args as JsonObject }
    }
    return { ok: false, problem: 'the arguments are not an object' }
  } catch (error) {
    return { ok: false, problem: isCountersignError(error) ? error.message : 'not JSON' }
  }
}

export function callOf(tool: GuardedTool, args: JsonObject, callId: string | undefined): Call {
  const { name, asking, server, isAgent } = tool
  const call: Call = isAgent ? delegation(name, args, undefined) : { tool: name, args }
  return {
    ...call,
    run: asking.run,
    ...(server === undefined ? {} : { server }),
    ...(callId === undefined ? {} : { key: callId }),
  }
}

/** Only a question that is open pauses the run. All else is answered where the call would run. */
async function waits(tool: GuardedTool, input: unknown, callId: string | undefined) {
  try {
    const { gate, definition } = tool
    const call = callOf(tool, input as JsonObject, callId)
    return (await gate.check(call, { definition })).status === 'pending'
  } catch {
    return false
  }
}
