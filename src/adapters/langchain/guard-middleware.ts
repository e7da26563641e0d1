import { type AgentMiddleware, createMiddleware } from 'langchain'
import { CountersignError } from '../../base/errors.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { checkForeign } from '../asking.ts'
import { guardCall } from './guard-call.ts'
import { guardedBehind, refusedMessage } from './guard-tools.ts'
import {
  checkThreadAsking,
  type GuardedTool,
  guardedTool,
  isRunnable,
  type NodeConfig,
  nameOf,
  register,
  type ThreadAsking,
  threadOf,
} from './guarded-tool.ts'
import { createKnownTools } from './known-tools.ts'

/**
 * Puts every tool of an agent behind the gate, also those that other middleware brings. List it
 * last: what stands between it and the tools could change a call after people have seen it.
 */
export function guardMiddleware(gate: ToolGate, asking: ThreadAsking = {}): AgentMiddleware {
  checkThreadAsking(gate, asking)
  const known = createKnownTools()
  const seen = new WeakMap<object, GuardedTool>()

  function guarded(name: string, tool: object | undefined): GuardedTool {
    const before = tool && seen.get(tool)
    if (before) return before
    const found = guardedTool(gate, name, tool, asking)
    if (tool) {
      seen.set(tool, found)
      register(found)
      known.remember(found)
    }
    return found
  }

  /** A tool that brings its own guard belongs to the same run of the same gate, or to none here. */
  function isGuarded(tool: object, config: NodeConfig): boolean {
    const own = guardedBehind(tool)
    if (!own) return false
    const runs = [own.asking, asking].map(({ run }) => run ?? threadOf(config))
    if (own.gate === gate && runs[0] === runs[1]) return true
    throw new CountersignError('usage', `${own.name} is guarded for another run or gate already`, {
      hint: 'Give the agent the tool itself, or guard it again with guardTools for this run.',
    })
  }

  return createMiddleware({
    name: 'Countersign',
    wrapModelCall(request, handler) {
      for (const tool of request.tools) {
        if (isGuarded(tool, request.runtime)) continue
        // What runs at the provider never comes by here.
        if (isRunnable(tool)) guarded(tool.name, tool)
        else checkForeign(gate, nameOf(tool))
      }
      return handler(request)
    },
    async wrapToolCall(request, handler) {
      const { toolCall, tool, runtime } = request
      if (tool && isGuarded(tool, runtime)) return handler(request)
      const own = guarded(toolCall.name, tool)
      const { configurable, signal, context } = runtime
      const passed = await guardCall({
        tool: own,
        call: toolCall,
        config: { configurable, signal, context, state: request.state },
        guarding: ({ id, name }) => (id === toolCall.id ? own : known.named(name)),
        next: async (args) => handler({ ...request, toolCall: { ...toolCall, args } }),
      })
      // Never thrown: it would end the whole run, not only this call.
      if ('told' in passed) return refusedMessage(toolCall, passed.told)
      return passed.output as Awaited<ReturnType<typeof handler>>
    },
  }) as AgentMiddleware
}
