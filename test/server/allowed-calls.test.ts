import fc from 'fast-check'
import { expect, test } from 'vitest'
import { internals } from '../../src/gate/internals.ts'
import { HOST, type Running, running, type Sender } from './harness.ts'

/*
 * A call that certainly needs no approval is answered at once. These tests send it beside a server
 * that answers everything the long way, and take away what it rests on.
 */

const POLICY = `version: 1
tools:
  pay: { approval: { condition: { args_match: { amount: { gt: 100 } } } } }
  read: { approval: false }
governance:
  - { id: no-wipes, match: { tool: "wipe*" }, deny: Nothing is wiped here. }
`

async function post(own: Running, as: Sender, body: string, more: Sender = {}) {
  const headers = { host: HOST, 'content-type': 'application/json', ...as, ...more }
  const response = await own.server.app.request('/v1/calls', { method: 'POST', body, headers })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

async function opened(isLong = false) {
  const own = running({ policy: POLICY, callsPerSecond: 100_000 })
  // A listener hears of every call, and only the long way tells it.
  if (isLong) own.server.gate.on('evaluated', () => {})
  const as = await own.agent('bot')
  // Before the locks are known, every call goes the long way.
  await own.server.gate.admin.locks.list()
  return { ...own, as }
}

const FREE = '{"tool":"read","args":{"b":1,"a":[true,null,"x"]}}'

const leaf = fc.oneof(
  fc.constantFrom<unknown>(0, 1, 5, 101, -0, 0.5, 1e21, 2 ** 53, 'wipe', 'ü', '\ud800', true, null),
  fc.string(),
)
const value = fc.oneof(leaf, fc.array(leaf, { maxLength: 2 }), fc.dictionary(fc.string(), leaf))
const key = fc.constantFrom('amount', 'a', 'b', '10', '9', '__proto__', 'constructor', 'ü')
const more = fc.constantFrom<object>(
  ...[{}, {}, {}, {}, { key: 'k' }, { key: 'k'.repeat(2_000) }, { key: 7 }, { run: 'r', key: 'k' }],
  ...[{ server: 'files' }, { server: '' }, { kind: 'agent' }, { kind: 'x' }, { agent: 'other' }],
  ...[{ principal: 'ana@example.com' }, { risk: 'L1' }, { risk: 'L9' }, { arguments: {} }],
  ...[{ context: { says: 'why' } }, { context: { odd: 1 } }, { parent: { input: {} } }],
  ...[{ observe: true }, { observe: 1 }, { ask: false }, { definition: {} }, { definition: 1 }],
)
const body = fc
  .tuple(
    fc.constantFrom<unknown>('read', 'read', 'read', 'pay', 'wipe_all', '', 7),
    fc.oneof({ weight: 5, arbitrary: fc.dictionary(key, value, { maxKeys: 4 }) }, leaf),
    more,
  )
  .map(([tool, args, rest]) => ({ tool, args, ...rest }))
/** As some program might write it: with blanks, with a key twice, with escapes. */
const written = fc
  .tuple(body, fc.constantFrom('as is', 'spaced', 'doubled', 'escaped'))
  .map(([one, how]) => {
    const text = JSON.stringify(one)
    if (how === 'spaced') return JSON.stringify(one, null, 2)
    if (how === 'doubled') return text.replace('{', '{"tool":"wipe_all",')
    return how === 'escaped' ? text.replaceAll('a', '\\u0061') : text
  })

test('what is answered at once is what the long way answers', async () => {
  const [quick, long] = [await opened(), await opened(true)]
  const allowed = quick.server.gate.with({ agent: 'bot' })[internals].allowedBytes
  expect(allowed({ tool: 'read', args: {} }), 'there is a short way').toBeDefined()
  let answered = 0
  await fc.assert(
    fc.asyncProperty(written, async (text) => {
      const [one, other] = [await post(quick, quick.as, text), await post(long, long.as, text)]
      expect(one.status, text).toBe(other.status)
      const names = (headers: Headers) => [...headers].map(([name]) => name)
      expect(names(one.headers)).toEqual(names(other.headers))
      const [said, meant] = [JSON.parse(one.text), JSON.parse(other.text)]
      // Questions differ in their ids.
      if (meant.status === 'pending') expect(said.digest).toBe(meant.digest)
      else expect(said, text).toEqual(meant)
      if (said.status === 'allowed') answered += 1
    }),
    { numRuns: 1_200 },
  )
  expect(answered).toBeGreaterThan(50)
})

test('what was locked, revoked or asked too often a moment ago is not answered at once', async () => {
  const own = await opened()
  const admin = await own.person('root@example.com', ['admin'])
  expect((await post(own, own.as, FREE)).text).toContain('"status":"allowed"')
  const lock = { target: { tool: 'read' }, reason: 'enough' }
  const locked = await own.send('/v1/locks', { as: admin, body: lock })
  expect(locked.status).toBeLessThan(300)
  expect(JSON.parse((await post(own, own.as, FREE)).text)).toMatchObject({ code: 'locked' })

  const other = await opened()
  expect((await post(other, other.as, FREE)).status).toBe(200)
  const [token] = await other.server.credentials.tokens.list()
  await other.server.credentials.tokens.revoke(token?.prefix ?? '')
  expect((await post(other, other.as, FREE)).status).toBe(401)

  const slow = running({ policy: POLICY, callsPerSecond: 1 })
  const as = await slow.agent('bot')
  await slow.server.gate.admin.locks.list()
  for (let count = 0; count < 10; count += 1) expect((await post(slow, as, FREE)).status).toBe(200)
  expect((await post(slow, as, FREE)).status).toBe(429)
})

test('who asks, from where and how is looked at before anything is answered', async () => {
  const own = await opened()
  const person = await own.person('ana@example.com')
  const statusOf = async (as: Sender, more: Sender = {}) => (await post(own, as, FREE, more)).status
  expect(await statusOf(own.as)).toBe(200)
  expect(await statusOf({})).toBe(401)
  expect(await statusOf({ authorization: 'Bearer cs_000000000000_x' })).toBe(401)
  expect(await statusOf(person)).toBe(403)
  expect(await statusOf(own.as, { host: 'evil.example' })).toBe(403)
  expect(await statusOf(own.as, { origin: 'https://evil.example' })).toBe(403)
  expect(await statusOf(own.as, { 'sec-fetch-site': 'cross-site' })).toBe(403)
  expect(await statusOf(own.as, { 'content-type': 'text/plain' })).toBe(415)
  expect(await statusOf(own.as, { 'content-length': '1048577' })).toBe(413)
  expect(await statusOf(own.as, { 'content-length': 'many' })).toBe(413)
})

test('a tool that this process registered is held to its schema', async () => {
  const own = await opened()
  const inputSchema = { type: 'object', required: ['to'], properties: { to: { type: 'string' } } }
  own.server.gate.with({ agent: 'bot' })[internals].tool('read', { inputSchema })
  expect((await post(own, own.as, FREE)).text).not.toContain('"status":"allowed"')
  const right = await post(own, own.as, '{"tool":"read","args":{"to":"x"}}')
  expect(right.text).toContain('"status":"allowed"')
})

test('it is counted and logged like every other request', async () => {
  const own = await opened()
  const { headers } = await post(own, own.as, FREE, { 'x-request-id': 'abc' })
  expect(headers.get('x-request-id')).toBe('abc')
  expect(own.logged.at(-1)).toContain('"request":"abc","method":"POST","route":"/v1/calls"')
  const { body: numbers } = await own.send('/metrics')
  expect(numbers).toContain('method="POST",route="/v1/calls",status="200"} 1')
})
