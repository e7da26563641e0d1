import { ToolMessage } from '@langchain/core/messages'
import type { JsonObject } from '../../base/json.ts'
import type { AnyGate } from '../../gate/any-gate.ts'
import { checkForeign } from '../asking.ts'
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
import { guardedAt, remember } from './known-tools.ts'

const wrappedTools = new WeakSet<object>()

export function isGuarded(tool: object): boolean {
  return wrappedTools.has(tool)
}

/**
 * The same tools, each behind the gate: for a `ToolNode`, or any node that invokes them. What an
 * interrupt is resumed with runs nothing; each call looks for its own approval.
 */
export function guardTools<T extends object>(
  gate: AnyGate,
  tools: readonly T[],
  asking: ThreadAsking = {},
): T[] {
  checkThreadAsking(gate, asking)
  return tools.map((tool) => {
    if (isGuarded(tool)) return tool
    if (!isRunnable(tool)) {
      checkForeign(gate, nameOf(tool))
      return tool
    }
    const guarded = guardedTool(gate, tool.name, tool, asking)
    register(guarded)
    remember(guarded)
    return wrap(guarded, tool) as T & SomeTool
  })
}

interface ToolCall extends ModelCall {
  readonly type: 'tool_call'
}

function wrap(guarded: GuardedTool, tool: SomeTool): SomeTool {
  const { gate, name } = guarded
  const guarding = (other: string) => (other === name ? guarded : guardedAt(gate, other))

  async function invoke(input: unknown, given: unknown = {}): Promise<unknown> {
    const config = given as NodeConfig
    const toolCall = isToolCall(input) ? input : undefined
    const call = { id: toolCall?.id, name, args: argsOf(toolCall ? toolCall.args : input) }
    const next = (args: JsonObject) => tool.invoke(toolCall ? { ...toolCall, args } : args, config)
    const passed = await guardCall({ tool: guarded, call, config, guarding, next })
    if ('output' in passed) return passed.output
    // Nobody was asked, so whoever runs the tool deals with its failures as ever.
    if ('error' in passed && passed.isAllowed) throw passed.error
    return toolCall ? refusedMessage(call, passed.told) : passed.told
  }

  // The tool itself with another `invoke`: models, nodes and tracers look at what kind it is.
  const own = { value: invoke, writable: true, configurable: true }
  const wrapped = Object.create(tool, { invoke: own, call: own }) as SomeTool
  wrappedTools.add(wrapped)
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
