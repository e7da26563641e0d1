import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'

/*
 * What the conformance suite starts as a client: `countersign mcp` before the suite's own server,
 * with somebody on the other side who calls every tool there is.
 */
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
  for (const { name } of tools.filter((tool) => tool.name.startsWith('suite_'))) {
    await client.callTool({ name, arguments: { a: 5, b: 3 } })
  }
  await client.close()
} finally {
  rmSync(cwd, { recursive: true, force: true })
}
