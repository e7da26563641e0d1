import type { BaseTool, BaseToolset, ReadonlyContext } from '@google/adk'
import { CountersignError } from '../../base/errors.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { type AdkAsking, checkAdkAsking } from './asking.ts'
import { over, type ToolOrigin } from './guard-tool.ts'

export interface ToolsetAsking extends AdkAsking {
  /** The alias under which the policy knows the MCP server. Its rules then decide. */
  readonly server?: string
  /** Which of its tools ask before every call: those named, or all, also those it has later. */
  readonly confirm?: 'none' | 'all' | readonly string[]
}

interface GuardedToolset {
  readonly toolset: BaseToolset
  readonly server: string | undefined
  readonly confirm: NonNullable<ToolsetAsking['confirm']>
}

const guardedToolsets = new WeakMap<object, GuardedToolset>()

/** Each tool that is found goes through `guard`, with where it comes from. */
export function guardFound<T extends BaseToolset>(
  gate: ToolGate,
  toolset: T,
  asking: ToolsetAsking,
  guard: (tool: BaseTool, origin: ToolOrigin) => BaseTool,
): T {
  checkAdkAsking(gate, asking)
  const { server, confirm = 'none' } = asking
  if (server !== undefined && confirm !== 'none') {
    throw new CountersignError('usage', `both the policy of ${server} and confirm would decide`, {
      hint: 'Write what asks into mcp_servers of the policy, or leave server out.',
    })
  }
  const before = guardedToolsets.get(toolset)
  if (before) {
    // It belongs to the new run, and asks about the same as before.
    const { toolset: original, ...said } = before
    if (server === undefined && confirm === 'none') {
      return guardFound(gate, original as T, { ...asking, ...defined(said) }, guard)
    }
    throw new CountersignError('usage', 'this toolset is guarded already', {
      hint: 'What it asks about is said once, when it is guarded first.',
    })
  }
  const named = typeof confirm === 'string' ? undefined : new Set(confirm)
  const asks = (tool: BaseTool) => {
    const { originalName = tool.name } = tool as { readonly originalName?: string }
    return named ? named.has(tool.name) || named.has(originalName) : confirm === 'all'
  }
  const wrapped = over<BaseToolset>(toolset, {
    async getTools(context?: ReadonlyContext) {
      const tools = await toolset.getTools(context)
      return tools.map((tool) => guard(tool, { server, isAlways: asks(tool) }))
    },
  }) as T
  const kept = named ? [...named] : (confirm as 'none' | 'all')
  guardedToolsets.set(wrapped, { toolset, server, confirm: kept })
  return wrapped
}

function defined({ server, confirm }: Omit<GuardedToolset, 'toolset'>) {
  return { confirm, ...(server === undefined ? {} : { server }) }
}
