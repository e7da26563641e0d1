import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect, onTestFinished } from 'vitest'
import { promise } from '../support/promise.ts'
import { APPS, askedBy, bankBehind, URI } from './app-world.ts'
import type { Gateway } from './http-gateway.ts'

const INFO = { name: 'host', version: '1' }
const PAY = { name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } }

/** What both clients of the SDK can do, in as many words as are used here. */
interface Connected {
  getServerCapabilities(): { extensions?: object | undefined; resources?: object } | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as the server says it
  listTools(): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as the server says it
  callTool(params: object): Promise<any>
  // biome-ignore lint/suspicious/noExplicitAny: as the server says it
  readResource(params: { uri: string }): Promise<any>
}

type Connect = (at: Gateway, capabilities: object, agent?: string) => Promise<Connected>

const ERAS: [string, Connect][] = [
  [
    '2025-11-25',
    async (at, capabilities, agent = 'bot') => {
      const client = new LegacyClient(INFO, { capabilities })
      const requestInit = { headers: await at.agent(agent) }
      await client.connect(
        new LegacyTransport(at.url, { requestInit }) as Parameters<LegacyClient['connect']>[0],
      )
      onTestFinished(() => client.close())
      return client as Connected
    },
  ],
  [
    '2026-07-28',
    async (at, capabilities, agent = 'bot') => {
      const client = new ModernClient(INFO, {
        capabilities,
        versionNegotiation: { mode: { pin: '2026-07-28' } },
      })
      const requestInit = { headers: await at.agent(agent) }
      await client.connect(new StreamableHTTPClientTransport(at.url, { requestInit }))
      onTestFinished(() => client.close())
      return client as unknown as Connected
    },
  ],
]

promise.each(
  ['CS-MCPAPP-1'],
  'a client that shows pages finds the card by the tools that look, and reads it',
  ERAS,
  async (_era, connect) => {
    const { at } = await bankBehind()
    const client = await connect(at, APPS)
    expect(client.getServerCapabilities()?.resources).toBeDefined()
    expect(client.getServerCapabilities()?.extensions).toHaveProperty([
      'io.modelcontextprotocol/ui',
    ])
    const { tools } = await client.listTools()
    const shown = tools.filter(({ _meta }: { _meta?: { ui?: object } }) => _meta?.ui)
    expect(shown.map(({ name }: { name: string }) => name)).toEqual([
      'countersign_status',
      'countersign_wait',
    ])
    for (const { _meta } of shown) expect(_meta.ui.resourceUri).toBe(URI)
    const { contents } = await client.readResource({ uri: URI })
    expect(contents).toMatchObject([{ uri: URI, mimeType: 'text/html;profile=mcp-app' }])
    expect(contents[0].text).toContain("default-src 'none'")
    expect(contents[0].text).not.toMatch(/unsafe-|<form|approve<|deny</i)
  },
)

promise.each(
  ['CS-MCPAPP-1'],
  'the card tells how a call stands, and nothing there decides',
  ERAS,
  async (_era, connect) => {
    const { at, ran } = await bankBehind()
    const client = await connect(at, APPS)
    const id = await askedBy(at, client, PAY)
    const status = () => client.callTool({ name: 'countersign_status', arguments: { id } })
    const { structuredContent: card, content } = await status()
    expect(content[0].text).toContain('still waits for a person')
    expect(card).toMatchObject({
      id,
      status: 'pending',
      tool: 'pay',
      server: 'bank',
      agent: 'bot',
      rows: expect.arrayContaining(['to = "Lena"', 'amount = 5']),
      card: `http://127.0.0.1/approvals/${id}`,
    })
    await at.answer('deny')
    expect((await status()).structuredContent).toMatchObject({ status: 'denied' })
    expect(ran()).toBe('')
  },
)

promise.each(
  ['CS-MCPAPP-2'],
  'a client that does not say it shows pages gets none',
  ERAS.flatMap(([era, connect]) =>
    [
      {},
      { extensions: { 'io.modelcontextprotocol/ui': {} } },
      { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/uri-list'] } } },
    ].map((capabilities): [string, Connect, object] => [
      `${era} ${JSON.stringify(capabilities)}`,
      connect,
      capabilities,
    ]),
  ),
  async (_name, connect, capabilities) => {
    const { at } = await bankBehind()
    const client = await connect(at, capabilities)
    expect(client.getServerCapabilities()?.extensions ?? {}).not.toHaveProperty([
      'io.modelcontextprotocol/ui',
    ])
    const { tools } = await client.listTools()
    expect(JSON.stringify(tools)).not.toContain('ui://')
    const id = await askedBy(at, client, PAY)
    const status = await client.callTool({ name: 'countersign_status', arguments: { id } })
    expect(status).not.toHaveProperty('structuredContent')
    await expect(client.readResource({ uri: URI })).rejects.toThrow()
  },
)

promise(['CS-MCPAPP-2'], 'the card of another agent is not told', async () => {
  const { at } = await bankBehind()
  const [, connect] = ERAS[1] as [string, Connect]
  const id = await askedBy(at, await connect(at, APPS, 'one'), PAY)
  const other = await connect(at, APPS, 'two')
  const said = await other.callTool({ name: 'countersign_status', arguments: { id } })
  expect(said).toMatchObject({ isError: true })
  expect(said).not.toHaveProperty('structuredContent')
})

promise(
  ['CS-MCPAPP-2'],
  'a server behind the gateway cannot put a page of its own in place of the card',
  async () => {
    const { at } = await bankBehind({ fakesPage: true })
    for (const [, connect] of ERAS) {
      const client = await connect(at, APPS)
      const { contents } = await client.readResource({ uri: URI })
      expect(contents[0].text).toContain('This card only tells.')
      expect(contents[0].text).not.toContain('forged')
    }
  },
)
