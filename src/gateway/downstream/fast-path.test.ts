import fc from 'fast-check'
import { expect, vi } from 'vitest'
import { policyOf } from '../../../test/support/policy.ts'
import { promise } from '../../../test/support/promise.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import { createGate } from '../../gate/gate.ts'
import { internals } from '../../gate/internals.ts'
import { jsonSchema } from '../../gate/schema/json-schema.ts'
import { memoryStore } from '../../store/memory/index.ts'
import { type Message, NoAnswer, type Request, RpcError } from '../protocol/message.ts'
import { createPeer } from '../protocol/peer.ts'
import { definitionOf, type ListedTool } from '../upstream/catalog.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { Client } from './client.ts'
import { quickCall } from './fast-path.ts'
import { secretHider } from './secrets.ts'
import { callTool, type ToolCalls } from './tool-call.ts'

const ITEM = {
  name: 'write',
  inputSchema: {
    type: 'object',
    required: ['to'],
    properties: { to: { type: 'string' }, times: { type: 'number', default: 1 } },
  },
}

const TOOL: ListedTool = {
  name: 'files_write',
  server: 'files',
  tool: 'write',
  listed: ITEM,
  definition: definitionOf(ITEM),
  headers: [],
  risk: 'L2',
  held: undefined,
}

const admin = {
  issuer: 'local',
  subject: 'ana',
  roles: ['admin'] as const,
  groups: [],
  assurance: 'signed-in' as const,
}

/** A gateway whose server is a list of lines. */
async function lane(tool: ListedTool = TOOL) {
  const lines: string[] = []
  const logged: string[] = []
  const answers: unknown[] = []
  const notified: unknown[] = []
  const peer = createPeer({
    send: (message, _, text = JSON.stringify(message)) => lines.push(text) > 0,
    onRequest: () => Promise.reject(),
    onNotification() {},
  })
  const gate = createGate({
    policy: policyOf(`
      mcp_servers:
        - { alias: files, command: npx, approval: { condition: { args_match: { to: prod } } } }
    `),
    store: memoryStore(),
    validate: jsonSchema(),
    door: 'mcp',
    agent: 'a',
  })
  // Before the locks are known, every call goes through the full pipeline.
  await gate.admin.locks.list()
  const upstream = {
    spec: { secrets: ['hunter-two'] },
    begin: peer.begin,
    shown: secretHider(['hunter-two']),
  } as unknown as Upstream
  const calls = {
    gate,
    known: (name: string) => (name === tool.name ? tool : undefined),
    live: (server: string): Upstream | undefined => (server === 'files' ? upstream : undefined),
    log: (line: string) => void logged.push(line),
  }
  const call = (params: JsonObject, method = 'tools/call') =>
    quickCall(
      calls,
      { jsonrpc: '2.0', id: 7, method, params } as Request,
      (end, text) => answers.push(text ?? end),
      { notify: (told, about) => void notified.push({ told, about }) },
    )
  return { lines, logged, answers, notified, peer, gate, calls, call }
}

const CALL = { name: 'files_write', arguments: { to: 'dev' } }

promise(['CS-MCP-29'], 'a call that needs no approval leaves at once, written anew', async () => {
  const { lines, answers, logged, peer, call } = await lane()
  const more = { ...CALL, arguments: { to: 'dev', a: [1] }, approved: true }
  expect(call(more)).toBeDefined()
  expect(lines).toEqual([
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"write","arguments":{"a":[1],"times":1,"to":"dev"}}}',
  ])
  const result = { content: [{ type: 'text', text: 'password: hunter-two' }], _meta: { a: 1 } }
  peer.receive({ jsonrpc: '2.0', id: 1, result })
  expect(answers).toEqual([
    '{"content":[{"type":"text","text":"password: [secret]"}],"_meta":{"a":1}}',
  ])
  // The answer does not wait for the log.
  expect(logged).toEqual([])
  await vi.waitFor(() =>
    expect(logged).toEqual([expect.stringMatching(/^files\.write L2 succeeded \d+ ms$/)]),
  )
})

const meta = fc.dictionary(
  fc.constantFrom(
    ...['traceparent', 'progressToken', '__proto__', 'constructor', 'com.example/a', 'ü'],
    ...['io.modelcontextprotocol/related-task', 'countersign/approval', 'countersign/proof'],
  ),
  fc.constantFrom<Json>('a', 7, '\u2028', null, true, { b: [1, { c: 'ü' }], a: 0.5 }, [], 'x"y'),
  { maxKeys: 4 },
)

promise(
  ['CS-MCP-29'],
  'what is said about a call goes on as through the full pipeline',
  async () => {
    const { lines, peer, gate, calls, call } = await lane()
    const long: ToolCalls = {
      ...calls,
      gate,
      person: undefined,
      inbox: () => Promise.resolve(undefined),
      hold: () => 0,
      gaveUp() {},
      watch: () => () => {},
      confirm: () => Promise.reject(new Error('not asked')),
      gateOf: () => undefined,
      waits() {},
      request: (_, method, params, { on: _on, ...how }) => peer.request(method, params, how),
    }
    const client = { era: 'legacy', info: {}, capabilities: {}, notify() {} } as unknown as Client
    let sent = 0
    await fc.assert(
      fc.asyncProperty(meta, async (given) => {
        // Read from JSON, as whatever calls this has done.
        const said = JSON.parse(JSON.stringify(given)) as JsonObject
        lines.length = 0
        if (!call({ ...CALL, _meta: said })) return
        sent += 1
        const quickId: number = JSON.parse(lines[0] ?? '').id
        const args = { to: 'dev' }
        const signal = new AbortController().signal
        const answered = callTool(long, TOOL, { args, meta: said }, client, signal)
        await vi.waitFor(() => expect(lines).toHaveLength(2), { interval: 1 })
        const longId: number = JSON.parse(lines[1] ?? '').id
        // Ids and tokens count up; nothing else may differ.
        const unnumbered = (line: string | undefined, id: number) =>
          line?.replaceAll(`"id":${id},`, '').replaceAll(`"progressToken":${id}}`, '"token"}')
        expect(unnumbered(lines[0], quickId)).toBe(unnumbered(lines[1], longId))
        for (const id of [quickId, longId]) peer.receive({ jsonrpc: '2.0', id, result: {} })
        await answered
      }),
      { numRuns: 300 },
    )
    expect(sent).toBeGreaterThan(100)
  },
)

promise(
  ['CS-MCP-29'],
  'progress reaches the client under its own token, and no other',
  async () => {
    const { lines, notified, peer, call } = await lane()
    expect(call({ ...CALL, _meta: { progressToken: 'p', traceparent: 't' } })).toBeDefined()
    expect(JSON.parse(lines[0] ?? '').params._meta).toEqual({ traceparent: 't', progressToken: 1 })
    const told = (progressToken: number) =>
      peer.receive({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken, progress: 1 },
      })
    told(1)
    told(2)
    expect(notified).toEqual([
      { told: 'notifications/progress', about: { progress: 1, progressToken: 'p' } },
    ])
    peer.receive({ jsonrpc: '2.0', id: 1, result: { content: [] } })
    told(1)
    expect(notified, 'nothing after the answer').toHaveLength(1)
  },
)

promise(['CS-MCP-29'], 'a call with anything unusual goes through the full pipeline', async () => {
  const at = await lane()
  const { call, calls, gate, lines } = at
  expect(call(CALL, 'tools/list'), 'another method').toBeUndefined()
  const odd: [string, JsonObject][] = [
    ['another gate vouches for it', { ...CALL, _meta: { 'countersign/proof': 'x' } }],
    ['a token that is none', { ...CALL, _meta: { progressToken: [1] } }],
    ['no object says more', { ...CALL, _meta: 'more' }],
    ['it was never listed', { ...CALL, name: 'files_other' }],
    ['no name', { arguments: {} }],
    ['no object', { ...CALL, arguments: ['dev'] }],
    ['the schema refuses it', { ...CALL, arguments: { to: 5 } }],
    ['the policy asks', { ...CALL, arguments: { to: 'prod' } }],
    ['the policy cannot tell', { ...CALL, arguments: { to: 'dev', x: 2 ** 60 } }],
  ]
  for (const [why, params] of odd) expect(call(params), why).toBeUndefined()
  const held = await lane({ ...TOOL, held: 'it changed' })
  expect(held.call(CALL), 'held back').toBeUndefined()
  calls.live = () => undefined
  expect(call(CALL), 'its server is away').toBeUndefined()
  const locked = await lane()
  expect(locked.call(CALL)).toBeDefined()
  await locked.gate.admin.locks.set(admin, { target: { tool: 'write' }, reason: 'enough' })
  expect(locked.call(CALL), 'locked').toBeUndefined()
  expect(gate[internals].allows({ tool: 'write', server: 'files', args: { to: 'dev' } })).toBe(
    false,
  )
  expect([...lines, ...held.lines], 'nothing left').toEqual([])
})

promise(['CS-MCP-29', 'CS-MCP-24'], 'it ends as the server ends it, or unknown', async () => {
  const { answers, logged, peer, call } = await lane()
  call(CALL)
  peer.receive({ jsonrpc: '2.0', id: 1, error: { code: -32_000, message: 'no', data: [1] } })
  expect(answers[0]).toEqual(new RpcError(-32_000, 'no', [1]))
  call(CALL)
  peer.lose(2, new NoAnswer('server files refused', false))
  expect(answers[1]).toMatchObject({ isError: true, _meta: { 'countersign/code': 'not_started' } })
  call(CALL)
  peer.close(new Error('server files ended'))
  expect(answers[2]).toMatchObject({
    isError: true,
    _meta: { 'countersign/status': 'unknown', 'countersign/code': 'outcome_unknown' },
  })
  expect(JSON.stringify(answers[2])).toContain('nobody knows whether it took effect')
  expect(call(CALL), 'closed').toBeUndefined()
  await vi.waitFor(() =>
    expect(logged.map((line) => line.split(' ')[2])).toEqual([
      'failed',
      'not_started',
      'outcome_unknown',
    ]),
  )
})

promise(
  ['CS-MCP-29', 'CS-MCP-9'],
  'who cancels is not answered, and the server hears',
  async () => {
    const at = await lane()
    const told: Message[] = []
    const client = createPeer({
      send: (message) => told.push(message) > 0,
      onQuick: (request, answer, notify) => quickCall(at.calls, request, answer, { notify }),
      onRequest: () => Promise.reject(new RpcError(-32_603, 'the full pipeline')),
      onNotification() {},
    })
    const request = { jsonrpc: '2.0', id: 'x', method: 'tools/call', params: CALL } as const
    client.receive(request)
    client.receive(request)
    expect(told).toMatchObject([{ id: 'x', error: { message: 'this id is in use' } }])
    client.receive({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 'x', reason: 'enough' },
    })
    expect(JSON.parse(at.lines[1] ?? '')).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: 1, reason: 'enough' },
    })
    at.peer.receive({ jsonrpc: '2.0', id: 1, result: { content: [] } })
    expect(told).toHaveLength(1)
    await vi.waitFor(() =>
      expect(at.logged).toEqual([expect.stringContaining('files.write L2 outcome_unknown')]),
    )
    client.receive(request)
    at.peer.receive({ jsonrpc: '2.0', id: 2, result: { content: [] } })
    expect(told[1]).toEqual({ jsonrpc: '2.0', id: 'x', result: { content: [] } })
  },
)
