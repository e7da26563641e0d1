import { expect, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const pay = { tool: 'pay', run: 'r', key: 'k', args: { amount: 500, to: 'x' } }
const TALK = ['question', 'comment', 'remind', 'assign']
const reason = 'stock-taking'

promise(
  ['CS-LOCK-1', 'CS-LOCK-6'],
  'a lock set over HTTP stops calls until an admin lifts it',
  async () => {
    const { send, person, agent } = running()
    const [bot, approver] = [await agent('bot'), await person('ana@example.com')]
    const admin = await person('root@example.com', ['admin'])
    const body = { target: { agent: 'bot' }, reason }
    const set = await send('/v1/locks', { as: approver, body })
    expect(set.body).toMatchObject({
      target: { agent: 'bot' },
      words: 'agent bot',
      reason,
      by: { email: 'ana@example.com' },
    })
    for (const call of [pay, { tool: 'read', args: {} }]) {
      expect((await send('/v1/calls', { as: bot, body: call })).body).toMatchObject({
        status: 'blocked',
        code: 'locked',
      })
    }
    const list = await send('/v1/locks', { as: approver })
    expect(list.body).toMatchObject({ locks: [{ id: set.at('id') }], can: ['set'] })
    const path = `/v1/locks/${set.at('id')}`
    expect((await send(path, { as: approver, method: 'DELETE' })).status).toBe(403)
    expect((await send(path, { as: admin, method: 'DELETE' })).status).toBe(200)
    expect((await send(path, { as: admin, method: 'DELETE' })).status).toBe(404)
    expect((await send('/v1/calls', { as: bot, body: pay })).at('status')).toBe('pending')
  },
)

test('agents learn what holds them back, and nothing of people', async () => {
  const { send, person, agent } = running()
  const [bot, admin] = [await agent('bot'), await person('root@example.com', ['admin'])]
  await person('ana@example.com')
  const targets = [
    { agent: 'bot' },
    { agent: 'other' },
    { server: 'files', tool: 'rm' },
    { person: { issuer: 'local', subject: 'ana@example.com' } },
    { approval: 'a1' },
  ]
  for (const target of targets) {
    expect((await send('/v1/locks', { as: admin, body: { target, reason } })).status).toBe(201)
  }
  const { body } = await send('/v1/locks', { as: bot })
  const { locks } = body as { locks: { target: object }[] }
  expect(locks.map(({ target }) => target)).toEqual(
    expect.arrayContaining([{ agent: 'bot' }, { server: 'files', tool: 'rm' }]),
  )
  expect(locks).toHaveLength(2)
  expect(JSON.stringify(body)).not.toMatch(/ana|root/)
})

test('a locked admin can look, and changes nothing that a lock would outlive', async () => {
  const { send, person } = running()
  const [admin, held] = [
    await person('root@example.com', ['admin']),
    await person('held@example.com', ['admin']),
  ]
  const create = () => send('/v1/tokens', { as: held, body: { agent: 'later' } })
  expect((await create()).status).toBe(201)
  const target = { person: { issuer: 'local', subject: 'held@example.com' } }
  const set = await send('/v1/locks', { as: admin, body: { target, reason } })
  expect(await create()).toMatchObject({ status: 423, body: { error: { code: 'locked' } } })
  expect((await send('/v1/tokens', { as: held })).status).toBe(200)
  await send(`/v1/locks/${set.at('id')}`, { as: admin, method: 'DELETE' })
  expect((await create()).status).toBe(201)
})

promise(['CS-LOCK-7', 'CS-LOCK-5'], 'cards say what is locked, and who may do what', async () => {
  const { send, person, agent } = running()
  const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
  const admin = await person('root@example.com', ['admin', 'approver'])
  const asked = await send('/v1/calls', { as: bot, body: pay })
  const path = `/v1/approvals/${asked.at('id')}`
  const lock = async (target: object) =>
    (await send('/v1/locks', { as: admin, body: { target, reason } })).at('id')
  const onTool = await lock({ tool: 'pay' })
  const card = await send(path, { as: ana })
  expect(card.body).toMatchObject({
    status: 'pending',
    locked: { id: onTool, words: 'tool pay', reason },
    mine: {
      may: false,
      why: 'Tool pay is locked: stock-taking.',
      because: { code: 'locked', target: { tool: 'pay' }, reason },
    },
    can: ['deny', 'extend', 'reveal', ...TALK],
  })
  expect((await send('/v1/approvals', { as: ana })).body).toMatchObject({
    approvals: [{ locked: { id: onTool } }],
    counts: { mine: 0, others: 1 },
  })
  await lock({ approval: asked.at('id') })
  expect((await send(path, { as: ana })).body).toMatchObject({
    can: ['extend', 'reveal', ...TALK],
  })
  const yes = { verdict: 'approve', digest: asked.at('digest') }
  const refused = await send(`${path}/decisions`, { as: ana, body: yes })
  expect([refused.status, refused.at('error.code')]).toEqual([423, 'locked'])
  await lock({ person: { issuer: 'local', subject: 'ana@example.com' } })
  expect((await send(path, { as: ana })).body).toMatchObject({
    can: [],
    mine: { why: 'You are locked: stock-taking.' },
  })
})

test.each([
  [{}],
  [{ everything: false }],
  [{ agent: 'a', tool: 'b' }],
  [{ moon: 'x' }],
  [{ agent: '' }],
  [{ person: 'ana' }],
])('a lock on %j is refused', async (target) => {
  const { send, person } = running()
  const as = await person('root@example.com', ['admin'])
  const answer = await send('/v1/locks', { as, body: { target, reason } })
  expect(answer.at('error.code')).toBe('invalid_value')
})

test('nobody who is unknown is locked', async () => {
  const { send, person } = running()
  const as = await person('root@example.com', ['admin'])
  const target = { person: { issuer: 'local', subject: 'ghost@example.com' } }
  const answer = await send('/v1/locks', { as, body: { target, reason } })
  expect(answer.at('error.code')).toBe('not_found')
})

test('a lock that would end after the last date is refused, and holds nothing', async () => {
  const { send, person, agent, server } = running()
  const [bot, approver] = [await agent('bot'), await person('ana@example.com')]
  const body = { target: { tool: 'wipe' }, reason, until: Number.MAX_SAFE_INTEGER }
  expect((await send('/v1/locks', { as: approver, body })).status).toBe(400)
  const ana = {
    issuer: 'local',
    subject: 'ana@example.com',
    groups: [],
    roles: ['approver'],
    assurance: 'signed-in',
  } as const
  for (const until of [Number.POSITIVE_INFINITY, 9e15, Date.now() + 60_000.5]) {
    const set = server.gate.admin.locks.set(ana, { target: { tool: 'wipe' }, reason, until })
    await expect(set).rejects.toMatchObject({ code: 'invalid_value' })
  }
  expect((await send('/v1/calls', { as: bot, body: pay })).at('status')).toBe('pending')
})
