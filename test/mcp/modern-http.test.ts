import { expect } from 'vitest'
import { promise } from '../support/promise.ts'
import { echoUpstream } from './echo-upstream.ts'
import { gateway } from './http-gateway.ts'

const PREFIX = 'io.modelcontextprotocol'
const META = {
  [`${PREFIX}/protocolVersion`]: '2026-07-28',
  [`${PREFIX}/clientInfo`]: { name: 'modern', version: '1' },
  [`${PREFIX}/clientCapabilities`]: {},
}
const { [`${PREFIX}/clientCapabilities`]: _, ...UNABLE } = META
const { [`${PREFIX}/protocolVersion`]: __, ...UNNAMED } = META
const OLDER = { 'mcp-protocol-version': '2025-11-25' }
const CALL = { name: 'echo_echo', arguments: { say: 'hi' } }

interface Sent {
  readonly method: string
  readonly params?: object
  readonly headers?: Readonly<Record<string, string | undefined>>
}

const call: Sent = { method: 'tools/call', params: { ...CALL, _meta: META } }
const ROWS: [string, Sent, number, number | undefined][] = [
  ['a whole request is answered', call, 200, undefined],
  ['without Mcp-Method', { ...call, headers: { 'mcp-method': undefined } }, 400, -32_020],
  ['without Mcp-Name', { ...call, headers: { 'mcp-name': undefined } }, 400, -32_020],
  [
    'without its version',
    { ...call, headers: { 'mcp-protocol-version': undefined } },
    400,
    -32_020,
  ],
  ['with another Mcp-Method', { ...call, headers: { 'mcp-method': 'tools/list' } }, 400, -32_020],
  ['with another Mcp-Name', { ...call, headers: { 'mcp-name': 'echo_other' } }, 400, -32_020],
  [
    'with Mcp-Name in base64',
    { ...call, headers: { 'mcp-name': '=?base64?ZWNob19lY2hv?=' } },
    200,
    undefined,
  ],
  [
    'with Mcp-Name in what is no base64',
    { ...call, headers: { 'mcp-name': '=?base64?ZWNob19l!Y2hv?=' } },
    400,
    -32_020,
  ],
  ['without capabilities', { ...call, params: { ...CALL, _meta: UNABLE } }, 400, -32_602],
  ['without _meta', { ...call, params: CALL }, 400, -32_602],
  ['without a version in _meta', { ...call, params: { ...CALL, _meta: UNNAMED } }, 400, -32_602],
  ['with an older version in the header alone', { ...call, headers: OLDER }, 400, -32_020],
  ['ping is of the older era', { method: 'ping' }, 404, -32_601],
  ['so is logging/setLevel', { method: 'logging/setLevel' }, 404, -32_601],
  ['so is initialize', { method: 'initialize' }, 404, -32_601],
  ['an unknown method', { method: 'tools/forget' }, 404, -32_601],
]

promise.each(
  ['CS-MCP-46'],
  'a request of 2026-07-28 over HTTP',
  ROWS,
  async (_title, { method, params = { _meta: META }, headers = {} }, status, code) => {
    const echo = await echoUpstream()
    const at = await gateway(
      `version: 1\nmcp_servers:\n  - { alias: echo, url: "${echo.url}", approval: false }\n`,
    )
    const sent = {
      ...(await at.agent('a')),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...('name' in params ? { 'mcp-name': String(params.name) } : {}),
      ...headers,
    }
    const answer = await fetch(at.url, {
      method: 'POST',
      headers: Object.fromEntries(
        Object.entries(sent).flatMap(([name, value]) =>
          value === undefined ? [] : [[name, value]],
        ),
      ),
      body: JSON.stringify({ jsonrpc: '2.0', id: 'mine', method, params }),
    })
    expect(answer.status).toBe(status)
    const said = await answer.json()
    expect(said).toMatchObject({ id: 'mine' })
    expect(said.error?.code).toBe(code)
    expect(echo.calls).toHaveLength(status === 200 ? 1 : 0)
  },
)
