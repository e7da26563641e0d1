import { ToolMessage } from '@langchain/core/messages'
import { CountersignError } from '../../base/errors.ts'
import type { JsonObject } from '../../base/json/json.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { checkForeign, checkOrigin } from '../asking.ts'
import { guardCall } from './guard-call.ts'
import {
  checkThreadAsking,
  type GuardedTool,
  guardedTool,
  isRunnable,
  type ModelCall,
  type NodeConfig,
  nameOf,
  register,
  type SomeTool,
  type ThreadAsking,
} from './guarded-tool.ts'
import { createKnownTools, type KnownTools, knownAt } from './known-tools.ts'

interface Wrapped {
  readonly guarded: GuardedTool
  /** The tool itself. */
  readonly tool: SomeTool
}

const wrappedTools = new WeakMap<object, Wrapped>()

/** What a guarded tool is guarded with; undefined for any other. */
export function guardedBehind(tool: object): GuardedTool | undefined {
  return wrappedTools.get(tool)?.guarded
}

/**
 * The same tools, each behind the gate: for a `ToolNode`, or any node that invokes them. What an
 * interrupt is resumed with runs nothing; each call looks for its own approval.
 */
export function guardTools<T extends object>(
  gate: ToolGate,
  tools: readonly T[],
  asking: ThreadAsking = {},
): T[] {
  checkThreadAsking(gate, asking)
  const siblings = createKnownTools()
  return tools.map((given) => {
    const before = wrappedTools.get(given)
    const tool = before?.tool ?? given
    if (!isRunnable(tool)) {
      checkForeign(gate, nameOf(tool))
      return given
    }
    const asked = before ? askedAgain(gate, before.guarded, asking) : asking
    const guarded = guardedTool(gate, tool.name, tool, asked)
    register(guarded)
    siblings.remember(guarded)
    knownAt(gate).remember(guarded)
    return wrap(guarded, tool, siblings) as T & SomeTool
  })
}

/** Guarded again, a tool belongs to the new run, and keeps what else was said of it. */
function askedAgain(gate: ToolGate, before: GuardedTool, asking: ThreadAsking): ThreadAsking {
  if (before.gate !== gate) {
    throw new CountersignError('usage', `${before.name} is guarded by another gate already`, {
      hint: 'Guard the tool itself: two gates would not know of each other’s answers.',
    })
  }
  const { run: _, ...kept } = before.asking
  checkOrigin(before.name, kept.server, asking.server)
  const server = asking.server ?? kept.server
  // An agent stays one: as a plain tool the rules about handing work to it would not reach it.
  const agents = [...(kept.agents ?? []), ...(asking.agents ?? [])]
  return { ...kept, ...asking, agents, ...(server === undefined ? {} : { server }) }
}

interface ToolCall extends ModelCall {
  readonly type: 'tool_call'
}

function wrap(guarded: GuardedTool, tool: SomeTool, siblings: KnownTools): SomeTool {
  const { gate, name } = guarded
  const guarding = (other: ModelCall) =>
    other.name === name ? guarded : (siblings.named(other.name) ?? knownAt(gate).named(other.name))

  async function invoke(input: unknown, given: unknown = {}): Promise<unknown> {
    const config = given as NodeConfig
    const toolCall = isToolCall(input) ? input : undefined
    const call = { id: toolCall?.id, name, args: argsOf(toolCall ? toolCall.args : input) }
    const next = (args: JsonObject) => tool.invoke(toolCall ? { ...toolCall, args } : args, config)
    const passed = await guardCall({ tool: guarded, call, config, guarding, next })
    if ('output' in passed) return passed.output
    // No approval was needed, so the code that runs the tool deals with its failures as ever.
    if ('error' in passed && passed.isAllowed) throw passed.error
    return toolCall ? refusedMessage(call, passed.told) : passed.told
  }

  // The tool itself with another `invoke`: models, nodes and tracers look at what kind it is.
  const own = { value: invoke, writable: true, configurable: true }
  const wrapped = Object.create(tool, { invoke: own, call: own }) as SomeTool
  wrappedTools.set(wrapped, { guarded, tool })
  return wrapped
}

function isToolCall(input: unknown): input is ToolCall {
  return (input as Partial<ToolCall> | null | undefined)?.type === 'tool_call'
}

/** Tools of one text take it bare, or as `input`. */
function argsOf(given: unknown): unknown {
  return typeof given === 'string' || given === undefined ? { input: given ?? '' } : given
}

export function refusedMessage({ id = '', name }: ModelCall, told: string): ToolMessage {
  return new ToolMessage({ content: told, tool_call_id: id, name, status: 'error' })
}
