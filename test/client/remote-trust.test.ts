import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectAgent } from '../../src/client/connection.ts'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { untilOver } from '../../src/client/wait.ts'
import { HOST, POLICY, running } from '../server/harness.ts'
import { promise } from '../support/promise.ts'
import { PAY, remote } from './remote.ts'

test('a token is not sent on to wherever an answer points', async () => {
  const reached: string[] = []
  const server = createServer(({ url }, response) => {
    reached.push(url ?? '')
    response.writeHead(307, { location: '/elsewhere' }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const gate = remoteGate({ url: `http://127.0.0.1:${port}`, token: 'secret' })
  await expect(gate.ready()).rejects.toMatchObject({ code: 'server_unreachable' })
  expect(await gate.run(PAY, () => 'paid')).toMatchObject({
    status: 'blocked',
    code: 'server_unreachable',
    ran: false,
  })
  expect(reached).not.toContain('/elsewhere')
})

test('a policy that nobody confirms for a minute allows nothing', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  try {
    const { gate, away } = await remote()
    const small = { tool: 'pay', args: { amount: 5, to: 'Lena' } }
    await gate.ready()
    away(true)
    vi.advanceTimersByTime(59_000)
    expect(await gate.run(small, () => 'paid')).toMatchObject({ status: 'succeeded' })
    vi.advanceTimersByTime(2_000)
    expect(await gate.run(small, () => 'paid')).toMatchObject({
      status: 'blocked',
      code: 'server_unreachable',
      ran: false,
    })
    away(false)
    expect(await gate.run(small, () => 'paid')).toMatchObject({ status: 'succeeded' })
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  ['an unknown token', 'cs_000000000000_x'],
  ['no token', ''],
])('with %s nothing runs', async (_, token) => {
  const { server } = running()
  const gate = remoteGate({
    url: `http://${HOST}`,
    token,
    fetch: async (input, init) => {
      const headers = { ...(init?.headers as Record<string, string>), host: HOST }
      return server.app.request(new URL(String(input)).pathname, { ...init, headers })
    },
  })
  const tool = vi.fn()
  expect(await gate.run({ tool: 'read', args: {} }, tool)).toMatchObject({
    status: 'blocked',
    code: 'token_unknown',
  })
  expect(tool).not.toHaveBeenCalled()
})

test.each(['nonsense', 'ftp://x', ''])('%j is no address of a server', (url) => {
  expect(() => remoteGate({ url, token: 't' })).toThrow(/address of the server/)
})

test('what somebody locked does not run, although the policy allows it', async () => {
  const { own, gate, away } = await remote()
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const admin = await own.person('root@example.com', ['admin'])
  const tool = vi.fn(async () => 'done')
  const read = { tool: 'read', args: {} }
  expect(await gate.run(read, tool)).toMatchObject({ status: 'succeeded' })
  const body = { target: { agent: 'bot' }, reason: 'looking' }
  const lock = await own.send('/v1/locks', { as: admin, body })
  vi.advanceTimersByTime(1_000)
  expect(await gate.run(read, tool)).toMatchObject({
    status: 'blocked',
    code: 'locked',
    modelMessage: expect.stringContaining('Reason: agent bot is locked: looking.'),
  })
  expect(await gate.run(PAY, tool)).toMatchObject({ status: 'blocked', code: 'locked' })
  // A server that is gone does not lift a lock.
  away(true)
  vi.advanceTimersByTime(1_000)
  expect(await gate.run(read, tool)).toMatchObject({ status: 'blocked', code: 'locked' })
  away(false)
  await own.send(`/v1/locks/${lock.at('id')}`, { as: admin, method: 'DELETE' })
  vi.advanceTimersByTime(1_000)
  expect(await gate.run(read, tool)).toMatchObject({ status: 'succeeded' })
  // What is not confirmed for a minute counts no more.
  away(true)
  vi.advanceTimersByTime(30_000)
  expect(await gate.run(read, tool)).toMatchObject({ status: 'succeeded' })
  vi.advanceTimersByTime(30_001)
  expect(await gate.run(read, tool)).toMatchObject({
    status: 'blocked',
    code: 'server_unreachable',
  })
  expect(tool).toHaveBeenCalledTimes(3)
})

promise(
  ['CS-SWITCH-5'],
  'a tool that was switched on asks the server within a second',
  async () => {
    const policy = `${POLICY}\nmcp_servers: [{ alias: files, command: x, approval: false }]\n`
    const { own, gate, sent } = await remote({ policy })
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const admin = await own.person('root@example.com', ['admin'])
    const tool = vi.fn(async () => 'done')
    const read = { server: 'files', tool: 'read', args: {} }
    expect(await gate.run(read, tool)).toMatchObject({ status: 'succeeded' })
    expect(sent).not.toContain('POST /v1/calls')
    const path = '/v1/servers/files/tools/read/switch'
    await own.send(path, { as: admin, method: 'PUT', body: { on: true } })
    vi.advanceTimersByTime(1_000)
    expect(await gate.run(read, tool, { wait: false })).toMatchObject({ status: 'pending' })
    expect(sent).toContain('POST /v1/calls')
    expect(tool).toHaveBeenCalledTimes(1)
  },
)

test('a call that the server does not understand is refused in one sentence', async () => {
  const { gate } = await remote()
  const definition = {
    description: 'Pays',
    inputSchema: { type: 'object', properties: { amount: { type: 'string' } } },
  }
  const outcome = await gate.run(PAY, { name: 'pay', definition, run: () => 'paid' })
  expect(outcome).toMatchObject({ status: 'blocked', code: 'invalid_call', ran: false })
  const { modelMessage = '' } = outcome
  expect(modelMessage.match(/was not understood/g)).toHaveLength(1)
  expect(modelMessage).toContain('amount')
})

test('a wrong token is named as such, to the model and to the developer', async () => {
  const own = running()
  const gate = remoteGate({
    url: `http://${HOST}`,
    token: 'cs_000000000000_wrong',
    fetch: (input, init) => {
      const headers = { ...(init?.headers as Record<string, string>), host: HOST }
      return Promise.resolve(
        own.server.app.request(new URL(String(input)).pathname, { ...init, headers }),
      )
    },
  })
  const outcome = await gate.run(PAY, () => 'paid')
  expect(outcome).toMatchObject({ status: 'blocked', ran: false, code: 'token_unknown' })
  const { modelMessage } = outcome
  expect(modelMessage).toContain('token')
  expect(modelMessage).toContain('countersign token create')
  expect(modelMessage).not.toContain('approvals are unavailable')
})

promise(
  ['CS-SERVE-8'],
  'a server that has no time or is about to stop has refused nothing',
  async () => {
    const answers = [
      [429, { error: { code: 'too_many_requests', message: 'too many requests' } }],
      [503, { error: { code: 'store_unavailable', message: 'about to stop' } }],
      [502, 'Bad Gateway'],
      [200, { id: 'a1', status: 'approved', digest: 'd' }],
    ] as const
    let asked = 0
    const server = createServer((_request, response) => {
      const [status, body] = answers[asked] ?? [500, {}]
      asked += 1
      response.writeHead(status, { 'content-type': 'application/json', 'retry-after': '0' })
      response.end(typeof body === 'string' ? body : JSON.stringify(body))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const connection = connectAgent({ url: `http://127.0.0.1:${port}`, token: 't' })
    const waiting = { signal: undefined, patience: undefined }
    expect(await untilOver(connection, 'a1', waiting)).toMatchObject({ status: 'approved' })
    expect(asked).toBe(answers.length)
  },
)

promise(['CS-SERVE-8'], 'a server that answers early is not asked again at once', async () => {
  let asked = 0
  const server = createServer((_request, response) => {
    asked += 1
    response.end('{"id":"a1","status":"pending"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const connection = connectAgent({ url: `http://127.0.0.1:${port}`, token: 't' })
  const waiting = { signal: undefined, patience: 2_500 }
  expect(await untilOver(connection, 'a1', waiting)).toMatchObject({ status: 'pending' })
  expect(asked).toBeLessThan(10)
})
