import type { BaseTool, Context, RunAsyncToolRequest, ToolProcessLlmRequest } from '@google/adk'
import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json.ts'
import type { AnyGate, Stands } from '../../gate/any-gate.ts'
import { delegation } from '../../gate/delegate.ts'
import { refusal } from '../../gate/outcome.ts'
import type { ToolContext, ToolDefinition } from '../../gate/tool.ts'
import { checkForeign } from '../asking.ts'
import { failureOf } from '../failure.ts'
import { type AdkAsking, hintFor, runOf, type SessionName } from './asking.ts'
import { declareTool } from './declared.ts'
import { canPause, keepResult, pauseStep } from './kept-results.ts'
import { responseOf } from './told.ts'
import { definitionOf, isA, problemWith } from './tool-words.ts'

/** A tool behind its gate, and what is needed to look up how one of its calls stands. */
export interface GuardedTool {
  readonly gate: AnyGate
  /** As the policy knows it. */
  readonly name: string
  readonly asking: AdkAsking
  readonly definition: ToolDefinition
  /** The alias of the MCP server it belongs to. */
  readonly server: string | undefined
  /** It hands the work to another agent: asked about as a delegation. */
  readonly isAgent: boolean
  /** As it was before. */
  readonly tool: BaseTool
}

const guardedTools = new WeakMap<object, GuardedTool>()

/** Where a wrapped tool came from; undefined for any other. */
export function guardedBehind(tool: object): GuardedTool | undefined {
  return guardedTools.get(tool)
}

/**
 * The same tool, behind the gate. The ADK's pause only carries the question to whoever resumes:
 * whether a call runs is read from the approvals, each time, just before it would.
 */
export function guardTool<T extends BaseTool>(
  gate: AnyGate,
  tool: T,
  asking: AdkAsking,
  server?: string,
): T {
  if (guardedTools.has(tool)) return tool
  const definition = definitionOf(tool)
  if (!definition) {
    // It runs at the provider, or only prepares requests: there is nothing to hold here.
    checkForeign(gate, tool.name)
    return tool
  }
  const { originalName = tool.name } = tool as { readonly originalName?: string }
  const name = server === undefined ? tool.name : originalName
  const isAgent = isA('agentTool', tool)
  const guarded: GuardedTool = { gate, name, asking, definition, server, isAgent, tool }
  if (server === undefined && !isAgent) {
    declareTool(gate, name, tool)
    gate.tool(name, definition)
  }
  const changes = {
    runAsync: (request: RunAsyncToolRequest) => runGuarded(guarded, request),
    checkRequireConfirmation: (args: Record<string, unknown>, context?: Context) =>
      isAskedAbout(guarded, args as JsonObject, context),
    async processLlmRequest(request: ToolProcessLlmRequest) {
      const { toolsDict } = request.llmRequest
      // The SDK looks names up in it that a model chose; nothing inherited is a tool.
      Object.setPrototypeOf(toolsDict, null)
      await tool.processLlmRequest(request)
      for (const [key, one] of Object.entries(toolsDict)) {
        if (one === tool) toolsDict[key] = wrapped
      }
    },
  }
  const wrapped = over<BaseTool>(tool, changes) as T
  guardedTools.set(wrapped, guarded)
  return wrapped
}

/** The object with some members of it replaced; all others still work on the object itself. */
export function over<T extends object>(target: T, changes: Partial<T>): T {
  return new Proxy(target, {
    get(_, key) {
      if (Object.hasOwn(changes, key)) return changes[key as keyof T]
      const member: unknown = Reflect.get(target, key)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

async function runGuarded(
  guarded: GuardedTool,
  { args: given, toolContext }: RunAsyncToolRequest,
): Promise<unknown> {
  const { gate, name, asking, definition, tool } = guarded
  const { mode = 'suspend', waitFor } = asking
  const args = given as JsonObject
  const problem = await problemWith(tool, args)
  if (problem !== undefined) {
    const { message } = refusal('invalid', { tool: name, reason: problem })
    return keep(guarded, toolContext, args, { error: message })
  }
  const start = async (approved: JsonObject, context: ToolContext) => {
    // What the conversation said of it is not what people decided.
    delete toolContext.toolConfirmation
    // Without an approval the gate found that nobody need be asked: then the tool must not either.
    if (context.approval || (await tool.checkRequireConfirmation({ ...approved }))) {
      const { decision } = context
      const attached = decision === undefined ? {} : { payload: decision }
      const hint = hintFor(asking, tool.name, args)
      toolContext.toolConfirmation = { hint, confirmed: true, ...attached }
    }
    return tool.runAsync({ args: approved, toolContext })
  }
  const isPausing = mode === 'suspend' && canPause(toolContext)
  const signal = toolContext.abortSignal
  const outcome = await gate.run(
    callOf(guarded, args, sessionOf(toolContext), toolContext.functionCallId),
    { name, definition, run: start },
    isPausing ? { signal, wait: false } : { signal, waitFor },
  )
  if (outcome.status === 'pending' && isPausing && !toolContext.toolConfirmation) {
    toolContext.requestConfirmation({ hint: hintFor(asking, tool.name, args) })
    toolContext.actions.skipSummarization = true
    await pauseStep(toolContext)
    return { error: outcome.message }
  }
  if (outcome.status === 'failed') {
    await keep(guarded, toolContext, args, { error: outcome.message })
    throw failureOf(outcome)
  }
  return keep(guarded, toolContext, args, responseOf(outcome))
}

async function keep(
  { tool }: GuardedTool,
  context: Context,
  args: JsonObject,
  response: unknown,
): Promise<unknown> {
  await keepResult({ tool, args, context, response })
  return response
}

export function sessionOf({ invocationContext }: Context): SessionName {
  const { appName, userId, id: sessionId } = invocationContext.session
  return { appName, userId, sessionId }
}

function callOf(
  { name, asking, server, isAgent }: GuardedTool,
  args: JsonObject,
  session: SessionName,
  id: string | undefined,
): Call {
  const call: Call = isAgent ? delegation(name, args, undefined) : { tool: name, args }
  return {
    ...call,
    run: runOf(asking, session),
    ...(server === undefined ? {} : { server }),
    ...(id === undefined ? {} : { key: id }),
  }
}

/** How one call stands. Asks about it when nobody has yet. */
export function stands(
  guarded: GuardedTool,
  args: JsonObject,
  session: SessionName,
  id: string | undefined,
): Promise<Stands> {
  const { gate, definition } = guarded
  return gate.check(callOf(guarded, args, session, id), { definition })
}

/**
 * Whether an answer can be about this call. The ADK asks just before it goes on with it: an answer
 * that came before people have decided ends here, so that the call can still be answered later.
 */
async function isAskedAbout(
  guarded: GuardedTool,
  args: JsonObject,
  context: Context | undefined,
): Promise<boolean> {
  if (!context) return guarded.tool.checkRequireConfirmation(args)
  const now = await stands(guarded, args, sessionOf(context), context.functionCallId)
  if (now.status === 'pending') {
    throw new CountersignError('not_approved', now.message, {
      hint: 'Go on when it is decided: settleSession() says whether it is.',
    })
  }
  return now.status !== 'allow'
}
