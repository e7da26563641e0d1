import type { Tool, ToolSet } from 'ai'
import { isPlainObject } from '../../base/json/json.ts'
import { GATE_CAPABILITY, PROOF_KEY } from '../../gate/proof/mcp-keys.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { gateContext } from './gate-context.ts'
import { guardTools } from './guard-tools.ts'
import type { ToolAsking } from './guarded-tool.ts'

/** As much of a client of `@ai-sdk/mcp` as is used here. */
export interface McpClientLike {
  tools(): Promise<ToolSet>
  readonly initializeResult?: { readonly capabilities?: unknown } | undefined
}

/** As much of a transport as is used here. Those of the MCP SDK fit. */
export interface McpTransportLike {
  send(message: never, options?: never): Promise<void>
}

export interface McpAsking extends ToolAsking {
  /** The alias of the server in the policy. */
  readonly server: string
}

/**
 * The tools of an MCP server behind the gate. Where the server has a gate of its own and its
 * transport came through `carryProofs`, the proof of a yes goes with the call, and people are asked
 * once. Without it that gate asks: a name that a client chooses is never enough.
 */
export async function guardMcpTools(
  gate: ToolGate,
  client: McpClientLike,
  asking: McpAsking,
): Promise<ToolSet> {
  const tools = await client.tools()
  const inner = innerGate(client)
  if (!inner) return guardTools(gate, tools, asking)
  const entries = Object.entries(tools).map(([name, tool]) => [name, proving(tool as Tool, inner)])
  return guardTools(gate, Object.fromEntries(entries) as ToolSet, asking)
}

/** By the arguments of the very call: nothing that is sent or shown can be taken for them. */
const proofs = new WeakMap<object, string>()

/** Sends proofs of `guardMcpTools` beside their calls. Returns the same transport. */
export function carryProofs<T extends McpTransportLike>(transport: T): T {
  const send = transport.send.bind(transport) as (
    message: unknown,
    options: unknown,
  ) => Promise<void>
  transport.send = ((message: unknown, options: unknown) =>
    send(withProof(message), options)) as T['send']
  return transport
}

function withProof(message: unknown): unknown {
  if (!isPlainObject(message) || message.method !== 'tools/call') return message
  const { params } = message
  const args = isPlainObject(params) ? params.arguments : undefined
  const proof = isPlainObject(args) ? proofs.get(args) : undefined
  if (!isPlainObject(params) || proof === undefined) return message
  const meta = isPlainObject(params._meta) ? params._meta : {}
  return { ...message, params: { ...params, _meta: { ...meta, [PROOF_KEY]: proof } } }
}

interface InnerGate {
  readonly audience?: string
}

/** What the server says of its own gate. A lie gives it a proof of a call it was sent anyway. */
function innerGate({ initializeResult }: McpClientLike): InnerGate | undefined {
  const capabilities = initializeResult?.capabilities
  const experimental = isPlainObject(capabilities) ? capabilities.experimental : undefined
  const gate = isPlainObject(experimental) ? experimental[GATE_CAPABILITY] : undefined
  if (!isPlainObject(gate)) return undefined
  return typeof gate.audience === 'string' ? { audience: gate.audience } : {}
}

function proving(tool: Tool, inner: InnerGate): Tool {
  const { execute } = tool
  if (!execute) return tool
  const proved: typeof execute = async (args, options) => {
    const proof = await gateContext(options)?.countersign?.(inner)
    if (proof === undefined) return execute.call(tool, args, options)
    const own = { ...(args as object) }
    proofs.set(own, proof)
    return execute.call(tool, own as never, options)
  }
  return { ...tool, execute: proved } as Tool
}
