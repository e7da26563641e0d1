import { expect, test } from 'vitest'
import { isAdminEvent } from '../../src/store/audit/chain.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { POLICY, type Running, running, type Sender } from './harness.ts'

const wire = (key: string) => ({ tool: 'wire', run: 'r', key, args: { to: key } })

async function idOf({ send }: Running, as: Sender, email: string): Promise<string> {
  const { people } = (await send('/v1/people', { as })).body as {
    people: { id: string; email?: string }[]
  }
  return people.find((one) => one.email === email)?.id ?? 'nobody'
}

const remove = async (own: Running, as: Sender, email: string) =>
  own.send(`/v1/people/${await idOf(own, as, email)}`, { as, method: 'DELETE' })

async function offered(own: Running) {
  const { send, person, agent } = own
  const admin = await person('root@example.com', ['admin'])
  const [fay, finn] = [await person('fay@example.com'), await person('finn@example.com')]
  const bot = await agent('bot')
  const asked = await send('/v1/calls', { as: bot, body: wire('first') })
  const path = `/v1/approvals/${asked.at('id')}`
  const yes = { verdict: 'approve', digest: asked.at('digest') }
  const say = (as: Sender) => send(`${path}/decisions`, { as, body: yes })
  return { admin, fay, finn, bot, asked, path, say }
}

promise(
  ['CS-PEOPLE-1', 'CS-PEOPLE-3'],
  'the yes of a removed person stops counting, and the card says who is missing',
  async () => {
    const clock = fakeClock()
    const own = running({ store: memoryStore({ clock: clock.now }) })
    const { send, person } = own
    const { admin, fay, finn, bot, asked, path, say } = await offered(own)
    expect((await say(fay)).status).toBe(200)
    expect((await send(path, { as: finn })).body).toMatchObject({ met: { have: 1, need: 2 } })
    expect((await send(path, { as: finn })).body).not.toHaveProperty('unreachable')

    const removed = await remove(own, admin, 'fay@example.com')
    expect(removed.body).toMatchObject({
      person: { email: 'fay@example.com' },
      unreachable: [{ id: asked.at('id'), rule: expect.stringContaining('wire') }],
    })
    expect((await send('/v1/me', { as: fay })).status).toBe(401)
    expect((await send(path, { as: finn })).body).toMatchObject({
      met: { have: 0, need: 2 },
      unreachable: expect.stringContaining('wire'),
      requirements: [{ quorum: [{ group: 'finance', n: 2, have: 0 }], met: false }],
    })
    await say(finn)
    expect((await send(path, { as: finn })).at('status')).toBe('pending')
    expect((await send('/v1/calls', { as: bot, body: wire('second') })).body).toMatchObject({
      status: 'blocked',
      code: 'no_eligible_approver',
    })

    const body = { email: 'Fay@example.com', name: 'Fay', roles: ['viewer', 'approver'] }
    expect((await send('/v1/people', { as: admin, body })).status).toBe(201)
    expect((await send('/v1/me', { as: fay })).status).toBe(401)
    expect((await send(path, { as: finn })).body).not.toHaveProperty('unreachable')
    clock.advance(1)
    expect((await say(await person('fay@example.com'))).status).toBe(200)
    expect((await send(path, { as: finn })).at('status')).toBe('approved')
  },
)

promise(['CS-PEOPLE-1'], 'a yes whose giver is removed is not spent', async () => {
  const own = running()
  const { admin, fay, finn, bot, asked, path, say } = await offered(own)
  await say(fay)
  await say(finn)
  expect((await own.send(path, { as: finn })).at('status')).toBe('approved')
  expect((await remove(own, admin, 'finn@example.com')).status).toBe(200)
  const body = { digest: asked.at('digest') }
  const claim = await own.send(`${path}/claim`, { as: bot, body })
  expect(claim.at('error.code')).toBe('invalidated')
  expect((await own.send(path, { as: fay })).body).toMatchObject({ reason: 'voter' })
})

promise(
  ['CS-PEOPLE-6'],
  'a yes from before somebody was removed does not count when they are added again',
  async () => {
    const clock = fakeClock()
    const own = running({ store: memoryStore({ clock: clock.now }) })
    const { send, person } = own
    const { admin, fay, finn, path, say } = await offered(own)
    await say(fay)
    await remove(own, admin, 'fay@example.com')
    const body = { email: 'fay@example.com', roles: ['viewer', 'approver'] }
    expect((await send('/v1/people', { as: admin, body })).status).toBe(201)
    clock.advance(1)
    await say(finn)
    const back = await person('fay@example.com')
    expect((await send(path, { as: back })).body).toMatchObject({
      status: 'pending',
      met: { have: 1, need: 2 },
      mine: { may: true },
      decisions: [{ void: true }, { verdict: 'approve' }],
    })
    await say(finn)
    expect((await send(path, { as: back })).at('status')).toBe('pending')
    await say(back)
    expect((await send(path, { as: back })).at('status')).toBe('approved')
    const { people, removed } = (await send('/v1/people', { as: admin })).body as {
      people: { email?: string }[]
      removed: unknown[]
    }
    expect(people.filter(({ email }) => email === 'fay@example.com')).toHaveLength(1)
    expect(removed).toEqual([])
  },
)

promise(
  ['CS-PEOPLE-6'],
  'what was approved before somebody was removed is not spent after they came back',
  async () => {
    const clock = fakeClock()
    const own = running({ store: memoryStore({ clock: clock.now }) })
    const { admin, fay, finn, bot, asked, path, say } = await offered(own)
    await say(fay)
    await say(finn)
    expect((await own.send(path, { as: finn })).at('status')).toBe('approved')
    await remove(own, admin, 'finn@example.com')
    const body = { email: 'finn@example.com', roles: ['viewer', 'approver'] }
    await own.send('/v1/people', { as: admin, body })
    clock.advance(1)
    const claim = { as: bot, body: { digest: asked.at('digest') } }
    expect((await own.send(`${path}/claim`, claim)).at('error.code')).toBe('invalidated')
  },
)

promise(['CS-PEOPLE-4'], 'admins add, change and remove, and the audit says so', async () => {
  const own = running()
  const { send, person, store } = own
  const admin = await person('root@example.com', ['admin'])
  const body = { email: 'ana@example.com', roles: ['viewer'] }
  const added = await send('/v1/people', { as: admin, body })
  const path = `/v1/people/${added.at('id')}`
  const changed = await send(path, { as: admin, body: { roles: ['approver', 'approver'] } })
  expect(changed.body).toMatchObject({ email: 'ana@example.com', roles: ['approver'] })
  expect((await send(path, { as: admin, method: 'DELETE' })).status).toBe(200)
  expect((await send(path, { as: admin, method: 'DELETE' })).at('error.code')).toBe('not_found')
  expect((await send(path, { as: admin, body: { roles: [] } })).status).toBe(404)
  const by = { person: { issuer: 'local', subject: 'root@example.com' } }
  const { entries } = await store.eventsSince('start')
  const seen = entries.flatMap(({ event }) =>
    isAdminEvent(event) && event.facts?.subject === 'ana@example.com'
      ? [[event.type, event.by, event.facts.roles]]
      : [],
  )
  expect(seen).toEqual([
    ['person.added', by, ['viewer']],
    ['person.changed', by, ['approver']],
    ['person.removed', by, ['approver']],
  ])
})

promise(['CS-PEOPLE-4'], 'nobody changes themselves, and only admins change others', async () => {
  const own = running()
  const { send, person } = own
  const admin = await person('root@example.com', ['admin'])
  const ana = await person('ana@example.com')
  const path = `/v1/people/${await idOf(own, admin, 'root@example.com')}`
  const self = { email: 'ROOT@example.com', roles: ['admin', 'approver'] }
  for (const [to, sent] of [
    [path, { as: admin, method: 'DELETE' }],
    [path, { as: admin, body: { roles: ['approver'] } }],
    ['/v1/people', { as: admin, body: self }],
    [path, { as: ana, method: 'DELETE' }],
    [path, { as: ana, body: { roles: [] } }],
    ['/v1/people', { as: ana, body: { ...self, email: 'bo@example.com' } }],
  ] as const) {
    const { status, body } = await send(to, sent)
    expect([to, status, body]).toMatchObject([to, 403, { error: { code: 'not_permitted' } }])
  }
  expect((await send('/v1/me', { as: admin })).body).toMatchObject({ roles: ['admin'] })
})

test.each([
  [{ email: 'not an address', roles: [] }],
  [{ email: 'ana@example.com', roles: ['king'] }],
  [{ email: 'ana@example.com' }],
])('%j adds nobody', async (body) => {
  const own = running()
  const as = await own.person('root@example.com', ['admin'])
  expect((await own.send('/v1/people', { as, body })).at('error.code')).toBe('invalid_value')
  expect(await idOf(own, as, 'ana@example.com')).toBe('nobody')
})

test('a link that was made before somebody was removed signs nobody in', async () => {
  const own = running()
  const admin = await own.person('root@example.com', ['admin'])
  await own.person('ana@example.com')
  const token = await own.server.links.create({ issuer: 'local', subject: 'ana@example.com' })
  await remove(own, admin, 'ana@example.com')
  expect((await own.send('/v1/session', { body: { token } })).at('error.code')).toBe(
    'signin_expired',
  )
})

promise(
  ['CS-PEOPLE-5'],
  'the audit says who signed in, made tokens and applied a policy',
  async () => {
    let policy = POLICY
    const own = running({ onDisk: () => policy })
    const { send, store } = own
    const as = await own.person('root@example.com', ['admin'])
    const made = await send('/v1/tokens', { as, body: { agent: 'mailer' } })
    const [, prefix = ''] = made.at('token').split('_')
    await send(`/v1/tokens/${prefix}`, { as, method: 'DELETE' })
    expect((await send(`/v1/tokens/${prefix}`, { as, method: 'DELETE' })).status).toBe(404)
    policy = policy.replace('risk: L4', 'risk: L5')
    const name = (await send('/v1/policy/draft', { as })).at('name')
    expect((await send('/v1/policy/apply', { as, body: { name } })).status).toBe(200)
    await send('/v1/session', { as, method: 'DELETE' })
    const by = { person: { issuer: 'local', subject: 'root@example.com' } }
    const { entries } = await store.eventsSince('start')
    const seen = entries.flatMap(({ event }) =>
      isAdminEvent(event) ? [[event.type, event.by, event.facts]] : [],
    )
    const session = expect.stringMatching(/^[0-9a-f]{16}$/)
    expect(seen).toEqual([
      ['person.added', { system: 'operator' }, expect.anything()],
      ['session.started', by, { session }],
      ['token.created', by, { token: prefix, agent: 'mailer' }],
      ['token.revoked', by, { token: prefix }],
      [
        'policy.applied',
        by,
        {
          policy: name,
          from: expect.stringMatching(/^[0-9a-f]{64}$/),
          texts: [expect.stringMatching(/^owner [0-9a-f]{64}$/)],
        },
      ],
      ['session.ended', by, { session }],
    ])
    expect((await send('/v1/me', { as })).status).toBe(401)
  },
)
