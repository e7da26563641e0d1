import type { BaseTool, Context, RunAsyncToolRequest, ToolProcessLlmRequest } from '@google/adk'
import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { CallDeclaration } from '../../gate/declared/declarations.ts'
import { shownDeclaration } from '../../gate/declared/resolve-declared.ts'
import { delegation } from '../../gate/delegate.ts'
import { internals, type Stands } from '../../gate/internals.ts'
import { blocked } from '../../gate/outcome.ts'
import { NotStarted, type ToolContext, type ToolDefinition } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { checkForeign, parentInput, previewFor } from '../asking.ts'
import { failureOf } from '../failure.ts'
import { pausedRecord, read, wrapped as unmistakable } from '../stored-result.ts'
import { type AdkAsking, hintFor, runOf, type SessionName } from './asking.ts'
import { declaredFor, settingOf } from './declared.ts'
import { inOrder } from './in-order.ts'
import { canPause, keepResult, pauseStep } from './kept-results.ts'
import { answersTool, asksItself, isAnswered, isRequested, wasRequested } from './own-question.ts'
import { responseOf } from './told.ts'
import { definitionOf, isA, problemWith } from './tool-words.ts'

/** A tool behind its gate, and what is needed to look up how one of its calls stands. */
export interface GuardedTool {
  readonly gate: ToolGate
  /** As the policy knows it. */
  readonly name: string
  readonly asking: AdkAsking
  readonly definition: ToolDefinition
  /** The alias of the MCP server it belongs to. */
  readonly server: string | undefined
  /** It hands the work to another agent: asked about as a delegation. */
  readonly isAgent: boolean
  /** Every call asks, whatever the tool itself says. */
  readonly isAlways: boolean
  /** As it was before. */
  readonly tool: BaseTool
}

export interface ToolOrigin {
  /** The alias of the MCP server. */
  readonly server?: string | undefined
  /** Every call asks. */
  readonly isAlways?: boolean
}

const guardedTools = new WeakMap<object, GuardedTool>()

/** Where a wrapped tool came from; undefined for any other. */
export function guardedBehind(tool: object): GuardedTool | undefined {
  return guardedTools.get(tool)
}

/**
 * The same tool, behind the gate. The ADK's pause only carries the question to the code that
 * resumes: whether a call runs is read from the approvals, each time, just before it would.
 */
export function guardTool<T extends BaseTool>(
  gate: ToolGate,
  tool: T,
  asking: AdkAsking,
  { server, isAlways = false }: ToolOrigin = {},
): T {
  const definition = definitionOf(tool)
  if (!definition) {
    // It runs at the provider, or only prepares requests: there is nothing to hold here.
    checkForeign(gate, tool.name)
    return tool
  }
  const { originalName = tool.name } = tool as { readonly originalName?: string }
  const name = server === undefined ? tool.name : originalName
  const isAgent = isA('agentTool', tool)
  const about = { gate, name, asking, definition, server }
  const guarded: GuardedTool = { ...about, isAgent, isAlways, tool }
  if (server === undefined && !isAgent) {
    gate[internals].tool(name, definition, shownDeclaration([isAlways || settingOf(tool)]))
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
      inOrder(request.llmRequest)
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
    const { modelMessage: message } = blocked('invalid_call', { tool: name, reason: problem })
    return keep(guarded, toolContext, args, { error: message })
  }
  // What the conversation said of it. It is not what people decided.
  const { toolConfirmation: said } = toolContext
  let output: unknown
  const start = async (approved: JsonObject, context: ToolContext) => {
    const unfit = context.edited ? await problemWith(tool, approved) : undefined
    if (unfit !== undefined) throw new NotStarted(unfit)
    delete toolContext.toolConfirmation
    if (await gates(tool, approved, toolContext)) {
      // People decided, or the gate found that no approval is needed: the tool must not ask either.
      const { decision } = context
      const attached = decision === undefined ? {} : { payload: decision }
      const hint = hintFor(asking, tool.name, args)
      toolContext.toolConfirmation = { hint, confirmed: true, ...attached }
    } else if (!context.approval && answersTool(said)) toolContext.toolConfirmation = said
    output = await tool.runAsync({ args: approved, toolContext })
    const isOpen = asksItself(toolContext)
    return isOpen ? pausedRecord(context.edited ? approved : undefined) : unmistakable(output)
  }
  const isPausing = mode === 'suspend' && canPause(toolContext)
  const signal = toolContext.abortSignal
  const declared = await saidBy(guarded, args, toolContext)
  const outcome = await gate.run(
    callOf(guarded, args, sessionOf(toolContext), toolContext.functionCallId),
    { name, definition, run: start, ...previewFor(asking, name) },
    isPausing ? { signal, wait: false, declared } : { signal, waitFor, declared },
  )
  if (asksItself(toolContext)) return pauseForTool(toolContext, output)
  if (outcome.status === 'pending' && isPausing && !said) {
    toolContext.requestConfirmation({ hint: hintFor(asking, tool.name, args) })
    toolContext.actions.skipSummarization = true
    await pauseStep(toolContext)
    return { error: outcome.modelMessage }
  }
  if (outcome.status === 'failed') {
    await keep(guarded, toolContext, args, { error: outcome.modelMessage })
    throw failureOf(outcome)
  }
  const before = outcome.status === 'succeeded' ? read(outcome.result) : undefined
  if (outcome.status === 'succeeded' && before?.is === 'paused') {
    // It was approved and started, and asked for something itself: that answer is its own.
    if (!isAnswered(toolContext, said)) {
      const error = `The call to ${name} was started and waits for what its tool asked for. Do not call it again.`
      return keep(guarded, toolContext, args, { error })
    }
    output = await tool.runAsync({ args: before.args ?? args, toolContext })
    if (asksItself(toolContext)) return pauseForTool(toolContext, output)
    return keep(guarded, toolContext, args, output)
  }
  const ended = before?.is === 'result' ? { ...outcome, result: before.result } : outcome
  return keep(guarded, toolContext, args, responseOf(ended as typeof outcome))
}

/** The tool has a question of its own, or wants credentials: the ADK asks for it. */
async function pauseForTool(context: Context, output: unknown): Promise<unknown> {
  if (context.functionCallId && isRequested(context)) await pauseStep(context)
  return output
}

/** Whether the tool's own `requireConfirmation` is about this call. Where it fails, it is. */
async function gates(tool: BaseTool, args: JsonObject, context: Context): Promise<boolean> {
  return (await declaredFor(tool, args, context))?.approval === true
}

/** What code says of this call, with what the ADK itself gives to its author's function. */
async function saidBy(
  { tool, isAlways }: GuardedTool,
  args: JsonObject,
  context: Context | undefined,
): Promise<CallDeclaration | undefined> {
  return isAlways ? { approval: true } : declaredFor(tool, args, context)
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
  const call: Call = isAgent
    ? delegation(name, args, parentInput(asking.parent, session))
    : { tool: name, args }
  return {
    ...call,
    run: runOf(asking, session),
    ...(server === undefined ? {} : { server }),
    ...(id === undefined ? {} : { key: id }),
  }
}

/** How one call stands. Asks about it when there is no question yet. */
export async function stands(
  guarded: GuardedTool,
  args: JsonObject,
  session: SessionName,
  { id, context }: { readonly id: string | undefined; readonly context?: Context | undefined },
): Promise<Stands> {
  const { gate, name, asking, definition } = guarded
  const declared = await saidBy(guarded, args, context)
  return gate.check(callOf(guarded, args, session, id), {
    definition,
    declared,
    ...previewFor(asking, name),
  })
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
  const id = context.functionCallId
  const now = await stands(guarded, args, sessionOf(context), { id, context })
  if (now.status === 'pending') {
    throw new CountersignError('not_approved', now.modelMessage, {
      hint: 'Go on when it is decided: settleSession() says whether it is.',
    })
  }
  // The tool's own question is one, too.
  return now.status !== 'allowed' || wasRequested(context)
}
