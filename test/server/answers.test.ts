import { jsonSchema } from 'ai'
import { expect, test } from 'vitest'
import { guardTools } from '../../src/adapters/ai-sdk/guard-tools.ts'
import { resumeTurn } from '../../src/adapters/ai-sdk/resume-turn.ts'
import { remoteGate } from '../../src/client/remote-gate.ts'
import { promise } from '../support/promise.ts'
import { HOST, type Running, running, type Sender } from './harness.ts'

const POLICY = `version: 1
tools:
  note: { approval: true }
  sure: { approval: { min_assurance: signed-in } }
  pay: { approval: { approvers: ["*"] } }
`
const UMA = 'uma@example.com'

async function asked(own: Running, as: Sender, tool = 'note', named: string | false = UMA) {
  const principal = named === false ? {} : { principal: named }
  const body = { tool, run: 'r', key: crypto.randomUUID(), args: { x: 1 }, ...principal }
  const answer = await own.send('/v1/calls', { as, body })
  return { id: answer.at('id'), digest: answer.at('digest') }
}

function answer(
  own: Running,
  as: Sender,
  { id, digest }: { id: string; digest: string },
  more = {},
) {
  const body = { by: UMA, approved: true, seen: digest, ...more }
  return own.send(`/v1/approvals/${id}/answers`, { as, body })
}

promise(
  ['CS-AGENT-5'],
  'AR-20: an application that vouches for its user records what they confirmed in its chat',
  async () => {
    const own = running({ policy: POLICY })
    const app = await own.agent('app', { vouches: true })
    const call = await asked(own, app)
    const confirmed = await answer(own, app, call, { payload: { tone: 'kind' } })
    expect(confirmed.body).toMatchObject({ status: 'approved', level: 'confirm' })
    const [prefix] = (await own.server.credentials.tokens.list()).map((one) => one.prefix)
    expect((await own.store.get(call.id))?.decisions).toMatchObject([
      { by: { issuer: `vouched:${prefix}`, subject: UMA, assurance: 'chat' }, verdict: 'approve' },
    ])
    const claim = await own.send(`/v1/approvals/${call.id}/claim`, {
      as: app,
      body: { digest: call.digest },
    })
    expect(claim.body).toMatchObject({ args: { x: 1 }, decision: { tone: 'kind' } })
    const no = await asked(own, app)
    const denied = await answer(own, app, no, { approved: false, reason: 'not now' })
    expect(denied.body).toMatchObject({ status: 'denied' })
  },
)

promise(['CS-AGENT-5'], 'B4-02: an answer from a chat decides nothing else', async () => {
  const own = running({ policy: POLICY })
  const app = await own.agent('app', { vouches: true })
  const ana = await own.person('ana@example.com')
  const code = async (sent: ReturnType<typeof answer>) => (await sent).at('error.code')
  const call = await asked(own, app)
  const plain = await own.agent('app')
  const bound = await own.agent('app', { principal: UMA })
  const other = await own.agent('other', { vouches: true })
  expect(await code(answer(own, plain, call))).toBe('not_permitted')
  expect(await code(answer(own, bound, call))).toBe('not_permitted')
  expect(await code(answer(own, ana, call))).toBe('not_permitted')
  expect(await code(answer(own, other, call))).toBe('approval_not_found')
  expect(await code(answer(own, app, call, { by: 'ana@example.com' }))).toBe('not_permitted')
  expect(await code(answer(own, app, call, { by: ` ${UMA}` }))).toBe('invalid_value')
  expect(await code(answer(own, app, call, { seen: '0'.repeat(64) }))).toBe('call_changed')
  expect(await code(answer(own, app, await asked(own, app, 'pay')))).toBe('not_permitted')
  expect(await code(answer(own, app, await asked(own, app, 'sure')))).toBe('assurance_too_low')
  const nobody = await asked(own, app, 'note', false)
  expect(await code(answer(own, app, nobody))).toBe('not_permitted')
  expect((await own.store.list({ status: ['approved', 'denied'] })).approvals).toEqual([])
})

promise(
  ['CS-AGENT-6'],
  'B7-06: a token that vouches reaches no call of a token that is bound to a person, nor the other way',
  async () => {
    const own = running({ policy: POLICY })
    const app = await own.agent('app', { vouches: true })
    const bound = await own.agent('app', { principal: UMA })
    const plain = await own.agent('app')
    const calls = [
      { of: app, by: [bound, plain], call: await asked(own, app) },
      { of: bound, by: [app, plain], call: await asked(own, bound, 'note', false) },
      { of: plain, by: [app, bound], call: await asked(own, plain, 'note', false) },
      { of: app, by: [bound, plain], call: await asked(own, app, 'note', false) },
    ]
    for (const { of, by, call } of calls) {
      const at = `/v1/approvals/${call.id}`
      for (const stranger of by) {
        expect((await own.send(at, { as: stranger })).status).toBe(404)
        const claim = await own.send(`${at}/claim`, { as: stranger, body: { digest: call.digest } })
        expect(claim.status).toBe(404)
        expect((await answer(own, stranger, call)).status).toBeGreaterThanOrEqual(403)
        const list = await own.send('/v1/approvals', { as: stranger })
        expect(JSON.stringify(list.body)).not.toContain(call.id)
      }
      expect((await own.send(at, { as: of })).status).toBe(200)
      expect((await own.store.get(call.id))?.status).toBe('pending')
    }
  },
)

promise(['CS-AGENT-6'], 'asking under the key of such a call does not join it', async () => {
  const own = running({ policy: POLICY })
  const app = await own.agent('app', { vouches: true })
  const bound = await own.agent('app', { principal: UMA })
  const body = { tool: 'note', run: 'r', args: { x: 1 } }
  for (const key of [{ key: 'k' }, {}]) {
    const mine = await own.send('/v1/calls', { as: bound, body: { ...body, ...key } })
    const look = { ...body, ...key, principal: UMA, ask: false }
    const looked = await own.send('/v1/calls', { as: app, body: look })
    expect(JSON.stringify(looked.body)).not.toContain(mine.at('id'))
    const asking = { ...body, ...key, principal: UMA }
    const theirs = await own.send('/v1/calls', { as: app, body: asking })
    expect(JSON.stringify(theirs.body)).not.toContain(mine.at('id'))
  }
})

promise(
  ['CS-AGENT-6'],
  'another token of the application that vouches goes on with its calls',
  async () => {
    const own = running({ policy: POLICY })
    const app = await own.agent('app', { vouches: true })
    const next = await own.agent('app', { vouches: true })
    const call = await asked(own, app)
    expect((await answer(own, next, call)).body).toMatchObject({ status: 'approved' })
  },
)

test('a yes from a chat ends with the token that vouched for it', async () => {
  const own = running({ policy: POLICY })
  const app = await own.agent('app', { vouches: true })
  const call = await asked(own, app)
  expect((await answer(own, app, call)).status).toBe(200)
  const [token] = await own.server.credentials.tokens.list()
  await own.server.credentials.tokens.revoke(token?.prefix ?? '')
  const again = await own.agent('app', { vouches: true })
  const body = { digest: call.digest }
  const claim = await own.send(`/v1/approvals/${call.id}/claim`, { as: again, body })
  expect(claim.status).not.toBe(200)
})

test('somebody who was removed here confirms nothing from a chat', async () => {
  const own = running({ policy: POLICY })
  const app = await own.agent('app', { vouches: true })
  await own.person(UMA, ['viewer'])
  const root = await own.person('root@example.com', ['admin'])
  const people = (await own.send('/v1/people', { as: root })).body as {
    people: { id: string; email?: string }[]
  }
  const uma = people.people.find(({ email }) => email === UMA)
  const call = await asked(own, app)
  await own.send(`/v1/people/${uma?.id}`, { as: root, method: 'DELETE' })
  expect((await answer(own, app, call)).at('error.code')).toBe('locked')
  expect((await own.store.get(call.id))?.status).toBe('pending')
})

promise(
  ['CS-AGENT-5'],
  'CF-24: resumeTurn records the user’s answer through a remote gate',
  async () => {
    const own = running({ policy: POLICY })
    const { authorization = '' } = await own.agent('app', { vouches: true })
    const gate = remoteGate({
      url: `http://${HOST}`,
      token: authorization.replace('Bearer ', ''),
      fetch: (input, init) => {
        const { pathname, search } = new URL(String(input))
        const headers = { ...(init?.headers as Record<string, string>), host: HOST }
        return Promise.resolve(own.server.app.request(`${pathname}${search}`, { ...init, headers }))
      },
    })
    const ran: unknown[] = []
    const tools = guardTools(
      gate.with({ principal: UMA }),
      {
        note: {
          description: 'Notes',
          inputSchema: jsonSchema({ type: 'object' }),
          execute: (input: unknown) => void ran.push(input),
        },
      },
      { run: 'chat-1' },
    )
    const messages = [
      {
        role: 'assistant' as const,
        content: [
          { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'note', input: { x: 1 } },
          { type: 'tool-approval-request' as const, approvalId: 'a1', toolCallId: 'c1' },
        ],
      },
      {
        role: 'tool' as const,
        content: [{ type: 'tool-approval-response' as const, approvalId: 'a1', approved: true }],
      },
    ]
    expect(await resumeTurn(tools as never, messages)).toMatchObject({ status: 'waiting' })
    const by = {
      issuer: 'app',
      subject: 'u-1',
      email: UMA,
      emailVerified: true,
      groups: [],
      roles: [],
    }
    const resumed = await resumeTurn(tools as never, messages, { by, approvals: gate.approvals })
    expect(resumed).toMatchObject({ status: 'ready' })
    const { approvals } = await own.store.list({})
    expect(approvals).toMatchObject([{ status: 'approved', call: { principal: { subject: UMA } } }])
  },
)

function overHttp(own: Running, { authorization = '' }: Sender) {
  return remoteGate({
    url: `http://${HOST}`,
    token: authorization.replace('Bearer ', ''),
    fetch: (input, init) => {
      const { pathname, search } = new URL(String(input))
      const headers = { ...(init?.headers as Record<string, string>), host: HOST }
      return Promise.resolve(own.server.app.request(`${pathname}${search}`, { ...init, headers }))
    },
  })
}

test('B4-05: a gate for a user stays theirs where the next name is left out', async () => {
  const own = running({ policy: POLICY })
  const gate = overHttp(own, await own.agent('app', { vouches: true })).with({ principal: UMA })
  const missing = { principal: undefined, run: 'r' } as unknown as { run: string }
  expect(await gate.with(missing).check({ tool: 'note', args: {} })).toMatchObject({
    status: 'pending',
  })
  const { approvals } = await own.store.list({})
  expect(approvals).toMatchObject([{ call: { principal: { subject: UMA }, run: 'r' } }])
})

test('B4-02: a name that only looks like an address answers for nobody', async () => {
  const own = running({ policy: POLICY })
  const app = await own.agent('app', { vouches: true })
  const { id, digest } = await asked(own, app)
  const { approvals } = overHttp(own, app)
  for (const by of [
    { subject: UMA },
    { subject: UMA, email: 'mallory@example.com', emailVerified: false },
    { subject: 'u-1', email: UMA, emailVerified: false },
  ]) {
    const decided = approvals.decide(id, { by, verdict: 'approve', seen: digest })
    await expect(decided).rejects.toMatchObject({ code: 'not_permitted' })
  }
  expect((await own.store.get(id))?.status).toBe('pending')
})
