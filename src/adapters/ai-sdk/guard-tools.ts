import type { Tool, ToolSet } from 'ai'
import type { Call } from '../../base/call.ts'
import type { JsonObject } from '../../base/json.ts'
import type { AnyGate } from '../../gate/any-gate.ts'
import type { ApprovalPredicate } from '../../gate/declarations.ts'
import { resultOrSentence } from '../../gate/guard.ts'
import type { ToolDefinition } from '../../gate/tool.ts'
import { type Asking, checkAsking, checkForeign } from '../asking.ts'
import { failureOf } from '../failure.ts'
import { isSentence } from '../is-sentence.ts'
import { definitionOf, fitting, lastOf } from './tool-words.ts'

/** A tool behind its gate, and what is needed to look up how one of its calls stands. */
export interface GuardedTool {
  readonly gate: AnyGate
  readonly name: string
  readonly asking: Asking
  readonly definition: () => ToolDefinition | Promise<ToolDefinition>
}

const guardedTools = new WeakMap<object, GuardedTool>()

/** Where a wrapped tool came from; undefined for any other. */
export function guardedBehind(tool: unknown): GuardedTool | undefined {
  return typeof tool === 'object' && tool !== null ? guardedTools.get(tool) : undefined
}

/**
 * The same tools, each behind the gate. The SDK's own pause only carries the question to whoever
 * resumes: whether a call runs is read from the approvals, each time, just before it would.
 */
export function guardTools<TOOLS extends ToolSet>(
  gate: AnyGate,
  tools: TOOLS,
  asking: Asking,
): TOOLS {
  checkAsking(gate, asking)
  const entries = Object.entries(tools).map(([name, tool]) => {
    if (guardedTools.has(tool)) return [name, tool] as const
    declare(gate, name, tool as Tool)
    return [name, guarded(gate, name, tool as Tool, asking)] as const
  })
  // The SDK looks names up as own properties; a model may call one of them `__proto__`.
  return Object.fromEntries(entries) as TOOLS
}

/** What the author of the tool wrote in the SDK's own words is a declaration like any other. */
function declare(gate: AnyGate, name: string, { needsApproval }: Tool): void {
  if (needsApproval === undefined) return
  if (typeof needsApproval === 'boolean') gate.declare(name, { approval: needsApproval })
  else {
    const options = { toolCallId: '', messages: [], context: undefined as never }
    const approval: ApprovalPredicate = (args) => needsApproval(args as never, options)
    gate.declare(name, { approval })
  }
}

function guarded(gate: AnyGate, name: string, tool: Tool, asking: Asking): Tool {
  const { execute } = tool
  const { mode = 'suspend', waitFor, run } = asking
  if (!execute) {
    checkForeign(gate, name)
    return tool
  }
  const definition = () => definitionOf(tool)
  const known = definition()
  if (!(known instanceof Promise)) gate.tool(name, known)

  type Options = Parameters<typeof execute>[1]

  async function guardedExecute(input: unknown, options: Options): Promise<unknown> {
    const now = definition()
    const start = async (
      args: JsonObject,
      { edited, signal }: { edited: boolean; signal?: AbortSignal | undefined },
    ) => {
      const given = edited ? await fitting(tool, name, args) : args
      return lastOf(
        await execute?.(
          given as never,
          { ...options, abortSignal: signal ?? options.abortSignal } as Options,
        ),
      )
    }
    const call = { tool: name, args: input as JsonObject, run, key: options.toolCallId }
    const outcome = await gate.run(
      call,
      { name, definition: now instanceof Promise ? await now : now, run: start },
      mode === 'block'
        ? { signal: options.abortSignal, waitFor }
        : { signal: options.abortSignal, wait: false },
    )
    if (outcome.status === 'failed') throw failureOf(outcome)
    return resultOrSentence(outcome)
  }

  const wrapped = {
    ...tool,
    needsApproval:
      mode === 'block'
        ? false
        : (input: unknown, { toolCallId }: { readonly toolCallId: string }) =>
            waits({ gate, name, asking, definition }, input, toolCallId),
    execute: guardedExecute,
    ...(tool.toModelOutput ? { toModelOutput: toldOr(tool.toModelOutput) } : {}),
  } as Tool
  guardedTools.set(wrapped, { gate, name, asking, definition })
  return wrapped
}

type ToModelOutput = NonNullable<Tool['toModelOutput']>

/** A sentence is not what the tool gives, so the tool's own way to show its output cannot read it. */
function toldOr(toModelOutput: ToModelOutput): ToModelOutput {
  return (options) =>
    isSentence(options.output) ? { type: 'text', value: options.output } : toModelOutput(options)
}

function callOf({ name, asking }: GuardedTool, input: unknown, toolCallId: string): Call {
  return { tool: name, args: input as JsonObject, run: asking.run, key: toolCallId }
}

/** How one call stands. Asks about it when nobody has yet. */
export async function stands(tool: GuardedTool, input: unknown, toolCallId: string) {
  const { gate, definition } = tool
  return gate.check(callOf(tool, input, toolCallId), { definition: await definition() })
}

/** Only a question that is open pauses the run. All else is answered where the call would run. */
async function waits(tool: GuardedTool, input: unknown, toolCallId: string): Promise<boolean> {
  if (tool.gate.allows?.(callOf(tool, input, toolCallId))) return false
  try {
    return (await stands(tool, input, toolCallId)).status === 'pending'
  } catch {
    return false
  }
}
