import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  Client as ModernClient,
  InMemoryTransport as ModernPair,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { ElicitRequestSchema, type ElicitResult } from '@modelcontextprotocol/sdk/types.js'
import { McpServer as ModernServer } from '@modelcontextprotocol/server'
import { createGate, type Gate, parsePolicy } from 'countersign'
import { asking, gateServer } from 'countersign/mcp'
import { memoryStore } from 'countersign/memory'
import { autoApprove, autoDeny } from 'countersign/testing'
import { expect, onTestFinished, vi } from 'vitest'
import * as z from 'zod'
import { promise } from '../support/promise.ts'
import { chosen, closed, textOf } from './gateway.ts'
import { gateway } from './http-gateway.ts'

const owner = { file: 'countersign.yaml', text: 'version: 1\ntools: { pay: { approval: true } }\n' }
const said = (text: string) => ({ content: [{ type: 'text' as const, text }] })

function gateThat(strategy: Parameters<typeof createGate>[0]['strategy']): Gate {
  const store = memoryStore()
  onTestFinished(() => store.close())
  return createGate({ policy: parsePolicy({ owner }), store, strategy })
}

promise(
  ['CS-MCP-17'],
  'one line puts a gate before the tools of a server of your own, with either SDK',
  async () => {
    for (const [strategy, expected] of [
      [autoApprove(), ['paid 5', 'fine']],
      [autoDeny(), ['denied by a person', 'fine']],
    ] as const) {
      const paid: number[] = []
      const about = { description: 'Pays.' }
      const old = gateServer(new McpServer({ name: 'own', version: '1' }), {
        gate: gateThat(strategy),
      })
      old.registerTool('pay', { ...about, inputSchema: { amount: z.number() } }, ({ amount }) => {
        paid.push(amount)
        return said(`paid ${amount}`)
      })
      old.registerTool('look', { description: 'Looks.' }, () => said('fine'))
      const [a, b] = InMemoryTransport.createLinkedPair()
      const client = new Client({ name: 'c', version: '1' })
      await Promise.all([old.connect(a), client.connect(b)])

      const newer = gateServer(new ModernServer({ name: 'own', version: '1' }), {
        gate: gateThat(strategy),
      })
      newer.registerTool(
        'pay',
        { ...about, inputSchema: z.object({ amount: z.number() }) },
        ({ amount }) => {
          paid.push(amount)
          return said(`paid ${amount}`)
        },
      )
      newer.registerTool('look', { description: 'Looks.' }, () => said('fine'))
      const [c, d] = ModernPair.createLinkedPair()
      const modern = new ModernClient({ name: 'c', version: '1' })
      await Promise.all([newer.connect(c), modern.connect(d)])

      for (const one of [client, modern]) {
        const pay = await one.callTool({ name: 'pay', arguments: { amount: 5 } })
        expect(textOf(pay)).toContain(expected[0])
        expect(textOf(await one.callTool({ name: 'look', arguments: {} }))).toBe(expected[1])
      }
      expect(paid).toEqual(expected[0] === 'paid 5' ? [5, 5] : [])
      await Promise.all([client.close(), modern.close()])
    }
  },
)

const PIN_SCHEMA = {
  type: 'object',
  properties: { pin: { type: 'string', title: 'PIN' } },
  required: ['pin'],
}

/** A server of either SDK with a tool that asks, and a client with or without a way to show it. */
async function opening(
  sdk: 'older' | 'newer',
  elicitation: { form?: object; url?: object } | undefined,
  onAsked: (params: unknown) => unknown,
) {
  const capabilities = (elicitation ? { elicitation } : {}) as never
  const answered = (sent: { pin?: unknown } | undefined) =>
    said(sent ? `opened with ${sent.pin}` : 'Cancelled.')
  const question = { message: 'Your PIN?', schema: PIN_SCHEMA }
  const options = { gate: gateThat(autoApprove()) }
  if (sdk === 'older') {
    const server = gateServer(new McpServer({ name: 'own', version: '1' }), options)
    server.registerTool('open', { description: 'Opens.' }, async (extra) =>
      answered(await asking(extra).ask(question)),
    )
    const client = new Client({ name: 'c', version: '1' }, { capabilities })
    if (elicitation?.form) {
      client.setRequestHandler(ElicitRequestSchema, ({ params }) => onAsked(params) as never)
    }
    const [a, b] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(a), client.connect(b)])
    onTestFinished(() => client.close())
    return () => client.callTool({ name: 'open', arguments: {} })
  }
  const server = gateServer(new ModernServer({ name: 'own', version: '1' }), options)
  server.registerTool('open', { description: 'Opens.' }, async (context) =>
    answered(await asking(context).ask(question)),
  )
  const client = new ModernClient({ name: 'c', version: '1' }, { capabilities })
  if (elicitation?.form) {
    client.setRequestHandler('elicitation/create', ({ params }) => onAsked(params) as never)
  }
  const [a, b] = ModernPair.createLinkedPair()
  await Promise.all([server.connect(a), client.connect(b)])
  onTestFinished(() => client.close())
  return () => client.callTool({ name: 'open', arguments: {} })
}

promise.each(
  ['CF-32', 'CF-33', 'CF-34', 'CF-36'],
  'a tool asks its user for what it needs, and only what they sent counts',
  [['older'], ['newer']] as const,
  async (sdk) => {
    const answers = [
      { action: 'accept', content: { pin: '12' } },
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'decline', content: { pin: '12' } },
      // Accepted without what was asked for, with something else, or with nothing at all.
      { action: 'accept', content: {} },
      { action: 'accept', content: { pin: 12 } },
      { action: 'accept' },
    ]
    const shown: unknown[] = []
    const open = await opening(sdk, { form: {} }, (params) => {
      shown.push(params)
      return answers[shown.length - 1]
    })
    expect(textOf(await open())).toBe('opened with 12')
    for (const answer of answers.slice(1)) {
      const result = await open()
      expect(textOf(result), JSON.stringify(answer)).toBe('Cancelled.')
      expect(result.isError).toBeUndefined()
    }
    expect(shown).toHaveLength(answers.length)
    expect(shown[0]).toMatchObject({ message: 'Your PIN?', requestedSchema: PIN_SCHEMA })
  },
)

promise.each(
  ['CF-34', 'CF-36', 'SP-41'],
  'a client that cannot show a form is not asked, and the tool has nothing',
  [
    ['older', undefined],
    ['newer', undefined],
    ['older', { url: {} }],
    ['newer', { url: {} }],
  ] as const,
  async (sdk, elicitation) => {
    const open = await opening(sdk, elicitation, () => ({ action: 'accept' }))
    const result = await open()
    expect(textOf(result)).toBe('Cancelled.')
    expect(result.isError).toBeUndefined()
  },
)

promise.each(
  ['CS-MCP-17', 'CS-MCP-33', 'CS-MCP-6', 'SP-44'],
  'a gate in a server of your own asks in the client as the gateway does',
  [
    ['chosen', () => chosen('approve'), 'paid 5'],
    ['accepted without a choice', () => chosen('approve', {}), 'has not run'],
    ['closed', () => closed('cancel'), 'withdrawn'],
    [
      'chosen at once',
      () => atOnce({ action: 'accept', content: { decision: 'approve' } }),
      'has not run',
    ],
    ['declined at once', () => atOnce({ action: 'decline' }), 'has not run'],
  ] as const,
  async (_, onAsked, words) => {
    const store = memoryStore()
    onTestFinished(() => store.close())
    const person = {
      issuer: 'local',
      subject: 'ana',
      roles: ['approver'],
      groups: [],
      assurance: 'elicitation',
    } as const
    const gate = createGate({
      policy: parsePolicy({ owner }),
      store,
      principal: { issuer: 'local', subject: 'ana' },
    })
    const server = gateServer(new McpServer({ name: 'own', version: '1' }), {
      gate,
      person,
      hold: 2_000,
    })
    const paid: number[] = []
    server.registerTool('pay', { inputSchema: { amount: z.number() } }, ({ amount }) => {
      paid.push(amount)
      return said(`paid ${amount}`)
    })
    const shown: unknown[] = []
    const client = new Client({ name: 'c', version: '1' }, { capabilities: { elicitation: {} } })
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      shown.push(params)
      return onAsked()
    })
    const [a, b] = InMemoryTransport.createLinkedPair()
    await Promise.all([server.connect(a), client.connect(b)])
    onTestFinished(() => client.close())
    const result = await client.callTool({ name: 'pay', arguments: { amount: 5 } })
    expect(textOf(result)).toContain(words)
    expect(paid).toEqual(words === 'paid 5' ? [5] : [])
    expect(shown).toMatchObject([
      {
        message: expect.stringContaining('  amount = 5'),
        requestedSchema: { required: ['decision'] },
      },
    ])
  },
)

/** No time passes between the question and its answer, however busy the machine is. */
async function atOnce(answer: ElicitResult): Promise<ElicitResult> {
  vi.spyOn(performance, 'now').mockReturnValue(0)
  onTestFinished(() => void vi.restoreAllMocks())
  return answer
}

promise(['CS-MCP-17'], 'asking is for tools behind the gate', () => {
  expect(() => asking({})).toThrow(/gateServer/)
})

promise(
  ['SP-20', 'SP-32', 'SP-40', 'SP-49', 'SP-53', 'SP-54', 'CS-MCP-18'],
  'people are asked once on the way through two gates, whatever callers call themselves',
  async () => {
    const store = memoryStore()
    const paid: number[] = []
    const policy = (url: string) =>
      `version: 1\nmcp_servers:\n  - { alias: bank, url: "${url}", approval: true }\n`
    const inner = createGate({
      policy: parsePolicy({
        owner: { file: 'countersign.yaml', text: policy('http://127.0.0.1/') },
      }),
      store,
      agent: 'inner',
    })
    const http = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const server = new McpServer({ name: 'bank', version: '1' })
      gateServer(server, { gate: inner, server: 'bank', hold: 300 })
      server.registerTool(
        'pay',
        { description: 'Pays.', inputSchema: { amount: z.number() } },
        ({ amount }) => {
          paid.push(amount)
          return said(`paid ${amount}`)
        },
      )
      const transport = new StreamableHTTPServerTransport({
        sessionIdGenerator: undefined,
        enableJsonResponse: true,
      })
      await server.connect(transport as Parameters<typeof server.connect>[0])
      await transport.handleRequest(
        request,
        response,
        chunks.length > 0 ? JSON.parse(String(Buffer.concat(chunks))) : undefined,
      )
    })
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      http.closeAllConnections()
      http.close()
    })
    const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`)
    const at = await gateway(policy(url.href), { store })

    const outer = new Client({ name: 'outer', version: '1' })
    const headers = await at.agent('a')
    await outer.connect(
      new StreamableHTTPClientTransport(at.url, { requestInit: { headers } }) as Parameters<
        Client['connect']
      >[0],
    )
    onTestFinished(() => outer.close())
    const paying = outer.callTool({ name: 'bank_pay', arguments: { amount: 5 } })
    await at.answer('approve')
    expect(textOf(await paying)).toBe('paid 5')
    expect((await store.list({})).approvals).toHaveLength(1)

    // The same server, reached directly by somebody who takes every name that is known.
    const direct = new Client({ name: 'countersign', version: '1' })
    const worn = {
      'x-forwarded-for': '127.0.0.1',
      'user-agent': 'countersign',
      'mcp-session-id': 'countersign',
    }
    await direct.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: worn } }) as Parameters<
        Client['connect']
      >[0],
    )
    onTestFinished(() => direct.close())
    for (const proof of [undefined, 'yes', 'eyJhbGciOiJub25lIn0.e30.']) {
      const meta =
        proof === undefined ? {} : { 'countersign/proof': proof, 'countersign/approved': true }
      const result = await direct.callTool({ name: 'pay', arguments: { amount: 5 }, _meta: meta })
      expect(textOf(result)).toContain('has not run')
    }
    expect(paid).toEqual([5])
  },
)
