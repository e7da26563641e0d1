import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import { promise } from '../support/promise.ts'
import { BANK, textOf } from './gateway.ts'
import { gateway } from './http-gateway.ts'

const POLICY = `version: 1
mcp_servers:
  - { alias: bank, command: ${process.execPath}, args: [${BANK}], approval: true }
`
const ANA = 'ana@example.com'

async function connected(url: URL, headers: Record<string, string>): Promise<Client> {
  const client = new Client({ name: 'client', version: '1' })
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  await client.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  return client
}

promise(
  ['CS-AGENT-4'],
  'S9: tokens of one agent for two people do not hear of each other’s calls in their clients',
  async () => {
    const at = await gateway(POLICY, { hold: 100 })
    const forAna = await connected(at.url, await at.agent('bot', ANA))
    await forAna.callTool({ name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } })
    const [asked] = (await at.store.list({ status: ['pending'] })).approvals
    const own = { name: 'countersign_status', arguments: { id: asked?.id } }
    expect(textOf(await forAna.callTool(own))).toContain('still waits')
    for (const headers of [await at.agent('bot', 'bo@example.com'), await at.agent('bot')]) {
      const client = await connected(at.url, headers)
      for (const name of ['countersign_status', 'countersign_wait']) {
        const told = textOf(await client.callTool({ ...own, name }))
        expect(told).toBe(`There is no approval "${asked?.id}" of yours.`)
      }
    }
    // Another client of the same person does.
    const again = await connected(at.url, await at.agent('bot', 'Ana@Example.com'))
    expect(textOf(await again.callTool(own))).toContain('still waits')
  },
)
