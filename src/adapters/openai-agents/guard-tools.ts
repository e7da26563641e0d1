import type { FunctionTool, RunContext, Tool } from '@openai/agents'
import type { Call } from '../../base/call.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { parseStrict } from '../../base/json/strict-json.ts'
import { MASK } from '../../base/secrets/mask.ts'
import type { CallDeclaration } from '../../gate/declared/declarations.ts'
import { resolveDeclared, shownDeclaration } from '../../gate/declared/resolve-declared.ts'
import { delegation } from '../../gate/delegate.ts'
import { internals, type Stands } from '../../gate/internals.ts'
import { blocked, type Outcome } from '../../gate/outcome.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import {
  type Asking,
  checkAsking,
  checkForeign,
  type ParentInput,
  parentInput,
  previewFor,
} from '../asking.ts'
import { checkEdited } from '../edited-args.ts'
import { resultOrSentence } from '../result-or-sentence.ts'

export interface RunAsking extends Asking {
  /** What the agent that has an agent as a tool was given itself. */
  readonly parent?: ParentInput<RunContext<unknown>>
}

/** What is needed to look up how a call of one tool stands. */
export interface GuardedTool {
  readonly gate: ToolGate
  readonly name: string
  readonly asking: RunAsking
  readonly definition: ToolDefinition
  /** The alias of the MCP server it belongs to. */
  readonly server?: string | undefined
  /** It hands the work to a sub-agent: asked about as a delegation. */
  readonly isAgent: boolean
  /** As it was before; an agent as a tool is changed itself. */
  readonly original: AnyFunctionTool
  /** As the author wrote it. */
  readonly needsApproval: AnyFunctionTool['needsApproval']
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
  gate: ToolGate,
  tools: readonly T[],
  asking: RunAsking,
): T[] {
  checkAsking(gate, asking)
  return tools.map((tool) => {
    const before = guardedTools.get(tool)
    if (before) return guardAgain(before, tool, gate, asking) as unknown as T
    if (tool.type === 'function') {
      return guardFunction(gate, tool as unknown as AnyFunctionTool, asking) as unknown as T
    }
    // Hosted tools run at the provider; shells, patches and computers have no place to wait in.
    checkForeign(gate, tool.name)
    return tool
  })
}

/** It belongs to the new run: on the old one it would run on another conversation's yes. */
function guardAgain(before: GuardedTool, tool: object, gate: ToolGate, asking: RunAsking): object {
  if (!before.isAgent) return guardFunction(gate, before.original, asking, before.server)
  const { run } = before.asking
  const isSame = before.gate === gate && sameAsking(before.asking, asking)
  if (isSame) return tool
  throw new CountersignError(
    'usage',
    `the agent tool ${before.name} is guarded for the run ${run}`,
    {
      hint: 'The SDK knows it by its object, which serves one run: call asTool() for each.',
    },
  )
}

function sameAsking(one: RunAsking, other: RunAsking): boolean {
  const { mode = 'suspend', waitFor, run, parent } = one
  const isPatient = mode === (other.mode ?? 'suspend') && waitFor === other.waitFor
  return run === other.run && isPatient && parent === other.parent
}

// The SDK's own `any`s: a tool for every context, with whatever arguments and results.
export type AnyFunctionTool = FunctionTool<unknown, undefined, unknown>

type Details = Parameters<AnyFunctionTool['invoke']>[2]

export function guardFunction(
  gate: ToolGate,
  tool: AnyFunctionTool,
  asking: RunAsking,
  server?: string,
): AnyFunctionTool {
  const { name, description, parameters, invoke, needsApproval } = tool
  const definition: ToolDefinition = { description, inputSchema: parameters as unknown as Json }
  // Only `asTool` makes tools that one can listen to.
  const isAgent = 'on' in tool && typeof tool.on === 'function'
  const author = { original: tool, needsApproval }
  const guarded: GuardedTool = { gate, name, asking, definition, server, isAgent, ...author }
  if (server === undefined && !isAgent) {
    gate[internals].tool(name, definition, shownDeclaration([needsApproval]))
  }
  const { mode = 'suspend', waitFor } = asking

  async function guardedInvoke(context: RunContext<unknown>, input: string, details?: Details) {
    const read = argsOf(input)
    if (!read.ok) return blocked('invalid_call', { tool: name, reason: read.problem }).modelMessage
    const start = async (args: JsonObject, { edited }: { readonly edited: boolean }) => {
      if (!edited) return invoke(context, input, details)
      await checkEdited(definition, args)
      return invoke(context, JSON.stringify(args), details)
    }
    const signal = details?.signal
    const callId = details?.toolCall?.callId
    const declared = await declaredFor(guarded, context, read.args, callId)
    const outcome = await gate.run(
      callOf(guarded, read.args, callId, context),
      { name, definition, run: start, ...previewFor(asking, name) },
      mode === 'block' ? { signal, waitFor, declared } : { signal, wait: false, declared },
    )
    // It was handed over before, and paused inside: what it called there has approvals of its own.
    if (!isAgent || details?.resumeState === undefined || !isReplay(outcome)) return told(outcome)
    const approved = approvedInput(outcome, input)
    return approved === undefined ? told(outcome) : invoke(context, approved, details)
  }

  const changes: Pick<AnyFunctionTool, 'invoke' | 'needsApproval'> = {
    invoke: guardedInvoke,
    needsApproval: async (context, input, callId) =>
      mode === 'suspend' && waits(guarded, context, input, callId),
  }
  // The SDK knows the agent behind such a tool by the object itself, so that one is changed.
  const wrapped = isAgent ? Object.assign(tool, changes) : { ...tool, ...changes }
  guardedTools.set(wrapped, guarded)
  return wrapped
}

/**
 * What the author wrote in the SDK's own words is a declaration of this tool alone, asked with the
 * run's real context. The SDK does not tell a `false` from nothing written at all, so a no leaves it
 * to the files.
 */
function declaredFor(
  { original, needsApproval }: GuardedTool,
  context: RunContext<unknown> | undefined,
  args: JsonObject,
  callId: string | undefined,
): Promise<CallDeclaration | undefined> {
  const needs = needsApproval.bind(original)
  // Without a context it is unknown what it would say: then it counts as a yes.
  const ask = context ? () => needs(context, structuredClone(args) as never, callId) : () => true
  return resolveDeclared(needs, { args, ask, otherwise: 'files' })
}

/** What the sub-agent goes on with. Undefined where a person changed it and not all of it is known. */
function approvedInput(outcome: Outcome, input: string): string | undefined {
  if (outcome.status !== 'succeeded' || outcome.modelMessage === undefined) return input
  const args = JSON.stringify(outcome.edited?.args ?? MASK)
  return args.includes(MASK) ? undefined : args
}

function isReplay(outcome: Outcome): boolean {
  return outcome.status === 'succeeded' && outcome.replayed === true
}

/** Never thrown: the SDK would tell the model to try again. */
function told(outcome: Outcome): unknown {
  return outcome.status === 'failed' ? outcome.modelMessage : resultOrSentence(outcome)
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

export function callOf(
  tool: GuardedTool,
  args: JsonObject,
  callId: string | undefined,
  context: RunContext<unknown> | undefined,
): Call {
  const { name, asking, server, isAgent } = tool
  const { parent, run } = asking
  const given = context || typeof parent !== 'function' ? parent : undefined
  const call: Call = isAgent
    ? delegation(name, args, parentInput(given, context as RunContext<unknown>))
    : { tool: name, args }
  return {
    ...call,
    run,
    ...(server === undefined ? {} : { server }),
    ...(callId === undefined ? {} : { key: callId }),
  }
}

/** How a call stands, for a run with this context. Asks about it when there is no question yet. */
export async function standsNow(
  tool: GuardedTool,
  args: JsonObject,
  callId: string | undefined,
  context: RunContext<unknown> | undefined,
): Promise<Stands> {
  const { gate, name, asking, definition } = tool
  const declared = await declaredFor(tool, context, args, callId)
  return gate.check(callOf(tool, args, callId, context), {
    definition,
    declared,
    ...previewFor(asking, name),
  })
}

/** Only a question that is open pauses the run. All else is answered where the call would run. */
async function waits(
  tool: GuardedTool,
  context: RunContext<unknown>,
  input: unknown,
  callId: string | undefined,
) {
  try {
    return (await standsNow(tool, input as JsonObject, callId, context)).status === 'pending'
  } catch {
    return false
  }
}
