import type { ToolGate } from '../../gate/tool-gate.ts'
import type { GuardedTool, ModelCall, NodeConfig } from './guarded-tool.ts'

/*
 * Calls of one message may run in one task, and each has to know how the others stand. Which tool a
 * call is for is known when it arrives; until then by the name, and only where one tool has it: two
 * agents may have different tools of one name.
 */

/** Tools by name. A name that two different tools have stands for neither. */
export interface KnownTools {
  remember(tool: GuardedTool): void
  named(name: string): GuardedTool | undefined
}

export function createKnownTools(): KnownTools {
  const tools = new Map<string, GuardedTool | 'several'>()
  return {
    remember(tool) {
      const known = tools.get(tool.name)
      if (known === tool || known === 'several') return
      tools.set(tool.name, known === undefined || isSame(known, tool) ? tool : 'several')
    },
    named(name) {
      const known = tools.get(name)
      return known === 'several' ? undefined : known
    },
  }
}

/** A call of either would be asked about in the same way. */
function isSame(one: GuardedTool, other: GuardedTool): boolean {
  return textOf(one) === textOf(other)
}

function textOf({ asking, definition }: GuardedTool): string {
  const { run, server, agents, mode } = asking
  return JSON.stringify([definition, run, server, agents, mode])
}

const apart = new WeakMap<ToolGate, KnownTools>()

/** Tools of one gate that were guarded apart, and may yet run in one node. */
export function knownAt(gate: ToolGate): KnownTools {
  const known = apart.get(gate) ?? createKnownTools()
  apart.set(gate, known)
  return known
}

const arrived = new WeakMap<object, Map<string, GuardedTool>>()

/** Said before anything is awaited: a `ToolNode` starts all calls of a message in one go. */
export function arrive({ configurable }: NodeConfig, { id }: ModelCall, tool: GuardedTool): void {
  if (!configurable || id === undefined) return
  const tools = arrived.get(configurable) ?? new Map<string, GuardedTool>()
  arrived.set(configurable, tools.set(id, tool))
}

export function arrivedFor(
  { configurable }: NodeConfig,
  { id }: ModelCall,
): GuardedTool | undefined {
  return configurable && id !== undefined ? arrived.get(configurable)?.get(id) : undefined
}
