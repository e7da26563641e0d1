import type { MCPServer } from '@openai/agents'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { checkAsking } from '../asking.ts'
import { type AnyFunctionTool, guardFunction, type RunAsking } from './guard-tools.ts'
import { sdk } from './resume-run.ts'

/**
 * The tools of MCP servers behind the gate, by the aliases of the policy. For `tools` of an agent:
 * what stands in its `mcpServers` runs without approval, because the SDK has no place to ask.
 */
export async function guardMcpServers(
  gate: ToolGate,
  servers: Readonly<Record<string, MCPServer>>,
  asking: RunAsking,
): Promise<AnyFunctionTool[]> {
  checkAsking(gate, asking)
  const { getAllMcpTools } = await sdk()
  const tools: AnyFunctionTool[] = []
  for (const [alias, server] of Object.entries(servers)) {
    const found = await getAllMcpTools({ mcpServers: [server], convertSchemasToStrict: false })
    for (const tool of found) {
      if (tool.type !== 'function') continue
      tools.push(guardFunction(gate, tool as unknown as AnyFunctionTool, asking, alias))
    }
  }
  return tools
}
