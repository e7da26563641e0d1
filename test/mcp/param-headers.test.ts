import { expect, onTestFinished, vi } from 'vitest'
import { promise } from '../support/promise.ts'
import { headerUpstream } from './header-upstream.ts'
import { gateway } from './http-gateway.ts'
import { modernRequest } from './modern-wire.ts'

const TOOL = {
  name: 'query',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      limit: { type: 'integer', 'x-mcp-header': 'Limit' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      at: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
      note: { type: ['string', 'null'], 'x-mcp-header': 'Note' },
      sql: { type: 'string' },
      ask: { type: 'boolean' },
    },
  },
}

async function behind(tools: readonly object[], approval: boolean) {
  const upstream = await headerUpstream(tools)
  onTestFinished(upstream.close)
  const at = await gateway(
    `version: 1\nmcp_servers:\n  - { alias: db, url: "${upstream.url}", approval: ${approval} }\n`,
    { hold: 200 },
  )
  return { upstream, at, agent: await at.agent('a') }
}

const coded = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`

type Headers = Readonly<Record<string, string>>
const ACCEPTED: [string, object, Headers][] = [
  ['a plain text', { region: 'us-west1' }, { 'mcp-param-region': 'us-west1' }],
  ['a text in base64', { region: 'Hello, 世界' }, { 'mcp-param-region': coded('Hello, 世界') }],
  ['plain text in base64', { region: 'Hello' }, { 'mcp-param-region': coded('Hello') }],
  ['a text that ends like base64', { region: 'a?=' }, { 'mcp-param-region': 'a?=' }],
  [
    'a text that only begins like base64',
    { region: '=?base64?SGVsbG8=' },
    { 'mcp-param-region': '=?base64?SGVsbG8=' },
  ],
  ['an integer', { limit: 42 }, { 'mcp-param-limit': '42' }],
  ['an integer with a zero fraction', { limit: 42 }, { 'mcp-param-limit': '42.0' }],
  ['a boolean', { dry: false }, { 'mcp-param-dry': 'false' }],
  ['a nested argument', { at: { zone: 'b' } }, { 'mcp-param-zone': 'b' }],
  ['null has no header', { note: null }, {}],
  ['what is not given has no header', { sql: 'select 1' }, {}],
  ['an empty text', { region: '' }, { 'mcp-param-region': '' }],
  ['a header that no argument declares', { sql: 'x' }, { 'mcp-param-other': 'y' }],
]

promise.each(
  ['CS-MCP-54'],
  'SEP-2243: an argument that its header repeats is called, and the server gets the header',
  ACCEPTED,
  async (_title, args, headers) => {
    const { upstream, at, agent } = await behind([TOOL], false)
    const params = { name: 'db_query', arguments: args }
    const answer = await modernRequest(at.url, agent, { method: 'tools/call', params, headers })
    expect(answer).toMatchObject({ status: 200, result: { content: [{ text: 'done' }] } })
    expect(upstream.calls).toHaveLength(1)
    const [call] = upstream.calls
    expect(call?.params).toMatchObject({ arguments: args })
    const repeated = Object.entries(call?.headers ?? {}).filter(([name]) =>
      name.startsWith('mcp-param-'),
    )
    const plain = (value: unknown) => {
      const [, base64] = /^=\?base64\?(.*)\?=$/.exec(String(value)) ?? []
      return base64 === undefined ? String(value) : Buffer.from(base64, 'base64').toString()
    }
    const { at: nested, sql: _, ...flat } = args as { at?: { zone: string }; sql?: string }
    const wanted = Object.entries({ ...flat, ...(nested ? { zone: nested.zone } : {}) })
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [`mcp-param-${name}`, String(value)])
    expect(repeated.map(([name, value]) => [name, plain(value)])).toEqual(wanted)
  },
)

const REFUSED: [string, object, Headers][] = [
  ['another text', { region: 'eu' }, { 'mcp-param-region': 'us' }],
  ['another case', { region: 'eu' }, { 'mcp-param-region': 'EU' }],
  ['no header', { region: 'eu' }, {}],
  ['no header for a nested argument', { at: { zone: 'b' } }, {}],
  ['a header without its argument', { sql: 'x' }, { 'mcp-param-region': 'eu' }],
  ['a header for null', { note: null }, { 'mcp-param-note': 'null' }],
  ['base64 without padding', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVsbG8?=' }],
  ['no base64', { region: 'Hello' }, { 'mcp-param-region': '=?base64?SGVs!!!bG8=?=' }],
  ['base64 of no text', { region: '\ufffd' }, { 'mcp-param-region': '=?base64?/w==?=' }],
  ['the header twice', { region: 'eu' }, { 'mcp-param-region': 'eu, eu' }],
  ['another integer', { limit: 42 }, { 'mcp-param-limit': '43' }],
  ['an integer in other digits', { limit: 42 }, { 'mcp-param-limit': '0x2a' }],
  ['another boolean', { dry: true }, { 'mcp-param-dry': 'false' }],
  ['an argument that is no primitive', { region: ['eu'] }, { 'mcp-param-region': 'eu' }],
]

promise.each(
  ['CS-MCP-54'],
  'SEP-2243: a header that says something else than its argument is refused, and nothing is sent',
  REFUSED,
  async (_title, args, headers) => {
    const { upstream, at, agent } = await behind([TOOL], false)
    const params = { name: 'db_query', arguments: args }
    const answer = await modernRequest(at.url, agent, { method: 'tools/call', params, headers })
    expect(answer).toMatchObject({ status: 400, error: { code: -32_020 } })
    expect(upstream.calls).toEqual([])
  },
)

promise(
  ['CS-MCP-54'],
  'SEP-2243: nobody is asked about a call whose header says something else',
  async () => {
    const { at, agent } = await behind([TOOL], true)
    const params = { name: 'db_query', arguments: { region: 'eu' } }
    const headers = { 'mcp-param-region': 'us' }
    const answer = await modernRequest(at.url, agent, { method: 'tools/call', params, headers })
    expect(answer).toMatchObject({ status: 400, error: { code: -32_020 } })
    expect((await at.store.list({})).approvals).toEqual([])
  },
)

promise(
  ['CS-MCP-54'],
  'SEP-2243: a server gets the headers of the arguments as they were edited',
  async () => {
    const { upstream, at, agent } = await behind([TOOL], true)
    const params = { name: 'db_query', arguments: { region: 'eu' } }
    const headers = { 'mcp-param-region': 'eu' }
    const answer = modernRequest(at.url, agent, { method: 'tools/call', params, headers })
    const [asked] = await vi.waitFor(async () => {
      const { approvals } = await at.store.list({ status: ['pending'] })
      expect(approvals).toHaveLength(1)
      return approvals
    })
    const ana = { issuer: 'local', subject: 'ana@example.com', roles: ['approver'] as const }
    const by = at.server.credentials.accounts.person(ana, 'signed-in')
    const edited = { verdict: 'approve', args: { region: 'us' } } as const
    await at.server.gate.approvals.decide(asked?.id ?? '', {
      by,
      seen: asked?.digest ?? '',
      ...edited,
    })
    expect(await answer).toMatchObject({ status: 200 })
    expect(upstream.calls).toMatchObject([
      { params: { arguments: { region: 'us' } }, headers: { 'mcp-param-region': 'us' } },
    ])
  },
)

promise(
  ['CS-MCP-54'],
  'SEP-2243: the headers are checked again when a client comes back with an answer',
  async () => {
    const { upstream, at, agent } = await behind([TOOL], false)
    const ask = (params: object, region: string) =>
      modernRequest(at.url, agent, {
        method: 'tools/call',
        params: { name: 'db_query', arguments: { region: 'eu', ask: true }, ...params },
        capabilities: { elicitation: {} },
        headers: { 'mcp-param-region': region },
      })
    const { result } = await ask({}, 'eu')
    expect(result).toMatchObject({ resultType: 'input_required' })
    const inputResponses = { sure: { action: 'accept', content: {} } }
    const back = { requestState: result.requestState, inputResponses }
    expect(await ask(back, 'us')).toMatchObject({ status: 400, error: { code: -32_020 } })
    expect(upstream.calls).toHaveLength(1)
    // What was refused used nothing up, and the server gets its header each time.
    expect(await ask(back, 'eu')).toMatchObject({ status: 200, result: { resultType: 'complete' } })
    expect(upstream.calls.map(({ headers }) => headers['mcp-param-region'])).toEqual(['eu', 'eu'])
  },
)

const annotated = (schema: object) => ({ name: 'bad', inputSchema: { type: 'object', ...schema } })
const one = (schema: object) => annotated({ properties: { a: schema } })
const INVALID: [string, object][] = [
  ['an empty name', one({ type: 'string', 'x-mcp-header': '' })],
  ['a name that is no text', one({ type: 'string', 'x-mcp-header': 7 })],
  ['a name with a line break', one({ type: 'string', 'x-mcp-header': 'A\r\nHost: b' })],
  ['a name with a colon', one({ type: 'string', 'x-mcp-header': 'A:b' })],
  ['an object', one({ type: 'object', 'x-mcp-header': 'A' })],
  ['a number', one({ type: 'number', 'x-mcp-header': 'A' })],
  ['no type', one({ 'x-mcp-header': 'A' })],
  [
    'one name twice',
    annotated({
      properties: {
        a: { type: 'string', 'x-mcp-header': 'Region' },
        b: { type: 'string', 'x-mcp-header': 'REGION' },
      },
    }),
  ],
  ['inside an array', one({ type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } })],
  [
    'inside a condition',
    annotated({ anyOf: [{ properties: { a: { type: 'string', 'x-mcp-header': 'A' } } }] }),
  ],
  ['inside a definition', annotated({ $defs: { a: { type: 'string', 'x-mcp-header': 'A' } } })],
  ['on the arguments as a whole', annotated({ 'x-mcp-header': 'A' })],
]

promise.each(
  ['CS-MCP-55'],
  'SEP-2243: a tool whose header cannot be sent is left out, and the others stay',
  INVALID,
  async (_title, bad) => {
    const { at, agent } = await behind([bad, TOOL], false)
    const { result } = await modernRequest(at.url, agent, { method: 'tools/list' })
    const names = result.tools.map(({ name }: { name: string }) => name)
    expect(names).toContain('db_query')
    expect(names).not.toContain('db_bad')
    expect(at.logged.join('\n')).toContain('x-mcp-header')
  },
)

promise(
  ['CS-MCP-55'],
  'SEP-2243: a property or a value of that name is no annotation',
  async () => {
    const properties = {
      'x-mcp-header': { type: 'string', default: { 'x-mcp-header': 1 } },
      b: { enum: [{ 'x-mcp-header': 1 }] },
    }
    const { at, agent } = await behind([annotated({ properties })], false)
    const params = { name: 'db_bad', arguments: { 'x-mcp-header': 'x' } }
    const answer = await modernRequest(at.url, agent, { method: 'tools/call', params })
    expect(answer).toMatchObject({ status: 200, result: { content: [{ text: 'done' }] } })
  },
)
