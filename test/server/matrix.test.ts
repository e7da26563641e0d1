import { expect, test, vi } from 'vitest'
import { promise } from '../support/promise.ts'
import { HOST, running } from './harness.ts'
import { type MatrixWorld, matrixWorld, SENDERS, type State, type Who } from './matrix-world.ts'
import { RIGHTS } from './rights.ts'

vi.setConfig({ testTimeout: 240_000 })

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE']
const SAFE = ['GET', 'HEAD', 'OPTIONS']

const SPEC = {
  description: 'Adds.',
  language: 'javascript',
  source: 'export default () => 1',
  inputSchema: { type: 'object' },
  capabilities: { net: [], write: false, secrets: [], kv: false, irreversible: false },
  hitl: { mode: 'DISABLED' },
  test: { args: {} },
}

/** What each needs in its body to get as far as who may do it. */
const SUBSCRIPTION = { endpoint: 'https://push.example/1', p256dh: 'x', auth: 'x' }

const EVALUATION = {
  subject: { type: 'agent', id: 'bot' },
  action: { name: 'note' },
  resource: { type: 'tool', id: 'note', properties: { text: 'x' } },
}

const BODIES: Readonly<Record<string, (of: State) => unknown>> = {
  '/access/v1/evaluation': () => EVALUATION,
  '/access/v1/evaluations': () => ({ evaluations: [EVALUATION] }),
  '/access/v1/requests': () => ({
    ...EVALUATION,
    denial: { evaluation_id: 'eval_x', expires_at: '2026-01-01T00:00:00Z' },
  }),
  '/v1/oauth/requests': () => ({ query: 'client_id=https://client.example/x' }),
  '/v1/oauth/answers': () => ({ request: 'x', allow: true }),
  '/v1/sign-in/callback': () => ({ answer: 'code=x&state=x' }),
  '/v1/session': () => ({ token: 'x'.repeat(43) }),
  '/v1/approvals/:id/decisions': ({ digest }) => ({ verdict: 'approve', digest }),
  '/v1/approvals/:id/passkey': ({ digest }) => ({ verdict: 'approve', digest }),
  '/v1/passkeys': () => ({ name: 'Laptop', response: {} }),
  '/v1/approvals/:id/extend': ({ now }) => ({ until: now + 90_000_000 }),
  '/v1/approvals/:id/resolve': () => ({ outcome: 'failed' }),
  '/v1/approvals/:id/reveal': ({ digest }) => ({ path: ['card'], digest }),
  '/v1/approvals/:id/questions': () => ({ text: 'Why?' }),
  '/v1/approvals/:id/replies': () => ({ text: 'Because.' }),
  '/v1/approvals/:id/reports': () => ({ type: 'complete' }),
  '/v1/approvals/:id/comments': () => ({ text: 'Fine.' }),
  '/v1/approvals/:id/assign': () => ({}),
  '/v1/approvals/:id/claim': ({ digest }) => ({ digest }),
  '/v1/approvals/:id/answers': ({ digest }) => ({
    by: 'ana@example.com',
    approved: true,
    seen: digest,
  }),
  '/v1/approvals/:id/countersignature': ({ claim }) => ({ claim }),
  '/v1/approvals/:id/renew': ({ claim }) => ({ claim }),
  '/v1/approvals/:id/result': ({ claim }) => ({ claim, outcome: 'succeeded', result: 1 }),
  '/v1/calls': () => ({ tool: 'note', args: { text: 'x' } }),
  '/v1/login/confirm': () => ({ code: 'BBBB-BBBB' }),
  '/v1/login/finish': () => ({ secret: 'x'.repeat(43) }),
  '/v1/policy/apply': () => ({ name: '0'.repeat(64) }),
  '/v1/policy/rule': ({ id }) => ({ from: id }),
  '/v1/policy/draft': () => ({ text: 'version: 1\n', base: '0'.repeat(64) }),
  '/v1/policy/explain': () => ({ tool: 'note', args: {} }),
  '/v1/tokens': () => ({ agent: 'new' }),
  '/v1/approvals/:id/grant-proposal': () => ({}),
  '/v1/grants': () => ({
    tool: 'pay',
    agent: 'bot',
    condition: { args_match: { amount: { lte: 500 } } },
  }),
  '/v1/people': () => ({ email: 'new@example.com', roles: ['viewer'] }),
  '/v1/invites': () => ({ email: 'guest@example.com', name: 'Guest', roles: ['viewer'] }),
  '/v1/invites/accept': () => ({ token: 'x'.repeat(43) }),
  '/v1/people/:person': () => ({ roles: ['viewer'] }),
  '/v1/servers/:server/switch': () => ({ on: true }),
  '/v1/servers/:server/tools/:tool/switch': () => ({ on: true }),
  '/v1/people/stand-ins': ({ now }) => ({ standIn: 'viewer@example.com', until: now + 90_000_000 }),
  '/v1/channel-links/codes': () => ({ channel: 'none' }),
  '/v1/me/notifications': () => ({}),
  '/v1/me/views': () => ({ name: 'Mine', page: 'inbox', query: '' }),
  '/v1/me/views/:view': () => ({ name: 'Mine' }),
  '/v1/devices': () => ({ ...SUBSCRIPTION, name: 'Phone' }),
  '/v1/devices/seen': () => ({ endpoint: SUBSCRIPTION.endpoint }),
  '/v1/devices/renew': () => ({ ...SUBSCRIPTION, was: 'https://push.example/2', renewal: 'x' }),
  '/v1/locks': () => ({ target: { agent: 'nobody' }, reason: 'a test' }),
  '/v1/holds': () => HOLD,
  '/v1/holds/:hold/release': () => ({ reason: 'a test' }),
  '/v1/chat/conversations': () => ({ model: 'rehearsal' }),
  '/v1/chat/model-servers/:name': () => ({ wire: 'openai' }),
  '/v1/chat/conversations/:id/messages': () => ({ text: 'Hello' }),
  '/v1/studio/tools/:name': () => ({ spec: SPEC }),
  '/v1/studio/tools/:name/run': () => ({ spec: SPEC, args: {} }),
  '/v1/studio/tools/:name/publish': () => ({ revision: 1 }),
  '/v1/studio/tools/:name/secrets/:secret': () => ({ value: '0123456789', revision: 1 }),
}

const HOLD = { target: { agent: 'nobody' }, reason: 'a test' }

/** What stands in an address, by the name of its place. All of it exists. */
type Places = Readonly<Record<string, string>>

async function placesOf({ send, by, states, store }: MatrixWorld): Promise<Places> {
  const [first] = states as [State]
  const body = BODIES['/v1/grants']?.(first)
  const made = await send('/v1/grants', { as: by.approver, body })
  const { tokens } = (await send('/v1/tokens', { as: by.admin })).body as {
    tokens: { prefix: string }[]
  }
  const { people } = (await send('/v1/people', { as: by.admin })).body as {
    people: { id: string; email: string }[]
  }
  const { locks } = (await send('/v1/locks', { as: by.admin })).body as { locks: { id: string }[] }
  const held = await send('/v1/holds', { as: by.admin, body: HOLD })
  const chat = await send('/v1/chat/conversations', { as: by.approver, body: {} })
  await send('/v1/studio/tools/adder', { as: by.admin, method: 'PUT', body: { spec: SPEC } })
  const person = { issuer: 'local', subject: 'admin@example.com' }
  const version = { spec: SPEC, digest: 'x', by: person, testMs: 1 }
  await store.records.put('studio-version', 'adder/1', version)
  return {
    proposal: '0'.repeat(64),
    id: first.id,
    conversation: chat.at('id'),
    name: 'adder',
    version: '1',
    secret: 'KEY',
    grant: made.at('id'),
    prefix: tokens[0]?.prefix ?? '',
    person: people.find(({ email }) => email === 'viewer@example.com')?.id ?? '',
    lock: locks[0]?.id ?? '',
    hold: held.at('id'),
    standIn: 'none',
    passkey: 'none',
    device: 'none',
    link: 'none',
    view: 'none',
    invite: 'none',
    server: 'files',
    tool: 'pay',
  }
}

function addressOf(pattern: string, places: Places): string {
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => {
    const place = places[name]
    if (!place) throw new Error(`nothing is known that could stand at :${name} of ${pattern}`)
    return encodeURIComponent(place)
  })
}

/** The address itself, or the one that takes the last word of it for a name. */
function rightsAt(method: string, pattern: string): string | undefined {
  const last = pattern.slice(pattern.lastIndexOf('/') + 1)
  return [pattern, ...Object.keys(RIGHTS).map((key) => key.slice(key.indexOf(' ') + 1))]
    .filter((path) => path === pattern || path.replace(/:\w+$/, last) === pattern)
    .map((path) => `${method} ${path}`)
    .find((key) => Object.hasOwn(RIGHTS, key))
}

/** What should become of a request: let in, let in only to look, or refused in which way. */
function expected(key: string, sender: Who): 'in' | 'out' | 'locked' {
  const who = RIGHTS[key] ?? []
  // A bearer there is the provider's, and the channel that is named proves it.
  if (key === 'POST /v1/channels/:name') return 'in'
  // Clients whose token has ended come here for another one.
  if (/^[A-Z]+ \/(?:\.well-known\/oauth-|oauth\/)/.test(key)) return 'in'
  const isToken = sender.includes('token') || sender === 'bot of another tenant'
  // Whoever shows a token that is not known is refused everywhere, so that they notice.
  if (who.includes('anyone')) return isToken ? 'out' : 'in'
  switch (sender) {
    case 'bot':
    case 'other bot':
      return who.includes('agent') ? 'in' : 'out'
    case 'viewer':
    case 'author':
    case 'approver':
    case 'admin':
      return who.includes(sender) ? 'in' : 'out'
    case 'locked approver':
    case 'locked admin': {
      if (!who.includes(sender === 'locked admin' ? 'admin' : 'approver')) return 'out'
      // A locked person may still end what acts for them.
      const ends = ['DELETE /v1/session', 'DELETE /v1/oauth/connections/:prefix']
      return key.startsWith('GET ') || ends.includes(key) ? 'in' : 'locked'
    }
    // Streams cannot send a header; they tell ids and nothing else.
    case 'cookie without csrf':
      return key === 'GET /v1/events' ? 'in' : 'out'
    default:
      return 'out'
  }
}

/** A stream is looked at and left; everything else is read to its end. */
async function statusOf(
  { server, send }: MatrixWorld,
  address: string,
  sending: Parameters<MatrixWorld['send']>[1] & { readonly method: string },
): Promise<number> {
  if (address !== '/v1/events' || sending.method !== 'GET') {
    return (await send(address, sending)).status
  }
  const answer = await server.app.request(address, { headers: { host: HOST, ...sending.as } })
  await answer.body?.cancel()
  return answer.status
}

promise(
  ['CS-SIGN-5', 'CS-SERVE-6'],
  'whatever the route, the method, the sender and the state, no caller gets further than the table says',
  async () => {
    const world = await matrixWorld()
    const { server, by, states, snapshot } = world
    const places = await placesOf(world)
    let tried = 0
    for (const pattern of new Set(server.routes.map((one) => one.path))) {
      const isChat = pattern.startsWith('/v1/chat/conversations/')
      const isOfApproval = pattern.includes(':id') && !isChat
      for (const state of isOfApproval ? states : states.slice(0, 1)) {
        const id = isChat ? (places.conversation ?? '') : state.id
        const address = addressOf(pattern, { ...places, id })
        for (const method of METHODS) {
          const key = rightsAt(method === 'HEAD' ? 'GET' : method, pattern)
          const isServed = key !== undefined
          const isSafe = SAFE.includes(method)
          for (const who of SENDERS) {
            const end = expected(key ?? '', who)
            if (isServed && end === 'in' && !isSafe) continue
            tried += 1
            const before = snapshot()
            const body = isSafe ? undefined : BODIES[pattern]?.(state)
            const status = await statusOf(world, address, { as: by[who], method, body })
            const what = `${method} ${pattern} (${state.name}) by ${who}`
            expect(snapshot() === before, `${what} changes nothing`).toBe(true)
            if (!isServed) expect(status, what).toBe(404)
            else if (end === 'locked') expect(status, what).toBe(423)
            else if (end === 'out') expect([401, 403], what).toContain(status)
            else if (who === 'other bot' && isOfApproval) expect(status, what).toBe(404)
            // No workflow asked for these approvals.
            else if (pattern.endsWith('/run') && isOfApproval) expect(status, what).toBe(404)
            // These approvals were asked for at another door.
            else if (pattern.startsWith('/access/v1/')) expect(status, what).toBe(404)
            // The conversation of the approver is no one else's.
            else if (isChat && who !== 'approver') expect(status, what).toBe(404)
            // No policy was applied here, and no answers speak for a proposal.
            else if (/policy\/(versions|proposals)\/:/.test(pattern)) expect(status, what).toBe(404)
            else expect(status, what).toBeLessThan(400)
          }
        }
      }
    }
    expect(tried).toBeGreaterThan(10_000)
  },
)

/** Who may decide a pending call, of those the table admits. */
test.each(SENDERS)('only the approver decides: %s', async (who) => {
  const { by, states, send, store } = await matrixWorld()
  const { id, digest } = states.find(({ name }) => name === 'pending') as State
  for (const verdict of ['approve', 'deny']) {
    const body = { verdict, digest }
    const answer = await send(`/v1/approvals/${id}/decisions`, { as: by[who], body })
    if (who === 'approver') break
    expect([401, 403, 423]).toContain(answer.status)
    expect((await store.get(id))?.revision).toBe(1)
  }
  expect((await store.get(id))?.status).toBe(who === 'approver' ? 'approved' : 'pending')
})

test('what is over stays as it is, whoever says what about it', async () => {
  const { by, states, send, store } = await matrixWorld()
  const over = states.filter(({ name }) => !['pending', 'approved'].includes(name))
  for (const { id, digest, name } of over) {
    const before = await store.get(id)
    for (const who of SENDERS) {
      for (const verdict of ['approve', 'deny']) {
        const body = { verdict, digest }
        await send(`/v1/approvals/${id}/decisions`, { as: by[who], body })
        // That an answer came late is in the record; the approval itself is as it was.
        expect(await store.get(id), `${verdict} of ${name} by ${who}`).toEqual(before)
      }
    }
  }
})

test.each(['claim', 'result', 'renew', 'withdraw'])(
  'another agent that knows the id cannot %s',
  async (action) => {
    const { by, states, send, snapshot } = await matrixWorld()
    for (const state of states) {
      const before = snapshot()
      const body = BODIES[`/v1/approvals/:id/${action}`]?.(state)
      const path = `/v1/approvals/${state.id}/${action}`
      const answer = await send(path, { as: by['other bot'], method: 'POST', body })
      expect(answer.at('error.code')).toBe('approval_not_found')
      expect(snapshot()).toBe(before)
    }
  },
)

test('every route that takes a body has one here', async () => {
  const { server } = running()
  const wanting = server.routes.filter(({ read }) => read).map((one) => one.path)
  expect(Object.keys(BODIES).toSorted()).toEqual([...new Set(wanting)].toSorted())
})

test('every route stands in the table of rights, with the same rights', async () => {
  const { server } = running()
  const served = server.routes.map(({ method, path, who }) => [
    `${method.toUpperCase()} ${path}`,
    who.toSorted(),
  ])
  const written = Object.entries(RIGHTS).map(([key, who]) => [key, who.toSorted()])
  expect(Object.fromEntries(served)).toEqual(Object.fromEntries(written))
})
