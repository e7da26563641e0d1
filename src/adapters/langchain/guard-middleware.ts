import { type AgentMiddleware, createMiddleware } from 'langchain'
import type { AnyGate } from '../../gate/any-gate.ts'
import { checkForeign } from '../asking.ts'
import { guardCall } from './guard-call.ts'
import { isGuarded, refusedMessage } from './guard-tools.ts'
import {
  checkThreadAsking,
  guardedTool,
  isRunnable,
  nameOf,
  register,
  type ThreadAsking,
} from './guarded-tool.ts'
import { guardedAt, remember } from './known-tools.ts'

/**
 * Puts every tool of an agent behind the gate, also those that other middleware brings. List it
 * last: what stands between it and the tools could change a call after people have seen it.
 */
export function guardMiddleware(gate: AnyGate, asking: ThreadAsking = {}): AgentMiddleware {
  checkThreadAsking(gate, asking)
  const seen = new WeakSet<object>()

  function guarded(name: string, tool: object | undefined) {
    const found = guardedTool(gate, name, tool, asking)
    if (tool && !seen.has(tool)) {
      seen.add(tool)
      register(found)
      remember(found)
    }
    return found
  }

  return createMiddleware({
    name: 'Countersign',
    wrapModelCall(request, handler) {
      for (const tool of request.tools) {
        if (isGuarded(tool)) continue
        // What runs at the provider never comes by here.
        if (isRunnable(tool)) guarded(tool.name, tool)
        else checkForeign(gate, nameOf(tool))
      }
      return handler(request)
    },
    async wrapToolCall(request, handler) {
      const { toolCall, tool, runtime } = request
      if (tool && isGuarded(tool)) return handler(request)
      const passed = await guardCall({
        tool: guarded(toolCall.name, tool),
        call: toolCall,
        config: { configurable: runtime.configurable, signal: runtime.signal },
        guarding: (name) => guardedAt(gate, name),
        next: async (args) => handler({ ...request, toolCall: { ...toolCall, args } }),
      })
      // Never thrown: it would end the whole run, not only this call.
      if ('told' in passed) return refusedMessage(toolCall, passed.told)
      return passed.output as Awaited<ReturnType<typeof handler>>
    },
  }) as AgentMiddleware
}
