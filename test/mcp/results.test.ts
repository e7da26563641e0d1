import path from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import { promise } from '../support/promise.ts'
import { gateway } from './http-gateway.ts'
import { RESULTS } from './rich-server.ts'

const RICH = path.resolve(import.meta.dirname, 'rich-server.ts')

promise(
  ['SP-50', 'CS-MCP-2'],
  'the result of a call that people approved is the result of its server, whole',
  async () => {
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: rich, command: ${process.execPath}, args: [${RICH}, serve], approval: true }\n`,
    )
    const client = new Client({ name: 'c', version: '1' })
    const requestInit = { headers: await at.agent('a') }
    await client.connect(
      new StreamableHTTPClientTransport(at.url, { requestInit }) as Parameters<
        Client['connect']
      >[0],
    )
    onTestFinished(() => client.close())
    // So that the client checks structured content against the schema, as it would without us.
    await client.listTools()
    for (const as of ['rich', 'broken']) {
      const calling = client.callTool({ name: 'rich_report', arguments: { as } })
      await at.answer('approve')
      expect(await calling).toEqual(RESULTS[as])
    }
    const failing = client.callTool({ name: 'rich_report', arguments: { as: 'none' } })
    const failed = expect(failing).rejects.toMatchObject({ code: -32_050 })
    await at.answer('approve')
    await failed
  },
)
