import type { Call } from '../../base/call.ts'
import type { Json, JsonObject } from '../../base/json.ts'
import type { AnyGate, Stands } from '../../gate/any-gate.ts'
import type { ApprovalPredicate } from '../../gate/declarations.ts'
import { resultOrSentence } from '../../gate/guard.ts'
import { type Outcome, refusal } from '../../gate/outcome.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import { type Asking, checkAsking, checkForeign } from '../asking.ts'
import { failureOf } from '../failure.ts'
import { isSentence } from '../is-sentence.ts'
import { type ArgumentSchema, checkerOf, schemaOf } from '../schema.ts'
import { answer } from './answers.ts'
import {
  isWaiting,
  keptPause,
  ownContext,
  readPause,
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
  /** Mastra keeps a function here when it has made the tool ready for an agent. */
  readonly needsApprovalFn?: Needs
  readonly toModelOutput?: (output: unknown) => unknown
  readonly execute?: (input: unknown, context: ToolContext) => unknown
}

type Needs = (input: unknown, context?: unknown) => boolean | PromiseLike<boolean>

const guardedTools = new WeakSet<object>()

/**
 * The same tools, each behind the gate. A call that waits is suspended with Mastra's own `suspend`,
 * and looks at its approval again whenever it is resumed; what it is resumed with decides nothing.
 */
export function guardTools<T extends Readonly<Record<string, object>>>(
  gate: AnyGate,
  tools: T,
  asking: RunAsking = {},
): T {
  checkAsking(gate, { ...asking, run: asking.run ?? 'the run of the agent' })
  const entries = Object.entries(tools).map(([name, tool]) => {
    if (guardedTools.has(tool)) return [name, tool] as const
    return [name, guarded(gate, name, tool as MastraTool, asking)] as const
  })
  return Object.fromEntries(entries) as T
}

/** What the author wrote in Mastra's own words is a declaration like any other. */
function declare(gate: AnyGate, name: string, tool: MastraTool): void {
  const { requireApproval } = tool
  const needs = typeof requireApproval === 'function' ? requireApproval : tool.needsApprovalFn
  if (needs) {
    const approval: ApprovalPredicate = (args) => needs(args)
    gate.declare(name, { approval })
  } else if (requireApproval) gate.declare(name, { approval: true })
}

function definitionOf({ description, inputSchema }: MastraTool): ToolDefinition {
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(inputSchema === undefined ? {} : { inputSchema: schemaOf(inputSchema) as Json }),
  }
}

function guarded(gate: AnyGate, name: string, tool: MastraTool, asking: RunAsking): MastraTool {
  const { inputSchema } = tool
  const { server, mode = 'suspend', waitFor } = asking
  if (!tool.execute) {
    checkForeign(gate, name)
    return tool
  }
  const definition = definitionOf(tool)
  const check = checkerOf(inputSchema)
  if (server === undefined) {
    declare(gate, name, tool)
    gate.tool(name, definition)
  }

  async function guardedExecute(input: unknown, context: ToolContext = {}): Promise<unknown> {
    const { agent, abortSignal: signal } = context
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
    if (pauses) {
      const now = await stands(call, context)
      if (now?.status === 'pending') {
        const args = input as JsonObject
        const waiting: Waiting = { countersign: 'waits', callId, name, args, message: now.message }
        return agent.suspend?.(waiting)
      }
    }
    const own = ownContext(context, isWaiting(agent?.suspendPayload))
    let output: unknown
    async function start(args: JsonObject, { edited }: { readonly edited: boolean }) {
      const given = edited ? await check(args) : args
      output = await tool.execute?.(given, own.context)
      return own.isSuspended() ? keptPause(edited ? args : undefined) : output
    }
    const outcome = await gate.run(
      call,
      { name, definition, run: start },
      pauses ? { signal, wait: false } : { signal, waitFor },
    )
    if (own.isSuspended()) return output
    const inside = outcome.status === 'succeeded' ? readPause(outcome.result) : undefined
    if (!inside) return told(outcome)
    // It was approved and started, and had suspended itself: what it is resumed with is its own.
    return tool.execute?.(inside.args ?? input, own.context)
  }

  /** How the call stands, with what was answered in the application, if that can be found out. */
  async function stands(call: Call, context: ToolContext): Promise<Stands | undefined> {
    if (gate.allows?.(call)) return { status: 'allow' }
    try {
      const now: Stands = await gate.check(call, { definition })
      if (now.status !== 'pending' || !(await answer(context.agent, now))) return now
      return await gate.check(call, { definition })
    } catch {
      // Running it will say what is wrong.
      return undefined
    }
  }

  const wrapped = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, {
    // The gate asks, and Mastra must not ask beside it.
    requireApproval: false,
    needsApprovalFn: undefined,
    execute: guardedExecute,
    toModelOutput: shown(name, tool.toModelOutput),
  }) as MastraTool
  guardedTools.add(wrapped)
  return wrapped
}

/** A stored failure is no error any more: it is told as the sentence it was. */
function told(outcome: Outcome): unknown {
  if (outcome.status !== 'failed') return resultOrSentence(outcome)
  if (outcome.replayed) return outcome.message
  throw failureOf(outcome)
}

type ToModelOutput = NonNullable<MastraTool['toModelOutput']>

/**
 * What the model reads. A sentence is not what the tool gives, so the tool's own way to show its
 * output cannot read it. And where arguments do not fit, Mastra quotes all of them, secrets too.
 */
function shown(name: string, toModelOutput: ToModelOutput | undefined): ToModelOutput {
  return (output) => {
    const reason = misfitOf(output)
    if (reason !== undefined) return asText(refusal('invalid', { tool: name, reason }).message)
    if (isSentence(output)) return asText(output)
    if (toModelOutput) return toModelOutput(output)
    return typeof output === 'string' ? asText(output) : { type: 'json', value: output ?? null }
  }
}

function asText(value: string): object {
  return { type: 'text', value }
}

/** What Mastra gives in place of running a tool; its first complaint, without what it is about. */
function misfitOf(output: unknown): string | undefined {
  const { error, message, validationErrors } = (output ?? {}) as Partial<Misfit>
  if (error !== true || validationErrors === undefined || typeof message !== 'string') {
    return undefined
  }
  return /^- (.*)$/m.exec(message)?.[1] ?? 'the arguments do not fit'
}

interface Misfit {
  readonly error: boolean
  readonly message: string
  readonly validationErrors: unknown
}
