import type { ModelMessage, Tool } from 'ai'
import { CountersignError } from '../../base/errors.ts'
import { isCallBlocked } from '../../gate/call-blocked.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { guardTools as guardSdkTools } from '../ai-sdk/guard-tools.ts'
import type { ToolAsking } from '../ai-sdk/guarded-tool.ts'
import { checkAsking } from '../asking.ts'
import type {
  VoltExecute,
  VoltGiven,
  VoltNeedsApproval,
  VoltOptions,
  VoltTool,
  VoltToolkit,
} from './sdk-types.ts'

/** By each guarded tool, the tool of the AI SDK that holds it. VoltAgent's own become such tools, too. */
const held = new WeakMap<object, Tool>()

/** The guarded tool as the AI SDK knows it; undefined for any other. */
export function sdkToolBehind(tool: unknown): Tool | undefined {
  return typeof tool === 'object' && tool !== null ? held.get(tool) : undefined
}

/**
 * The same tools and toolkits, each tool behind the gate. VoltAgent's own pause only carries the
 * question to the code that resumes: whether a call runs is read from the approvals, each time.
 */
export function guardTools<T extends VoltTool | VoltToolkit>(
  gate: ToolGate,
  tools: readonly T[],
  asking: ToolAsking,
): T[] {
  checkAsking(gate, asking)
  return tools.map((one): T => {
    if (isToolkit(one)) return { ...one, tools: guardTools(gate, one.tools as never, asking) }
    if (typeof one?.name !== 'string' || !('parameters' in one)) throw notATool()
    return guarded(gate, one, asking) as T
  })
}

function isToolkit<T extends VoltTool | VoltToolkit>(one: T): one is T & VoltToolkit {
  return 'tools' in one && Array.isArray(one.tools)
}

function notATool(): CountersignError {
  return new CountersignError('usage', 'guardTools takes tools of VoltAgent, and nothing else', {
    hint: 'Pass what createTool, createToolkit or getTools() of MCPConfiguration gave. Tools of a provider run there and cannot be held.',
  })
}

function guarded(gate: ToolGate, tool: VoltTool, asking: ToolAsking): VoltTool {
  const { name } = tool
  // Guarded again it belongs to the new run; where it comes from is said once.
  const own = held.get(tool) ?? asSdkTool(tool)
  const sdkTool = guardSdkTools(gate, { [name]: own }, asking)[name] as Tool
  if (typeof tool.execute !== 'function') return tool
  const made: VoltTool = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, {
    needsApproval: asking.mode === 'block' ? false : pausing(sdkTool),
    execute: (args: unknown, options?: VoltOptions) => runGuarded(name, sdkTool, args, options),
    toModelOutput: sdkTool.toModelOutput,
  })
  held.set(made, sdkTool)
  return made
}

function pausing({ needsApproval }: Tool): VoltNeedsApproval {
  return async (args, { toolCallId, messages = [], experimental_context: context }) => {
    if (typeof needsApproval !== 'function') return false
    // The SDK refuses an answer to a call that needs none by now. Whether it runs is for the gate to say.
    if (isAnswered(messages, toolCallId)) return true
    return needsApproval(args, { toolCallId, messages, context } as never)
  }
}

interface Part {
  readonly type?: unknown
  readonly toolCallId?: unknown
  readonly approvalId?: unknown
}

/** Whether the messages have an answer, of any sender, to a question about this call. */
function isAnswered(messages: readonly unknown[], toolCallId: string): boolean {
  const parts = messages.flatMap((message): Part[] => {
    const { content } = message as { readonly content?: unknown }
    return Array.isArray(content) ? content : []
  })
  const asked = new Set(
    parts.flatMap(({ type, toolCallId: about, approvalId }) =>
      type === 'tool-approval-request' && about === toolCallId ? [approvalId] : [],
    ),
  )
  return parts.some(
    ({ type, approvalId }) => type === 'tool-approval-response' && asked.has(approvalId),
  )
}

/** What VoltAgent gave the tool travels beside what the AI SDK knows. */
interface Travelling {
  readonly abortSignal?: AbortSignal
  readonly volt?: VoltOptions
  readonly thrown?: { error?: unknown }
}

/** A tool of VoltAgent in the words of the AI SDK. */
function asSdkTool(tool: VoltTool): Tool {
  const { description, parameters, needsApproval, toModelOutput } = tool
  const execute = async (args: unknown, { volt, abortSignal, thrown }: Travelling) => {
    const toolContext = { ...volt?.toolContext, ...(abortSignal ? { abortSignal } : {}) }
    try {
      return await (tool.execute as VoltExecute).call(tool, args, { ...volt, toolContext })
    } catch (error) {
      if (thrown) thrown.error = error
      throw error
    }
  }
  return {
    description,
    inputSchema: parameters,
    ...(needsApproval === undefined ? {} : { needsApproval: declared(tool, needsApproval) }),
    ...(typeof toModelOutput === 'function' ? { toModelOutput: toModelOutput.bind(tool) } : {}),
    ...(typeof tool.execute === 'function' ? { execute } : {}),
  } as unknown as Tool
}

/** The author's own setting, given what VoltAgent would give it. */
function declared(tool: VoltTool, setting: unknown): unknown {
  if (typeof setting !== 'function') return setting
  return (args: unknown, { context, ...given }: VoltGiven & { readonly context?: unknown }) =>
    (setting as VoltNeedsApproval).call(tool, args, { ...given, experimental_context: context })
}

async function runGuarded(
  name: string,
  { execute }: Tool,
  args: unknown,
  volt?: VoltOptions,
): Promise<unknown> {
  const { callId: toolCallId, messages = [], abortSignal } = volt?.toolContext ?? {}
  if (toolCallId === undefined) throw toldAs(`The call of ${name} has no id, so it did not run.`)
  const thrown: { error?: unknown } = {}
  const travelling: Travelling = { volt, thrown, ...(abortSignal ? { abortSignal } : {}) }
  try {
    const given = { toolCallId, messages: messages as ModelMessage[], ...travelling }
    return await execute?.(args as never, given as never)
  } catch (error) {
    if (!isCallBlocked(error) && 'error' in thrown && error === thrown.error) throw error
    throw toldAs(error instanceof Error ? error.message : String(error))
  }
}

/**
 * VoltAgent shows the model every member of what is thrown, its cause and its stack: this one has a
 * message and nothing else.
 */
function toldAs(message: string): Error {
  const error = new Error(message)
  Object.defineProperty(error, 'stack', { value: undefined })
  return error
}
