import type { BaseAgent, BaseNode, BaseTool, BaseToolset, LlmAgent, ToolUnion } from '@google/adk'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { checkForeign } from '../asking.ts'
import { type AdkAsking, checkAdkAsking } from './asking.ts'
import { guardedBehind, guardTool, type ToolOrigin } from './guard-tool.ts'
import { guardFound, type ToolsetAsking } from './guard-toolset.ts'
import { guardTransfers } from './guard-transfers.ts'
import { isA } from './tool-words.ts'

/** The same tools and toolsets, each behind the gate. */
export function guardTools<T extends ToolUnion>(
  gate: ToolGate,
  tools: readonly T[],
  asking: AdkAsking = {},
): T[] {
  checkAdkAsking(gate, asking)
  // Guarded again they belong to this run, and keep nothing of the one before.
  return tools.map((tool) => guardOne(gate, tool, asking, { seen: new Set(), keeps: false }) as T)
}

/** The same toolset, each tool it finds behind the gate. Set before it lists, for good. */
export function guardToolset<T extends BaseToolset>(
  gate: ToolGate,
  toolset: T,
  asking: ToolsetAsking = {},
): T {
  return guardFound(gate, toolset, asking, (tool, origin) =>
    guardOneTool(gate, tool, asking, { seen: new Set(), keeps: false }, origin),
  )
}

/**
 * An agent with everything it can reach: its own tools, those of the agents it may transfer to, and
 * those of agents it has as tools. The agents themselves are changed, so that no way leads around.
 * A transfer asks as a delegation.
 */
export function guardAgent<A extends BaseAgent>(
  gate: ToolGate,
  agent: A,
  asking: AdkAsking = {},
): A {
  checkAdkAsking(gate, asking)
  guardTree(gate, agent, asking, new Set())
  return agent
}

function guardTree(gate: ToolGate, agent: BaseAgent, asking: AdkAsking, seen: Set<object>): void {
  if (seen.has(agent)) return
  seen.add(agent)
  guardClones(gate, agent, asking)
  if (isA('llmAgent', agent)) {
    const own = agent as LlmAgent
    own.tools = own.tools.map((tool) => guardOne(gate, tool, asking, { seen, keeps: true }))
    guardTransfers(gate, own, asking)
  }
  for (const sub of agent.subAgents) guardTree(gate, sub, asking, seen)
}

const cloning = new WeakMap<object, BaseAgent['clone']>()

/** A copy of an agent is made of what it was made of, so it has the tools as they were before. */
function guardClones(gate: ToolGate, agent: BaseAgent, asking: AdkAsking): void {
  const clone = cloning.get(agent) ?? agent.clone.bind(agent)
  cloning.set(agent, clone)
  agent.clone = (overrides) => guardAgent(gate, clone(overrides), asking)
}

interface Way {
  readonly seen: Set<object>
  /** Tools found in an agent keep what was said when they were guarded by name. */
  readonly keeps: boolean
}

function guardOne(gate: ToolGate, union: ToolUnion, asking: AdkAsking, way: Way): ToolUnion {
  if (isA('toolset', union)) return guardToolset(gate, union as BaseToolset, asking)
  if (isA('tool', union)) return guardOneTool(gate, union as BaseTool, asking, way)
  // A node of a workflow: what it does is not one call, so there is nothing to ask about.
  checkForeign(gate, (union as BaseNode).name)
  guardInside(gate, union, asking, way.seen)
  return union
}

function guardOneTool(
  gate: ToolGate,
  tool: BaseTool,
  asking: AdkAsking,
  { seen, keeps }: Way,
  origin: ToolOrigin = {},
): BaseTool {
  const before = guardedBehind(tool)
  const original = before?.tool ?? tool
  const { agent, node } = original as { readonly agent?: unknown; node?: unknown }
  guardInside(gate, isA('agentTool', tool) ? agent : node, asking, seen)
  if (!before) return guardTool(gate, tool, asking, origin)
  const { server, isAlways } = before
  const said = keeps ? { ...before.asking, ...asking } : asking
  return guardTool(gate, original, said, { server, isAlways: isAlways || origin.isAlways === true })
}

/** The ADK runs an agent inside of a tool by itself and loses its pauses, so its tools wait inside. */
function guardInside(gate: ToolGate, agent: unknown, asking: AdkAsking, seen: Set<object>): void {
  if (!isA('agent', agent)) return
  guardTree(gate, agent as BaseAgent, { ...asking, mode: 'block' }, seen)
}
