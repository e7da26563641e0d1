import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

/*
 * What the conformance suite starts as a client: `countersign mcp` before the suite's own server,
 * with a client on the other side that calls every tool there is.
 */
interface Context {
  /** Calls that the scenario asks for, by the server's own names. */
  readonly toolCalls?: readonly { readonly name: string; readonly arguments: object }[]
}

interface ListedTool {
  readonly name: string
  readonly inputSchema: { readonly properties?: Readonly<Record<string, object>> }
}

const context: Context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const SAMPLES: Readonly<Record<string, unknown>> = { string: 'a', boolean: true, object: {} }

/** What the scenario says, or a value for each property of the schema. */
function argumentsOf({ name, inputSchema }: ListedTool, tools: readonly ListedTool[]): object {
  const own = name.slice('suite_'.length)
  const given = context.toolCalls?.find((call) => call.name === own)
  if (given) return given.arguments
  if (own === 'json_schema_echo') {
    return {
      schema: tools.find((tool) => tool.name.endsWith('json_schema_2020_12_tool'))?.inputSchema,
    }
  }
  const properties = Object.entries(inputSchema.properties ?? {})
  return Object.fromEntries(
    properties.map(([key, schema]) => [
      key,
      SAMPLES['type' in schema ? String(schema.type) : ''] ?? 5,
    ]),
  )
}

const url = process.argv[2] ?? ''
const cwd = mkdtempSync(path.join(tmpdir(), 'countersign-conformance-'))
writeFileSync(
  path.join(cwd, 'countersign.yaml'),
  `version: 1\nmcp_servers: [{ alias: suite, url: "${url}", approval: false }]\n`,
)
const bin = path.resolve(import.meta.dirname, '../../bin/countersign.js')
const client = new Client(
  { name: 'conformance', version: '1.0.0' },
  { capabilities: { elicitation: { form: { applyDefaults: true } } } },
)
client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept' as const, content: {} }))
try {
  const env = { ...(process.env as Record<string, string>), HOME: cwd }
  const command = { command: process.execPath, args: [bin, 'mcp', '--no-inbox'], cwd, env }
  await client.connect(new StdioClientTransport({ ...command, stderr: 'inherit' }))
  const { tools } = await client.listTools()
  for (const tool of tools.filter(({ name }) => name.startsWith('suite_'))) {
    await client.callTool({ name: tool.name, arguments: { ...argumentsOf(tool, tools) } })
  }
  await client.close()
} finally {
  rmSync(cwd, { recursive: true, force: true })
}
