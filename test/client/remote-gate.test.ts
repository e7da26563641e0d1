import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test, vi } from 'vitest'
import { CountersignError } from '../../src/base/errors.ts'
import { connectAgent } from '../../src/client/connection.ts'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { untilOver } from '../../src/client/wait.ts'
import { isCallBlocked } from '../../src/gate/call-blocked.ts'
import { HOST, POLICY, type Running, running, type Sender } from '../server/harness.ts'
import { promise } from '../support/promise.ts'

const PAY = { tool: 'pay', run: 'r1', key: 'k1', args: { amount: 500, to: 'Lena' } }

interface Remote {
  readonly own: Running
  readonly ana: Sender
  readonly gate: ReturnType<typeof remoteGate>
  /** What the client asked the server for. */
  readonly sent: string[]
  /** From now on the server cannot be reached, until told otherwise. */
  away(isAway: boolean): void
  /** The next answer from an address that ends like this does not arrive. */
  lose(path: string): void
}

async function remote(options: Parameters<typeof running>[0] = {}): Promise<Remote> {
  const own = running(options)
  const { authorization = '' } = await own.agent('bot')
  const sent: string[] = []
  let isAway = false
  let lost: string | undefined
  const gate = remoteGate({
    url: `http://${HOST}`,
    token: authorization.replace('Bearer ', ''),
    async fetch(input, init) {
      const url = new URL(String(input))
      sent.push(`${init?.method ?? 'GET'} ${url.pathname}`)
      if (isAway) throw new TypeError('fetch failed')
      const headers = { ...(init?.headers as Record<string, string>), host: HOST }
      const answer = await own.server.app.request(`${url.pathname}${url.search}`, {
        ...init,
        headers,
      })
      if (lost === undefined || !url.pathname.endsWith(lost)) return answer
      lost = undefined
      throw new TypeError('fetch failed')
    },
  })
  const ana = await own.person('ana@example.com')
  return {
    own,
    ana,
    gate,
    sent,
    away: (to) => {
      isAway = to
    },
    lose: (path) => {
      lost = path
    },
  }
}

/** Decides whatever is pending, as soon as something is. */
async function decide({ own, ana }: Remote, verdict: string, more: object = {}): Promise<void> {
  const list = await vi.waitFor(async () => {
    const found = await own.send('/v1/approvals?status=pending', { as: ana })
    expect(found.at('approvals.0.id')).toBeTypeOf('string')
    return found
  })
  const body = { verdict, digest: list.at('approvals.0.digest'), ...more }
  const path = `/v1/approvals/${list.at('approvals.0.id')}/decisions`
  const answer = await own.send(path, { as: ana, body })
  expect(answer.status).toBe(200)
}

promise(
  ['CF-5'],
  'what an approver attaches reaches those who wait over HTTP, and is there when they ask again',
  async () => {
    const all = await remote()
    const payload = { account: 'B' }
    const running = all.gate.run(PAY, () => 'paid')
    await decide(all, 'approve', { payload })
    expect(await running).toMatchObject({ status: 'succeeded', payload })
    expect(await all.gate.check(PAY)).toMatchObject({ status: 'approved', payload })
    expect(await all.gate.run(PAY, () => 'paid twice')).toMatchObject({ replayed: true, payload })
  },
)

promise(['CS-GATE-6'], 'a key of any length names its call over HTTP too', async () => {
  const all = await remote()
  const call = { ...PAY, key: `call_${'s'.repeat(5_000)}` }
  const running = all.gate.run(call, () => 'paid')
  await decide(all, 'approve')
  expect(await running).toMatchObject({ status: 'succeeded', result: 'paid' })
  expect(await all.gate.run(call, () => 'paid twice')).toMatchObject({ replayed: true })
})

test('what the policy allows runs without asking the server', async () => {
  const { gate, sent } = await remote()
  await gate.ready()
  expect(sent.toSorted()).toEqual(['GET /v1/locks', 'GET /v1/policy'])
  const call = { tool: 'pay', args: { amount: 5, to: 'Lena' } }
  const outcome = await gate.run(call, ({ amount }) => `paid ${amount}`)
  expect(outcome).toEqual({ status: 'succeeded', ran: true, result: 'paid 5' })
  expect(sent).not.toContain('POST /v1/calls')
})

test('what a person approves runs once, with what they approved, and the server knows', async () => {
  const own = await remote()
  const tool = vi.fn(({ amount }) => ({ paid: amount }))
  const running = own.gate.run(PAY, tool)
  await decide(own, 'approve', { edit: { arguments: { amount: 300, to: 'Lena' } } })
  expect(await running).toMatchObject({
    status: 'succeeded',
    result: { paid: 300 },
    modelMessage: expect.stringContaining('amount is now 300'),
  })
  // The same call again is answered with what became of it.
  expect(await own.gate.run(PAY, tool)).toMatchObject({ replayed: true, result: { paid: 300 } })
  expect(tool).toHaveBeenCalledTimes(1)
})

promise(
  ['CS-MCP-24'],
  'a tool that does not know how it ended tells the server nothing, and is not run again',
  async () => {
    const own = await remote()
    const tool = vi.fn(() => {
      throw new CountersignError('outcome_unknown', 'the line went dead')
    })
    const running = own.gate.run(PAY, tool)
    await decide(own, 'approve')
    const outcome = await running
    expect(outcome).toMatchObject({ status: 'unknown', ran: 'unknown' })
    expect(outcome).toMatchObject({ modelMessage: expect.stringContaining('the line went dead') })
    expect(own.sent.filter((line) => line.endsWith('/result'))).toEqual([])
    // Until the lease runs out; then the sweeper says that nobody knows.
    const { approvals } = await own.own.store.list({})
    expect(approvals[0]?.execution?.state).toBe('running')
    expect(tool).toHaveBeenCalledTimes(1)
  },
)

test('what a person denies does not run, and the model is told', async () => {
  const own = await remote()
  const tool = vi.fn()
  const running = own.gate
    .guard(tool, { name: 'pay' })(PAY.args)
    .catch((error: unknown) => error)
  await decide(own, 'deny', { reason: 'Not this month' })
  const error = await running
  expect(isCallBlocked(error, 'denied')).toBe(true)
  expect(error).toMatchObject({
    status: 'blocked',
    ran: false,
    modelMessage: expect.stringMatching(
      /denied by a person and did not run\. Reason: Not this month\./,
    ),
  })
  expect(tool).not.toHaveBeenCalled()
})

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

test('a key that names another call already is refused for good, a silent server is not', async () => {
  const { gate, away } = await remote()
  expect(await gate.check(PAY)).toMatchObject({ status: 'pending' })
  const changed = { ...PAY, args: { amount: 9_000, to: 'Mallory' } }
  expect(await gate.check(changed)).toMatchObject({ status: 'blocked', code: 'key_reused' })
  away(true)
  await expect(gate.check(PAY)).rejects.toMatchObject({ code: 'server_unreachable' })
})

test('what governance denies is refused here and there', async () => {
  const { gate } = await remote()
  const outcome = await gate.run({ tool: 'wipe_all', args: {} }, () => 'wiped')
  expect(outcome).toMatchObject({ status: 'blocked', ran: false, code: 'denied_by_policy' })
})

test('a tool that fails has failed for the server as well', async () => {
  const own = await remote()
  const running = own.gate.run(PAY, () => {
    throw new Error('no money')
  })
  await decide(own, 'approve')
  expect(await running).toMatchObject({ status: 'failed', ran: true })
  const list = await own.own.send('/v1/approvals?status=approved', { as: own.ana })
  expect(list.body).toMatchObject({ approvals: [{ execution: 'failed' }] })
})

test('whoever stops waiting leaves nothing behind that could run', async () => {
  const own = await remote()
  const tool = vi.fn()
  expect(await own.gate.run(PAY, tool, { waitFor: '1s' })).toMatchObject({
    status: 'blocked',
    code: 'withdrawn',
    ran: false,
  })
  const stop = new AbortController()
  const running = own.gate.run({ ...PAY, key: 'k2' }, tool, { signal: stop.signal })
  await vi.waitFor(async () => {
    const found = await own.own.send('/v1/approvals?status=pending', { as: own.ana })
    expect(found.body).toMatchObject({ approvals: [{}] })
  })
  stop.abort()
  expect(await running).toMatchObject({ status: 'blocked', code: 'withdrawn', ran: false })
  const left = await own.own.send('/v1/approvals?status=withdrawn', { as: own.ana })
  expect(left.body).toMatchObject({ approvals: [{}, {}] })
  expect(tool).not.toHaveBeenCalled()
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

test('a server that is away while somebody waits is asked again when it is back', async () => {
  const own = await remote()
  const running = own.gate.run(PAY, () => 'paid')
  await vi.waitFor(() => expect(own.sent.at(-1)).toContain('/v1/approvals/'))
  own.away(true)
  await decide(own, 'approve')
  own.away(false)
  expect(await running).toMatchObject({ status: 'succeeded', result: 'paid' })
})

test('a claim whose answer was lost starts nothing', async () => {
  const own = await remote()
  const tool = vi.fn()
  const running = own.gate.run(PAY, tool)
  own.lose('/claim')
  await decide(own, 'approve')
  expect(await running).toMatchObject({ status: 'blocked', code: 'not_started', ran: false })
  expect(tool).not.toHaveBeenCalled()
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
