import type { Call } from '../../base/call.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { CallDeclaration } from '../../gate/declared/declarations.ts'
import { resolveDeclared, shownDeclaration } from '../../gate/declared/resolve-declared.ts'
import { internals, type Stands } from '../../gate/internals.ts'
import type { Outcome } from '../../gate/outcome.ts'
import { type ArgumentSchema, checkerOf, schemaOf } from '../../gate/schema/argument-schema.ts'
import { NotStarted, type ToolDefinition } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { type Asking, checkAsking, checkForeign, checkOrigin, previewFor } from '../asking.ts'
import { failureOf } from '../failure.ts'
import { resultOrSentence } from '../result-or-sentence.ts'
import { pausedRecord, read, told, wrapped } from '../stored-result.ts'
import { answer } from './answers.ts'
import { isMisfit, modelOutput, type ToModelOutput } from './model-output.ts'
import {
  isResumedItself,
  isWaiting,
  isWokenInVain,
  ownContext,
  type ToolContext,
  type Waiting,
} from './pause.ts'

export interface RunAsking extends Omit<Asking, 'run'> {
  /** The `runId` of the agent's run, unless set: it stays the same when the run goes on. */
  readonly run?: string
  /** The alias of the MCP server that the tools come from. */
  readonly server?: string
}

/** As much of Mastra's tools as is looked at. */
interface MastraTool {
  readonly description?: string
  readonly inputSchema?: ArgumentSchema
  readonly requireApproval?: boolean | Needs
  /** Tools of the AI SDK have it here. */
  readonly needsApproval?: boolean | Needs
  /** Mastra keeps a function here when it has made the tool ready for an agent. */
  readonly needsApprovalFn?: Needs
  readonly toModelOutput?: ToModelOutput
  readonly execute?: (input: unknown, context: ToolContext) => unknown
}

type Needs = (input: unknown, context?: unknown) => boolean | PromiseLike<boolean>

/** By each guarded tool, the one it was made of, and the server that one comes from. */
const originals = new WeakMap<object, { tool: MastraTool; server: string | undefined }>()

/**
 * The same tools, each behind the gate. A call that waits is suspended with Mastra's own `suspend`,
 * and looks at its approval again whenever it is resumed; what it is resumed with decides nothing.
 */
export function guardTools<T extends Readonly<Record<string, object>>>(
  gate: ToolGate,
  tools: T,
  asking: RunAsking = {},
): T {
  checkAsking(gate, { ...asking, run: asking.run ?? 'the run of the agent' })
  const entries = Object.entries(tools).map(([name, tool]) => {
    // Guarded again it belongs to the new run: on the old one it would run on another one's yes.
    const before = originals.get(tool)
    if (before) checkOrigin(name, before.server, asking.server)
    const { tool: original, server } = before ?? { tool: tool as MastraTool }
    return [name, guarded(gate, name, original, askedAgain(server, asking))] as const
  })
  return Object.fromEntries(entries) as T
}

/** Where a tool comes from is said once: without it the rules of its server would not reach it. */
function askedAgain(before: string | undefined, asking: RunAsking): RunAsking {
  const server = asking.server ?? before
  return server === undefined ? asking : { ...asking, server }
}

/** What the author wrote in Mastra's own words, wherever Mastra reads it. */
function settingsOf({ requireApproval, needsApproval, needsApprovalFn }: MastraTool): unknown[] {
  // It does not tell a `false` from nothing written at all, so that leaves it to the files.
  return [requireApproval, needsApproval, needsApprovalFn].filter(Boolean)
}

/** Asked with what Mastra itself would give. Of several the strictest counts. */
async function declaredFor(
  settings: readonly unknown[],
  args: unknown,
  { requestContext, workspace }: ToolContext,
): Promise<CallDeclaration | undefined> {
  const entries = requestContext && Object.fromEntries(requestContext.entries())
  const all = settings.map((setting) => {
    const given = { args: structuredClone(args), requestContext: entries, workspace }
    const ask = entries && (() => (setting as Needs)(given.args, given))
    return resolveDeclared(setting, { args, ask })
  })
  const declared = await Promise.all(all)
  return declared.find((one) => one?.approval === true) ?? declared[0]
}

function definitionOf({ description, inputSchema }: MastraTool): ToolDefinition {
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(inputSchema === undefined ? {} : { inputSchema: schemaOf(inputSchema) as Json }),
  }
}

function guarded(gate: ToolGate, name: string, tool: MastraTool, asking: RunAsking): MastraTool {
  const { inputSchema } = tool
  const { server, mode = 'suspend', waitFor } = asking
  if (!tool.execute) {
    checkForeign(gate, name)
    return tool
  }
  const definition = definitionOf(tool)
  const check = checkerOf(inputSchema)
  const hasOwnWords = tool.toModelOutput !== undefined
  const settings = settingsOf(tool)
  if (server === undefined) gate[internals].tool(name, definition, shownDeclaration(settings))

  async function guardedExecute(input: unknown, context: ToolContext = {}): Promise<unknown> {
    const { agent, abortSignal: signal } = context
    // The tool's own question stays open: what wakes ours up is no answer to it.
    if (isWokenInVain(context)) return agent?.suspend?.(agent.suspendPayload)
    const callId = agent?.toolCallId ?? context.toolCallId
    const run = asking.run ?? context.runId
    const call = {
      tool: name,
      args: input as JsonObject,
      ...(server === undefined ? {} : { server }),
      ...(run === undefined ? {} : { run }),
      ...(callId === undefined ? {} : { key: callId }),
    } as Call
    // Without a name that it keeps, a suspended call could not be found again.
    const canPause = agent?.suspend !== undefined && call.run !== undefined && callId !== undefined
    const pauses = mode === 'suspend' && canPause
    const declared = await declaredFor(settings, input, context)
    if (pauses) {
      const now = await stands(call, context, declared)
      if (now?.status === 'pending') {
        const args = input as JsonObject
        const waiting: Waiting = {
          countersign: 'waits',
          callId,
          name,
          args,
          message: now.modelMessage,
        }
        return agent.suspend?.(waiting)
      }
    }
    const own = ownContext(context, isWaiting(agent?.suspendPayload, callId))
    let output: unknown
    async function start(args: JsonObject, { edited }: { readonly edited: boolean }) {
      const given = edited ? await fitting(args) : args
      output = await tool.execute?.(given, own.context)
      return own.isSuspended() ? pausedRecord(edited ? args : undefined) : wrapped(output, isMisfit)
    }
    const outcome = await gate.run(
      call,
      { name, definition, run: start, ...previewFor(asking, name) },
      pauses ? { signal, wait: false, declared } : { signal, waitFor, declared },
    )
    if (own.isSuspended()) return output
    const before = outcome.status === 'succeeded' && outcome.replayed && read(outcome.result)
    if (before && before.is === 'paused') {
      // It was approved and started, and had suspended itself: what it is resumed with is its own.
      if (isResumedItself(context)) return tool.execute?.(before.args ?? input, own.context)
      return say(
        `The call to ${name} was started and has suspended itself. Do not call it again; it goes on when it is resumed.`,
      )
    }
    return ended(outcome)
  }

  /** A stored failure is no error any more: it is told as the sentence it was. */
  function ended(outcome: Outcome): unknown {
    if (outcome.status === 'failed' && !outcome.replayed) throw failureOf(outcome)
    if (outcome.status !== 'succeeded') return say(outcome.modelMessage)
    const { modelMessage: message, result } = outcome
    if (message === undefined) return result
    const found = read(result)
    const plain = found.is === 'result' ? found.result : undefined
    if (hasOwnWords) return plain === undefined ? told(message) : told(message, plain)
    return resultOrSentence({ ...outcome, result: plain })
  }

  /** A tool that shows its output in its own way must not be shown a sentence. */
  function say(message: string): unknown {
    return hasOwnWords ? told(message) : message
  }

  /** Changed arguments that do not fit never reach the tool, and the record says so. */
  async function fitting(args: JsonObject): Promise<JsonObject> {
    try {
      return await check(args)
    } catch (error) {
      throw new NotStarted(error instanceof Error ? error.message : 'the arguments do not fit')
    }
  }

  /** How the call stands, with what was answered in the application, if that can be found out. */
  async function stands(
    call: Call,
    context: ToolContext,
    declared: CallDeclaration | undefined,
  ): Promise<Stands | undefined> {
    if (gate[internals].allows?.(call, { declared })) return { status: 'allowed' }
    const asked = { definition, declared, ...previewFor(asking, name) }
    try {
      const now: Stands = await gate.check(call, asked)
      if (now.status !== 'pending' || !(await answer(context.agent, now))) return now
      return await gate.check(call, asked)
    } catch {
      // Running it will say what is wrong.
      return undefined
    }
  }

  const made = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, {
    // The gate asks, and Mastra must not ask beside it.
    requireApproval: false,
    needsApprovalFn: undefined,
    ...(tool.needsApproval === undefined ? {} : { needsApproval: false }),
    execute: guardedExecute,
    toModelOutput: modelOutput(name, tool.toModelOutput),
  }) as MastraTool
  originals.set(made, { tool, server })
  return made
}
