import { expect, vi } from 'vitest'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { HOST, running } from '../server/harness.ts'
import { promise } from '../support/promise.ts'

const PAY = { tool: 'pay', args: { amount: 500, to: 'Lena' } }
const ASK = 'POST /v1/calls'

/** What becomes of a request: it never arrives, its answer is lost, or something else answers. */
type Mishap = 'unsent' | 'unanswered' | Response

const newer = () =>
  Response.json(
    { error: { code: 'store_newer', message: 'a newer release is in place' } },
    { status: 503 },
  )
const badGateway = () => new Response('<title>Bad gateway</title>', { status: 502 })

/** A gate whose next requests of one route meet these mishaps, in this order. */
async function unlucky(
  route: string,
  mishaps: (Mishap | undefined)[],
  retryFor: string | number = '10s',
) {
  const own = running()
  const { authorization = '' } = await own.agent('bot')
  const sent: string[] = []
  const gate = remoteGate({
    ...{ url: `http://${HOST}`, token: authorization.replace('Bearer ', '') },
    ...{ retryFor, announce: false },
    async fetch(input, init) {
      const { pathname, search } = new URL(String(input))
      const at = `${init?.method ?? 'GET'} ${pathname}`
      sent.push(at)
      const mishap = at === route ? mishaps.shift() : undefined
      if (mishap === 'unsent') throw new TypeError('fetch failed')
      if (mishap instanceof Response) return mishap
      const headers = { ...(init?.headers as Record<string, string>), host: HOST }
      const answer = await own.server.app.request(`${pathname}${search}`, { ...init, headers })
      if (mishap === 'unanswered') throw new TypeError('fetch failed')
      return answer
    },
  })
  const ana = await own.person('ana@example.com')
  return {
    ...{ own, gate, ana },
    count: () => sent.filter((at) => at === route).length,
    questions: async () =>
      (await own.send('/v1/approvals', { as: ana })).body as { approvals: { id: string }[] },
  }
}

promise(
  ['CS-UP-3'],
  'a call is asked about once, whatever became of the requests before',
  async () => {
    const mishaps: Mishap[] = ['unanswered', newer(), 'unsent', 'unanswered']
    const { own, gate, ana, count, questions } = await unlucky(ASK, [...mishaps], '30s')
    await gate.ready()
    const tool = vi.fn(() => 'paid')
    const calling = gate.run(PAY, tool)
    await vi.waitFor(() => expect(count()).toBe(mishaps.length + 1), { timeout: 30_000 })
    const { approvals } = await vi.waitFor(async () => {
      const found = await questions()
      expect(found.approvals).toHaveLength(1)
      return found
    })
    const [{ id } = { id: '' }] = approvals
    const card = await own.send(`/v1/approvals/${id}`, { as: ana })
    const body = { verdict: 'approve', digest: card.at('digest') }
    expect((await own.send(`/v1/approvals/${id}/decisions`, { as: ana, body })).status).toBe(200)
    expect(await calling).toMatchObject({ status: 'succeeded', result: 'paid' })
    expect(tool).toHaveBeenCalledOnce()
    expect((await questions()).approvals).toHaveLength(1)
  },
  40_000,
)

promise(['CS-UP-3'], 'nothing runs when no server takes the question in time', async () => {
  const { gate, count } = await unlucky(ASK, Array<Mishap>(50).fill('unsent'), 1_000)
  await gate.ready()
  const tool = vi.fn()
  expect(await gate.run(PAY, tool)).toMatchObject({ ran: false, code: 'server_unreachable' })
  expect(tool).not.toHaveBeenCalled()
  expect(count()).toBeGreaterThan(1)
  expect(count()).toBeLessThan(6)
})

promise.each(
  ['CS-UP-3'],
  'a request is not sent again where',
  [
    ['the address never answered', 'GET /v1/policy', 'unsent', {}],
    ['the answer comes from another program', ASK, new Response('<title>Hi</title>'), {}],
    ['the server points elsewhere', ASK, new Response(null, { status: 307 }), {}],
    ['equal calls share a question without a key', ASK, 'unanswered', { join: 'digest' }],
    ['the server would have to wait too long', ASK, retryAfter(60), {}],
  ] as [string, string, Mishap, { join?: 'digest' }][],
  async (_, route, mishap, options) => {
    const { gate, count } = await unlucky(route, [mishap])
    if (route === ASK) await gate.ready()
    const tool = vi.fn()
    const outcome = await gate.run(PAY, tool, { ...options, wait: false })
    expect(outcome).toMatchObject({ status: 'blocked', ran: false })
    expect(count()).toBe(1)
    expect(tool).not.toHaveBeenCalled()
  },
)

function retryAfter(seconds: number): Response {
  const error = { code: 'too_many_requests', message: 'too many requests' }
  const headers = { 'retry-after': String(seconds) }
  return Response.json({ error }, { status: 429, headers })
}

promise(['CS-UP-3'], 'a caller that gives up is not kept by a server that is away', async () => {
  const { gate, count } = await unlucky(ASK, Array<Mishap>(50).fill('unsent'), '60s')
  await gate.ready()
  const ending = new AbortController()
  const calling = gate.run(PAY, vi.fn(), { signal: ending.signal })
  await vi.waitFor(() => expect(count()).toBeGreaterThan(1))
  ending.abort()
  expect(await calling).toMatchObject({ status: 'blocked', ran: false })
})

promise.each(
  ['CS-UP-3'],
  'what a gate judges by is asked for again',
  [['GET /v1/policy'], ['GET /v1/locks']],
  async (route) => {
    const { gate, count } = await unlucky(route, [newer(), badGateway()])
    const outcome = await gate.run({ tool: 'read', args: {} }, () => 'read')
    expect(outcome).toMatchObject({ status: 'succeeded' })
    expect(count()).toBe(3)
  },
)
