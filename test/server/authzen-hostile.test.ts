import { expect, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { type Evaluation, enforcementPoint, evaluation, withApproval } from './authzen-client.ts'
import { PLACED, type World, world } from './authzen-forger.ts'
import { HOST, type Running, type Sender } from './harness.ts'

const PAY = evaluation('pay', { amount: 500, to: 'Lena' })
/** A way to get a `true` that was not given, and what is answered instead. */
type Forgery = [string, (w: World) => Promise<unknown>]

async function present(w: World, body: Evaluation, as = w.pep) {
  return (await as.answered(body)).body
}

/** One approval of `bot` for PAY, presented otherwise than it was given. */
function swapped(
  name: string,
  change: (approval: { id: string; approved_until: string }) => object,
): Forgery {
  return [
    name,
    async (w) => {
      const { approval } = await w.approvedFor(w.pep, PAY, name)
      const answer = await present(w, change(approval) as Evaluation)
      // Nothing was used up either: presented as it was given, it is good.
      expect(await present(w, RE(PAY, approval))).toMatchObject({ decision: true })
      return answer
    },
  ]
}

const RE = withApproval
const properties = (more: object): Evaluation => ({
  ...PAY,
  resource: { ...PAY.resource, properties: { amount: 500, to: 'Lena', ...more } },
})

const SWAPPED: readonly Forgery[] = [
  swapped('another amount', (a) => RE(properties({ amount: 501 }), a)),
  swapped('a smaller amount that asks', (a) => RE(properties({ amount: 499 }), a)),
  swapped('another payee', (a) => RE(properties({ to: 'Mal' }), a)),
  swapped('one argument more', (a) => RE(properties({ urgent: true }), a)),
  swapped('an argument of null', (a) => RE(properties({ note: null }), a)),
  swapped('one argument less', (a) =>
    RE({ ...PAY, resource: { ...PAY.resource, properties: { amount: 500 } } }, a),
  ),
  swapped('the amount as text', (a) => RE(properties({ amount: '500' }), a)),
  swapped('the payee in a list', (a) => RE(properties({ to: ['Lena'] }), a)),
  swapped('a payee that looks the same', (a) => RE(properties({ to: 'Lenа' }), a)),
  swapped('no properties', (a) => RE({ ...PAY, resource: { type: 'tool', id: 'pay' } }, a)),
  swapped('another tool', (a) => RE(evaluation('wire', { amount: 500, to: 'Lena' }), a)),
  swapped('an action on another tool', (a) => RE({ ...PAY, action: { name: 'wire' } }, a)),
  swapped('another tool of the same resource', (a) => RE({ ...PAY, action: { name: 'note' } }, a)),
  swapped('another resource', (a) => RE({ ...PAY, resource: { ...PAY.resource, id: 'pay2' } }, a)),
  swapped('another type of resource', (a) =>
    RE({ ...PAY, resource: { ...PAY.resource, type: 'account' } }, a),
  ),
  swapped('properties of the action', (a) =>
    RE({ ...PAY, action: { name: 'pay', properties: { x: 1 } } }, a),
  ),
  swapped('properties of the subject', (a) =>
    RE({ ...PAY, subject: { type: 'agent', id: 'bot', properties: { x: 1 } } }, a),
  ),
  swapped('context that was not evaluated', (a) => RE({ ...PAY, context: { risk: 'high' } }, a)),
  swapped('arguments that hold another context', (a) =>
    RE(properties({ context: { ticket: 'T-1' } }), a),
  ),
  swapped('the approval beside the context', (a) => ({ ...PAY, approval: a })),
  swapped('the approval in the resource', (a) => properties({ approval: a })),
  swapped('an end that was put off', (a) =>
    RE(PAY, { ...a, approved_until: '2099-01-01T00:00:00.000Z' }),
  ),
  swapped('an end in another form', (a) => RE(PAY, { ...a, approved_until: 1 })),
  swapped('another time of approval', (a) =>
    RE(PAY, { ...a, approved_at: '2020-01-01T00:00:00.000Z' }),
  ),
  swapped('state of another service', (a) => RE(PAY, { ...a, state: 'eyJhbGciOiJub25lIn0.e30.' })),
  swapped('state that is null', (a) => RE(PAY, { ...a, state: null })),
  swapped('its id in capitals', (a) => RE(PAY, { ...a, id: a.id.toUpperCase() })),
  swapped('its id with a space', (a) => RE(PAY, { ...a, id: `${a.id} ` })),
  swapped('its id in a list', (a) => RE(PAY, { ...a, id: [a.id] })),
  swapped('the id alone, as text', (a) => RE(PAY, a.id)),
  swapped('a list of approvals', (a) => RE(PAY, [a])),
]

const REFERENCES: readonly Forgery[] = [
  ['no id', async (w) => present(w, RE(PAY, {}))],
  ['null', async (w) => present(w, RE(PAY, null))],
  ['true', async (w) => present(w, RE(PAY, true))],
  ['an id that never was', async (w) => present(w, RE(PAY, { id: '0'.repeat(35) }))],
  ['an id of another kind', async (w) => present(w, RE(PAY, { id: '../../etc' }))],
  ['an id that every object has', async (w) => present(w, RE(PAY, { id: 'constructor' }))],
  ['a pending one', async (w) => present(w, RE(PAY, { id: (await w.pep.requested(PAY)).task.id }))],
  [
    'a denied one',
    async (w) => {
      const { id } = (await w.pep.requested(PAY)).task
      await w.decide(id, 'deny')
      return present(w, RE(PAY, { id }))
    },
  ],
  [
    'a cancelled one',
    async (w) => {
      const { id } = (await w.pep.requested(PAY)).task
      await w.pep.cancel(id)
      return present(w, RE(PAY, { id }))
    },
  ],
  [
    'a used one',
    async (w) => {
      const { approval } = await w.approvedFor(w.pep, PAY, 'used')
      await w.pep.evaluate(RE(PAY, approval))
      return present(w, RE(PAY, approval))
    },
  ],
  [
    'one of another agent, under its name',
    async (w) => {
      const { approval } = await w.approvedFor(w.pep, PAY, 'other agent')
      const body = evaluation('pay', { amount: 500, to: 'Lena' }, {}, 'mal')
      return present(w, RE(body, approval), w.malPep)
    },
  ],
  [
    'one of another agent, under that agent’s name',
    async (w) => {
      const { approval } = await w.approvedFor(w.pep, PAY, 'its name')
      return present(w, RE(PAY, approval), w.malPep)
    },
  ],
  [
    'one of the same agent in another tenant',
    async (w) => {
      const { approval } = await w.approvedFor(w.farPep, PAY, 'tenant')
      return present(w, RE(PAY, approval))
    },
  ],
  [
    'one presented to another tenant',
    async (w) => {
      const { approval } = await w.approvedFor(w.pep, PAY, 'to tenant')
      return present(w, RE(PAY, approval), w.farPep)
    },
  ],
  [
    'one asked for at another door',
    async (w) => {
      const args = { amount: 500, to: 'Lena' }
      const body = { tool: 'pay', args, run: 'r', key: 'k' }
      const asked = await w.own.send('/v1/calls', { as: w.bot, body })
      await w.decide(asked.at('id'), 'approve')
      return present(w, RE(PAY, { id: asked.at('id') }))
    },
  ],
  [
    'one for a call with a context, without it',
    async (w) => {
      const { approval } = await w.approvedFor(w.pep, PLACED, 'placed')
      const { context: _, ...bare } = PLACED
      return present(w, RE(bare, approval))
    },
  ],
  [
    'one for a call with a context, with another one',
    async (w) => {
      const { approval } = await w.approvedFor(w.pep, PLACED, 'placed 2')
      return present(w, RE({ ...PLACED, context: { ticket: 'T-2' } }, approval))
    },
  ],
  [
    'one for a call in a list of evaluations',
    async (w) => {
      const { approval } = await w.approvedFor(w.pep, PAY, 'list')
      const body = { evaluations: [RE(PAY, approval)] }
      const { body: answer } = await w.own.send('/access/v1/evaluations', { as: w.bot, body })
      return (answer as { evaluations: unknown[] }).evaluations[0]
    },
  ],
  [
    'one that a list inherits',
    async (w) => {
      const { approval } = await w.approvedFor(w.pep, PAY, 'inherits')
      const body = { ...RE(PAY, approval), evaluations: [{}, {}] }
      const { body: answer } = await w.own.send('/access/v1/evaluations', { as: w.bot, body })
      return (answer as { evaluations: unknown[] }).evaluations[1]
    },
  ],
  [
    'one whose token was revoked',
    async (w) => {
      const { token, made } = await w.own.server.credentials.tokens.create({ agent: 'bot' })
      const as = { authorization: `Bearer ${token}` }
      const { approval } = await w.approvedFor(w.pep, PAY, 'revoked')
      await w.own.server.credentials.tokens.revoke(made.prefix)
      return present(w, RE(PAY, approval), enforcementPoint(w.own, as))
    },
  ],
]

promise.each(
  ['CS-AZ-11', 'CS-AZ-15'],
  'no decision is true',
  [...SWAPPED, ...REFERENCES],
  async (_, forge) => {
    expect(await forge(await world())).not.toMatchObject({ decision: true })
  },
)

promise.each(
  ['CS-AZ-15'],
  'a task is unknown',
  [
    ['to another agent', (w: World) => w.mal, (w: World) => w.own],
    ['in another tenant', (w: World) => w.far, (w: World) => w.elsewhere],
  ] as const,
  async (_, sender, at) => {
    const w = await world()
    const { id } = (await w.pep.requested(PAY)).task
    const as: Sender = sender(w)
    const to: Running = at(w)
    for (const [path, method] of [
      [`/access/v1/requests/${id}`, 'GET'],
      [`/access/v1/requests/${id}/cancel`, 'POST'],
    ] as const) {
      const answer = await to.send(path, { as, method })
      expect([answer.status, answer.at('type')]).toEqual([
        404,
        'urn:openid:authzen:access-request:error:unknown_task',
      ])
    }
    expect((await w.pep.task(id)).task.status).toBe('pending')
  },
)

promise(['CS-AZ-15'], 'what was asked for at another door is no task', async () => {
  const w = await world()
  const body = { tool: 'pay', args: { amount: 500, to: 'Lena' }, run: 'r' }
  const id = (await w.own.send('/v1/calls', { as: w.bot, body })).at('id')
  expect((await w.own.send(`/access/v1/requests/${id}`, { as: w.bot })).status).toBe(404)
  expect((await w.pep.cancel(id)).status).toBe(404)
})

/** Bodies that no decision is made about. Sent as they stand. */
const TEXTS: readonly [string, string][] = [
  ['no JSON', '{'],
  ['a list', '[]'],
  ['null', 'null'],
  ['a text', '"pay"'],
  ['a name twice', JSON.stringify(PAY).replace('{', '{"action":{"name":"read"},')],
  ['arguments twice', JSON.stringify(PAY).replace('"amount":500', '"amount":5,"amount":500')],
  [
    'a number that readers read differently',
    JSON.stringify(PAY).replace('500', '9007199254740993'),
  ],
  ['half a character', JSON.stringify(PAY).replace('Lena', '\\ud800')],
  [
    'properties that are a list',
    JSON.stringify({ ...PAY, resource: { ...PAY.resource, properties: [5] } }),
  ],
  [
    'properties that are null',
    JSON.stringify({ ...PAY, resource: { ...PAY.resource, properties: null } }),
  ],
  ['a context that is a list', JSON.stringify({ ...PAY, context: [] })],
  ['a subject that is a list', JSON.stringify({ ...PAY, subject: ['agent', 'bot'] })],
  ['an argument with our name', JSON.stringify(properties({ authzen: { context: {} } }))],
  ['a tool that is no name', JSON.stringify({ ...PAY, action: { name: 're ad' } })],
  ['a tool without a name', JSON.stringify({ ...PAY, action: { name: '' } })],
]

test.each(TEXTS)('a body is refused: %s', async (_, text) => {
  const { own, bot } = await world()
  const response = await own.server.app.request('/access/v1/evaluation', {
    method: 'POST',
    headers: { host: HOST, ...bot, 'content-type': 'application/json' },
    body: text,
  })
  expect(response.status).toBe(400)
  expect(await response.json()).not.toHaveProperty('decision')
})

test.each([
  ['no token', {}],
  ['a token that never was', { authorization: `Bearer cs_${'0'.repeat(60)}` }],
  ['a token by another scheme', { authorization: 'Basic Ym90OmJvdA==' }],
])('without a token of an agent there is no decision: %s', async (_, as: Sender) => {
  const { own } = await world()
  const answer = await own.send('/access/v1/evaluation', { as, body: PAY })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /)
})

test('a person, and a token that vouches for people, get no decision', async () => {
  const { own, ana } = await world()
  const vouches = await own.agent('bot', { vouches: true })
  for (const as of [ana, vouches]) {
    expect((await own.send('/access/v1/evaluation', { as, body: PAY })).status).toBe(403)
  }
})

test('sixty forgeries and more are tried', () => {
  const all = SWAPPED.length + REFERENCES.length + TEXTS.length
  expect(all).toBeGreaterThanOrEqual(60)
})
