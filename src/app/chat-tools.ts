import type { ToolSet } from 'ai'
import type { JsonObject } from '../base/json/json.ts'
import type { WireChatTool } from '../api/chat/conversation.ts'
import type { Gate } from '../gate/gate.ts'
import { verdictWord } from '../policy/evaluate/evaluate.ts'
import type { Policy } from '../policy/policy.ts'
import { SAMPLE_TOOLS } from './demo-agent.ts'

/** What does nothing, for people who try the chat. */
export async function sampleTools(gate: Gate, run: string): Promise<ToolSet> {
  const { dynamicTool, jsonSchema } = await import('ai')
  const { guardTools } = await import('../adapters/ai-sdk/guard-tools.ts')
  const tools = Object.fromEntries(
    SAMPLE_TOOLS.map(({ name, schema, result }) => [
      name,
      dynamicTool({
        description: DESCRIPTIONS[name] ?? name,
        inputSchema: jsonSchema(schema as object),
        execute: async (args) => ({ ...result, ...(echo(name, args as JsonObject) ?? {}) }),
      }),
    ]),
  )
  return guardTools(gate, tools, { run })
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  sample_pay_invoice: 'Sample. Pays an invoice; nothing is really paid.',
  sample_read_calendar: 'Sample. Reads a made-up calendar.',
  sample_send_mail: 'Sample. Writes a mail; none is really sent.',
  sample_transfer_money: 'Sample. Moves money between accounts; none is really moved.',
}

/** What it was called with, so that an edit can be seen in the result. */
function echo(name: string, args: JsonObject): JsonObject | undefined {
  const { to, amount, currency } = args
  return name === 'sample_pay_invoice'
    ? { for: { to: to ?? '', amount: amount ?? 0, currency: currency ?? '' } }
    : undefined
}

/** Guarded tools for people to look at: what each is, and what its calls get. */
export async function listTools(
  tools: ToolSet,
  policy: Policy,
  agent: string,
): Promise<WireChatTool[]> {
  const { guardedBehind } = await import('../adapters/ai-sdk/guarded-tool.ts')
  return Object.entries(tools).map(([name, tool]) => {
    const { name: own = name, asking } = guardedBehind(tool) ?? {}
    const { server } = asking ?? {}
    const { description } = tool
    const call = { tool: own, args: {}, agent, ...(server === undefined ? {} : { server }) }
    return {
      name,
      verdict: verdictWord(policy, call),
      ...(server === undefined ? {} : { server }),
      ...(typeof description === 'string' ? { description } : {}),
    }
  })
}
