import type { BaseAgent, BaseNode, BaseTool, BaseToolset, LlmAgent, ToolUnion } from '@google/adk'
import type { AnyGate } from '../../gate/any-gate.ts'
import { checkForeign } from '../asking.ts'
import { type AdkAsking, checkAdkAsking } from './asking.ts'
import { guardedBehind, guardTool } from './guard-tool.ts'
import { guardFound, type ToolsetAsking } from './guard-toolset.ts'
import { guardTransfers } from './guard-transfers.ts'
import { isA } from './tool-words.ts'

/** The same tools and toolsets, each behind the gate. */
export function guardTools<T extends ToolUnion>(
  gate: AnyGate,
  tools: readonly T[],
  asking: AdkAsking = {},
): T[] {
  checkAdkAsking(gate, asking)
  return tools.map((tool) => guardOne(gate, tool, asking) as T)
}

/** The same toolset, each tool it finds behind the gate. Set before it lists, for good. */
export function guardToolset<T extends BaseToolset>(
  gate: AnyGate,
  toolset: T,
  asking: ToolsetAsking = {},
): T {
  return guardFound(gate, toolset, asking, (tool, server) =>
    guardOneTool(gate, tool, asking, new Set(), server),
  )
}

/**
 * An agent with everything it can reach: its own tools, those of the agents it may transfer to, and
 * those of agents it has as tools. The agents themselves are changed, so that no way leads around.
 * A transfer asks as a delegation.
 */
export function guardAgent<A extends BaseAgent>(
  gate: AnyGate,
  agent: A,
  asking: AdkAsking = {},
): A {
  checkAdkAsking(gate, asking)
  guardTree(gate, agent, asking, new Set())
  return agent
}

function guardTree(gate: AnyGate, agent: BaseAgent, asking: AdkAsking, seen: Set<object>): void {
  if (seen.has(agent)) return
  seen.add(agent)
  guardClones(gate, agent, asking)
  if (isA('llmAgent', agent)) {
    const own = agent as LlmAgent
    own.tools = own.tools.map((tool) => guardOne(gate, tool, asking, seen))
    guardTransfers(gate, own, asking)
  }
  for (const sub of agent.subAgents) guardTree(gate, sub, asking, seen)
}

const clonesGuarded = new WeakSet<object>()

/** A copy of an agent is made of what it was made of, so it has the tools as they were before. */
function guardClones(gate: AnyGate, agent: BaseAgent, asking: AdkAsking): void {
  if (clonesGuarded.has(agent)) return
  clonesGuarded.add(agent)
  const clone = agent.clone.bind(agent)
  agent.clone = (overrides) => guardAgent(gate, clone(overrides), asking)
}

function guardOne(
  gate: AnyGate,
  union: ToolUnion,
  asking: AdkAsking,
  seen: Set<object> = new Set(),
): ToolUnion {
  if (isA('toolset', union)) return guardToolset(gate, union as BaseToolset, asking)
  if (isA('tool', union)) return guardOneTool(gate, union as BaseTool, asking, seen)
  // A node of a workflow: what it does is not one call, so there is nothing to ask about.
  checkForeign(gate, (union as BaseNode).name)
  guardInside(gate, union, asking, seen)
  return union
}

function guardOneTool(
  gate: AnyGate,
  tool: BaseTool,
  asking: AdkAsking,
  seen: Set<object>,
  server?: string,
): BaseTool {
  const before = guardedBehind(tool)
  const { agent, node } = (before?.tool ?? tool) as { readonly agent?: unknown; node?: unknown }
  guardInside(gate, isA('agentTool', tool) ? agent : node, asking, seen)
  // Guarded to pause, in a place where pauses are lost: it has to wait inside instead.
  if (before && asking.mode === 'block' && before.asking.mode !== 'block') {
    return guardTool(before.gate, before.tool, { ...before.asking, mode: 'block' }, before.server)
  }
  return guardTool(gate, tool, asking, server)
}

/** The ADK runs an agent inside of a tool by itself and loses its pauses, so its tools wait inside. */
function guardInside(gate: AnyGate, agent: unknown, asking: AdkAsking, seen: Set<object>): void {
  if (!isA('agent', agent)) return
  guardTree(gate, agent as BaseAgent, { ...asking, mode: 'block' }, seen)
}
