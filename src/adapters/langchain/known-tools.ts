import type { AnyGate } from '../../gate/any-gate.ts'
import type { GuardedTool } from './guarded-tool.ts'

/** Tools that were guarded apart may run in one node, and each has to know how the others stand. */
const known = new WeakMap<AnyGate, Map<string, GuardedTool>>()

export function remember(tool: GuardedTool): void {
  const tools = known.get(tool.gate) ?? new Map<string, GuardedTool>()
  known.set(tool.gate, tools.set(tool.name, tool))
}

export function guardedAt(gate: AnyGate, name: string): GuardedTool | undefined {
  return known.get(gate)?.get(name)
}
