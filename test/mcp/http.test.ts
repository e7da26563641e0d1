import path from 'node:path'
import { createMCPClient } from '@ai-sdk/mcp'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { expect, onTestFinished } from 'vitest'
import { folder } from '../cli/countersign.ts'
import { promise } from '../support/promise.ts'
import { echoUpstream } from './echo-upstream.ts'
import { BANK, chosen, shownIn, textOf } from './gateway.ts'
import { type Gateway, gateway } from './http-gateway.ts'
import { signedIn } from './signed-in.ts'

const bank = (witness: string) => `  - alias: bank
    command: ${process.execPath}
    args: [${BANK}]
    env: { WITNESS: ${witness}, BANK_TOKEN: "\${BANK_TOKEN}" }
    allowed_tools: [pay, { name: look, approval: false }]
`
const echo = (url: string, alias = 'echo') =>
  `  - { alias: ${alias}, url: "${url}", approval: false }\n`

async function older(
  { url }: Pick<Gateway, 'url'>,
  headers: Record<string, string>,
): Promise<Client> {
  const client = new Client({ name: 'older', version: '1' })
  const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
  await client.connect(transport as Parameters<Client['connect']>[0])
  onTestFinished(() => client.close())
  return client
}

promise(
  ['CS-MCP-10', 'CS-MCP-11', 'SP-27', 'SP-51'],
  'all servers of the policy are one, and a broken one takes nothing with it',
  async () => {
    const said = await echoUpstream()
    const witness = path.join(folder(), 'witness')
    const at = await gateway(
      `version: 1\nmcp_servers:\n${bank(witness)}${echo(said.url)}  - { alias: gone, command: /nowhere/at-all }\n  - { alias: unset, url: "https://\${NOT_SET}/" }\n`,
      { env: { BANK_TOKEN: 'very-secret-token' } },
    )
    const client = await older(at, await at.agent('billing'))
    const names = (await client.listTools()).tools.map(({ name }) => name)
    expect(names).toEqual(
      expect.arrayContaining(['bank_pay', 'bank_look', 'echo_echo', 'countersign_wait']),
    )
    expect(at.logged.join('\n')).toMatch(
      /gone.*could not be started|unset needs the variable NOT_SET/s,
    )
    expect(textOf(await client.callTool({ name: 'echo_echo', arguments: { say: 'hi' } }))).toBe(
      'hi',
    )
    const looked = await client.callTool({ name: 'bank_look', arguments: { what: 'x' } })
    expect(textOf(looked)).toBe('saw x with [secret]')
    const paying = client.callTool({ name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } })
    await at.answer('approve')
    expect(textOf(await paying)).toBe('paid 5 to Lena')
    expect(at.logged.some((line) => /^bank\.pay L4 succeeded \(\S+\) \d+ ms$/.test(line))).toBe(
      true,
    )
    expect(at.logged.join('\n')).not.toContain('very-secret-token')
    const refused = await client.callTool({ name: 'bank_crash', arguments: {} })
    expect(textOf(refused)).toContain('not in allowed_tools')
  },
)

promise(
  ['SP-28', 'SP-31'],
  'a client is asked by the way it came in, whatever kind of tool it calls',
  async () => {
    const said = await echoUpstream()
    const witness = path.join(folder(), 'witness')
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: echo, url: "${said.url}", approval: true }\n  - { alias: bank, command: ${process.execPath}, args: [${BANK}], env: { WITNESS: ${witness} }, approval: true }\n`,
    )
    const asked: string[] = []
    const showing = new Client(
      { name: 'shows', version: '1' },
      { capabilities: { elicitation: {} } },
    )
    showing.setRequestHandler(ElicitRequestSchema, ({ params }) => {
      asked.push(params.message)
      return chosen('approve')
    })
    const requestInit = { headers: await at.agent('a', 'ana@example.com') }
    await showing.connect(
      new StreamableHTTPClientTransport(at.url, { requestInit }) as Parameters<
        Client['connect']
      >[0],
    )
    onTestFinished(() => showing.close())
    const plain = await older(at, await at.agent('b', 'ana@example.com'))
    // A tool behind an address and one of a process; in a client that shows questions and one that does not.
    for (const [call, result] of [
      [{ name: 'echo_echo', arguments: { say: 'one' } }, 'one'],
      [{ name: 'bank_pay', arguments: { to: 'Lena', amount: 5 } }, 'paid 5 to Lena'],
    ] as const) {
      asked.length = 0
      expect(textOf(await showing.callTool(call))).toBe(result)
      expect(asked).toHaveLength(1)
      expect(asked[0]).toContain(
        `Tool: ${call.name.split('_')[1]} of server ${call.name.split('_')[0]}`,
      )
      const calling = plain.callTool(call)
      await at.answer('approve')
      expect(textOf(await calling)).toBe(result)
      expect(asked).toHaveLength(1)
      const { approvals } = await at.store.list({ tool: call.name.split('_')[1] ?? '' })
      const by = approvals.map(({ decisions }) => decisions[0]?.by.assurance)
      expect(by.sort()).toEqual(['elicitation', 'signed-in'])
    }
  },
)

promise(
  ['SP-52', 'SP-47'],
  'a foreign tool takes the same way whoever calls it: asked about, then sent on',
  async () => {
    const said = await echoUpstream()
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: echo, url: "${said.url}", approval: true }\n`,
    )
    const modern = new ModernClient(
      { name: 'newer', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    const headers = await at.agent('newer')
    await modern.connect(new ModernTransport(at.url, { requestInit: { headers } }))
    const bo = await signedIn(at, 'bo@example.com', ['approver'])
    const trying = { ...at, url: new URL('/v1/servers/echo/try', at.url) }
    const callers = [
      await older(at, await at.agent('countersign')),
      await older(at, await at.agent('b', 'ana@example.com')),
      await older(trying, { ...bo.headers }),
      modern,
    ]
    for (const [n, caller] of callers.entries()) {
      const call = { name: 'echo_echo', arguments: { say: `call ${n}` } }
      for (const [verdict, words] of [
        ['approve', `call ${n}`],
        ['deny', 'was denied by a person'],
      ] as const) {
        const before = said.calls.length
        const calling = caller.callTool(call)
        await expect
          .poll(async () => (await at.store.list({ status: ['pending'] })).approvals.length)
          .toBe(1)
        expect(said.calls).toHaveLength(before)
        await at.answer(verdict)
        expect(textOf(await calling)).toContain(words)
        expect(said.calls).toHaveLength(before + (verdict === 'approve' ? 1 : 0))
      }
    }
    await modern.close()
  },
)

promise.each(
  ['CS-MCP-35', 'CS-MCP-12'],
  'a client that opens addresses is sent to the card and goes on when it is decided there',
  [
    ['2025-11-25', {}],
    ['2026-07-28', { versionNegotiation: { mode: { pin: '2026-07-28' } } }],
  ] as const,
  async (era, pinned) => {
    const said = await echoUpstream()
    const at = await gateway(
      // Nothing that a client says is good enough for this one; the card is.
      `version: 1\nmcp_servers:\n  - { alias: echo, url: "${said.url}", approval: { min_assurance: signed-in } }\n`,
    )
    const asked: Record<string, unknown>[] = []
    const client = new ModernClient(
      { name: 'opens', version: '1' },
      { capabilities: { elicitation: { form: {}, url: {} } }, ...pinned },
    )
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push({ ...params })
      await chosen('approve')
      return { action: 'accept' }
    })
    const told: unknown[] = []
    client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
      told.push(params.elicitationId)
    })
    const headers = await at.agent('a', 'ana@example.com')
    await client.connect(new ModernTransport(at.url, { requestInit: { headers } }))
    onTestFinished(() => client.close())
    const saying = client.callTool({ name: 'echo_echo', arguments: { say: 'hello' } })
    await expect.poll(() => asked.length, { timeout: 10_000 }).toBe(1)
    const { approvals } = await at.store.list({ status: ['pending'] })
    expect(asked[0]).toMatchObject({
      mode: 'url',
      url: `http://127.0.0.1/approvals/${approvals[0]?.id}`,
      message: expect.stringMatching(/^Countersign asks: may a run this call\?\nTool: echo of/),
    })
    expect(asked[0]).not.toHaveProperty('requestedSchema')
    expect(said.calls).toEqual([])
    await at.answer('approve')
    expect(textOf(await saying)).toBe('hello')
    expect(said.calls).toHaveLength(1)
    expect(asked).toHaveLength(1)
    const approval = await at.store.get(approvals[0]?.id ?? '')
    expect(approval?.decisions[0]?.by.assurance).toBe('signed-in')
    await expect.poll(() => told).toEqual(era === '2025-11-25' ? [asked[0]?.elicitationId] : [])
  },
)

promise(
  ['CS-MCP-12'],
  'clients of the newer era wait between requests and run the call once',
  async () => {
    const said = await echoUpstream('modern')
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: echo, url: "${said.url}", approval: true }\n`,
    )
    const client = new ModernClient(
      { name: 'newer', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    await client.connect(
      new ModernTransport(at.url, { requestInit: { headers: await at.agent('a') } }),
    )
    onTestFinished(() => client.close())
    expect(client.getProtocolEra()).toBe('modern')
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('echo_echo')
    const saying = client.callTool({ name: 'echo_echo', arguments: { say: 'hello' } })
    await at.answer('approve')
    expect(textOf(await saying)).toBe('hello')
    expect(said.calls).toHaveLength(1)
  },
)

promise(
  ['CS-MCP-13'],
  'a question in a client of the newer era is an answer it sends with its next request',
  async () => {
    const said = await echoUpstream()
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: echo, url: "${said.url}", approval: true }\n`,
    )
    const asked: string[] = []
    const client = new ModernClient(
      { name: 'newer', version: '1' },
      {
        capabilities: { elicitation: { form: {} } },
        versionNegotiation: { mode: { pin: '2026-07-28' } },
      },
    )
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message)
      return chosen('approve')
    })
    const headers = await at.agent('a', 'ana@example.com')
    await client.connect(new ModernTransport(at.url, { requestInit: { headers } }))
    onTestFinished(() => client.close())
    const result = await client.callTool({ name: 'echo_echo', arguments: { say: 'hello' } })
    expect(textOf(result)).toBe('hello')
    expect(asked).toHaveLength(1)
    expect(shownIn(asked[0] ?? '', 'say')).toBe('"hello"')
    // The state of a request is worth nothing to others, for other calls, or a second time.
    const post = async (params: object, as: Record<string, string>) => {
      const meta = {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
        'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      }
      const answer = await fetch(at.url, {
        method: 'POST',
        headers: {
          ...as,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': 'tools/call',
          'mcp-name': 'echo_echo',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { ...params, _meta: meta },
        }),
      })
      return (await answer.json()) as {
        result?: { requestState?: string }
        error?: { message: string }
      }
    }
    const call = { name: 'echo_echo', arguments: { say: 'again' } }
    const { result: open } = await post(call, headers)
    const requestState = open?.requestState ?? ''
    const yes = {
      inputResponses: { q1: { action: 'accept', content: { decision: 'approve' } } },
      requestState,
    }
    const other = await at.agent('other', 'ana@example.com')
    expect((await post({ ...call, ...yes }, other)).error?.message).toContain('requestState')
    expect(
      (await post({ name: 'echo_echo', arguments: { say: 'else' }, ...yes }, headers)).error,
    ).toBeDefined()
    expect(said.calls).toHaveLength(1)
  },
)

promise(['CS-MCP-14'], 'a hundred clients at once each get their own answers', async () => {
  const said = await echoUpstream()
  const at = await gateway(`version: 1\nmcp_servers:\n${echo(said.url)}`)
  const headers = [await at.agent('a'), await at.agent('b')]
  const clients = await Promise.all(
    Array.from({ length: 100 }, (_, n) => older(at, headers[n % 2] ?? {})),
  )
  const answers = await Promise.all(
    clients.flatMap((client, n) =>
      [1, 2, 3].map(async (turn) => {
        const say = `canary ${n} ${turn}`
        return textOf(await client.callTool({ name: 'echo_echo', arguments: { say } })) === say
      }),
    ),
  )
  expect(answers.filter((isOwn) => !isOwn)).toEqual([])
  expect(answers).toHaveLength(300)
})

promise(['CS-MCP-15'], 'what an agent brings to the gateway goes no further', async () => {
  const said = await echoUpstream()
  const at = await gateway(`version: 1\nmcp_servers:\n${echo(said.url)}`)
  const headers = await at.agent('a')
  const client = await createMCPClient({
    transport: { type: 'http', url: at.url.href, headers: { ...headers, cookie: 'a=b' } },
  })
  onTestFinished(() => client.close())
  const tools = await client.tools()
  const result = await tools.echo_echo?.execute?.({ say: 'hi' }, {
    toolCallId: '1',
    messages: [],
  } as never)
  expect(textOf(result)).toBe('hi')
  expect(said.calls[0]?.headers).not.toHaveProperty('authorization')
  expect(said.calls[0]?.headers).not.toHaveProperty('cookie')
})

promise(['CS-MCP-16'], 'requests that could be read in two ways are refused', async () => {
  const said = await echoUpstream()
  const at = await gateway(`version: 1\nmcp_servers:\n${echo(said.url)}`)
  const agent = await at.agent('a')
  const send = async (body: string, headers: Record<string, string> = {}) => {
    const all = {
      ...agent,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    }
    const answer = await fetch(at.url, { method: 'POST', headers: all, body })
    return {
      status: answer.status,
      text: await answer.text(),
      session: answer.headers.get('mcp-session-id'),
    }
  }
  const hello = await send(
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}',
  )
  expect(hello.status).toBe(200)
  const mine = { 'mcp-session-id': hello.session ?? '' }
  const call =
    '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo_echo","arguments":{"say":"x"}}}'
  const bad: [string, Record<string, string>][] = [
    [`[${call}]`, mine],
    [call.replace('"method"', '"Method":"ping","method"'), mine],
    [call.replace('"name"', '"name":"bank_pay","name"'), mine],
    [call, { ...mine, 'mcp-method': 'tools/list' }],
    [call, { ...mine, 'mcp-name': 'other' }],
    [call, { ...mine, 'mcp-protocol-version': '2026-07-28' }],
    [call, {}],
    [call, { ...mine, 'content-type': 'text/plain' }],
    [call, { ...mine, origin: 'https://evil.example' }],
    [call, { ...mine, authorization: '' }],
    [call, { ...mine, authorization: (await at.agent('b')).authorization ?? '' }],
    [call, { 'mcp-session-id': 'countersign' }],
  ]
  for (const [body, headers] of bad) {
    const { status } = await send(body, headers)
    expect(status, `${body} ${JSON.stringify(headers)}`).toBeGreaterThanOrEqual(400)
  }
  const unknown = await send(call.replace('tools/call', 'tools/run'), mine)
  expect(unknown.text).toContain('-32601')
  const told = await send(call.replace('"id":2,', ''), mine)
  expect(told.status).toBe(202)
  expect(said.calls).toEqual([])
  expect((await send(call, mine)).text).toContain('"text":"x"')
})
