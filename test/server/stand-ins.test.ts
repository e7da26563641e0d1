import { expect, test } from 'vitest'
import type { ApprovalCard } from '../../src/api/approval.ts'
import { isAdminEvent } from '../../src/store/audit/chain.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { type Running, running, type Sender } from './harness.ts'

const DAY = 86_400_000
const wire = (key: string) => ({ tool: 'wire', run: 'r', key, args: { to: key } })

async function offered(own: Running) {
  const { send, person, agent } = own
  const [fay, finn] = [await person('fay@example.com'), await person('finn@example.com')]
  const guest = await person('gus@example.com', ['viewer'])
  const admin = await person('root@example.com', ['admin'])
  const bot = await agent('bot')
  const ask = async (key = 'first') => {
    const asked = await send('/v1/calls', { as: bot, body: wire(key) })
    const path = `/v1/approvals/${asked.at('id')}`
    const say = (as: Sender, verdict = 'approve') =>
      send(`${path}/decisions`, { as, body: { verdict, digest: asked.at('digest') } })
    const card = async (as: Sender) => (await send(path, { as })).body as ApprovalCard
    const claim = () => send(`${path}/claim`, { as: bot, body: { digest: asked.at('digest') } })
    return { id: asked.at('id'), path, say, card, claim }
  }
  const set = async (as: Sender, body: object) =>
    send('/v1/people/stand-ins', {
      as,
      body: { until: (await own.store.now()) + DAY, ...body },
    })
  const end = (as: Sender, id: string) =>
    send(`/v1/people/stand-ins/${id}`, { as, method: 'DELETE' })
  return { fay, finn, guest, admin, bot, ask, set, end }
}

promise(
  ['CS-STANDIN-1', 'CS-STANDIN-6', 'CS-STANDIN-7'],
  'somebody who is away is stood in for, and the card says so',
  async () => {
    const own = running()
    const { fay, finn, guest, ask, set, end } = await offered(own)
    const one = await ask()
    expect((await one.card(guest)).mine).toEqual({
      may: false,
      why: 'You are not among the people who are asked.',
      because: { code: 'not_asked' },
    })
    const made = await set(fay, { standIn: 'Gus@example.com', reason: 'at sea' })
    expect(made.status).toBe(201)
    expect(made.body).toMatchObject({
      absent: { email: 'fay@example.com' },
      standIn: { email: 'gus@example.com' },
      by: { email: 'fay@example.com' },
      reason: 'at sea',
      can: ['end'],
    })
    expect((await one.card(guest)).mine).toEqual({
      may: true,
      for: [{ issuer: 'local', subject: 'fay@example.com', email: 'fay@example.com' }],
    })
    expect((await own.send('/v1/approvals', { as: guest })).body).toMatchObject({
      counts: { mine: 1, others: 0 },
    })
    expect((await one.say(guest)).body).toMatchObject({
      status: 'pending',
      met: { have: 1, need: 2 },
    })
    expect(await one.card(guest)).toMatchObject({
      decisions: [{ by: { email: 'gus@example.com' }, for: [{ email: 'fay@example.com' }] }],
    })
    // Both of them together fill one place.
    expect((await one.say(fay)).body).toMatchObject({ status: 'pending', met: { have: 1 } })
    expect((await one.say(finn)).body).toMatchObject({ status: 'approved' })
    const events = await own.send(`${one.path}/events`, { as: fay })
    expect(events.body).toMatchObject({
      events: expect.arrayContaining([
        expect.objectContaining({ by: 'local/gus@example.com', for: ['fay@example.com'] }),
      ]),
    })
    expect((await end(guest, made.at('id'))).status).toBe(200)
    expect((await end(guest, made.at('id'))).at('error.code')).toBe('not_found')
    const two = await ask('second')
    expect((await two.say(guest)).at('error.code')).toBe('not_an_approver')
    expect((await one.claim()).status).toBe(200)
  },
)

promise(
  ['CS-STANDIN-5'],
  'an admin takes a stand-in back, and its yeses stop counting',
  async () => {
    const own = running()
    const { fay, finn, guest, admin, ask, set } = await offered(own)
    const id = (await set(fay, { standIn: 'gus@example.com' })).at('id')
    const one = await ask()
    await one.say(guest)
    await one.say(finn)
    expect((await one.card(fay)).status).toBe('approved')
    const take = (as: Sender) =>
      own.send(`/v1/people/stand-ins/${id}/take-back`, { as, method: 'POST' })
    expect((await take(fay)).status).toBe(403)
    expect((await take(admin)).status).toBe(200)
    expect((await own.send('/v1/people/stand-ins', { as: fay })).body).toMatchObject({
      standIns: [],
    })
    const two = await ask('second')
    expect((await two.say(guest)).at('error.code')).toBe('not_an_approver')
    expect((await one.claim()).at('error.code')).toBe('invalidated')
    expect((await one.card(fay)).reason).toBe('voter')
  },
)

promise(['CS-STANDIN-5'], 'removing either of the two ends it and its yeses', async () => {
  for (const gone of ['fay@example.com', 'gus@example.com']) {
    const own = running()
    const { fay, finn, guest, admin, ask, set } = await offered(own)
    await set(fay, { standIn: 'gus@example.com' })
    const one = await ask()
    await one.say(guest)
    expect((await one.card(finn)).met.have).toBe(1)
    const { people } = (await own.send('/v1/people', { as: admin })).body as {
      people: { id: string; email: string }[]
    }
    const key = people.find(({ email }) => email === gone)?.id
    await own.send(`/v1/people/${key}`, { as: admin, method: 'DELETE' })
    expect((await one.card(finn)).met.have).toBe(0)
    expect((await one.say(finn)).body).toMatchObject({ status: 'pending' })
    expect((await own.send('/v1/people/stand-ins', { as: finn })).body).toMatchObject({
      standIns: [],
    })
  }
})

promise(['CS-STANDIN-6'], 'who may set and end a stand-in', async () => {
  const own = running()
  const { fay, finn, guest, admin, bot, set, end } = await offered(own)
  const code = async (as: Sender, body: object) => {
    const answer = await set(as, body)
    return answer.status === 201 ? 'ok' : answer.at('error.code')
  }
  expect(await code(bot, { standIn: 'gus@example.com' })).toBe('not_permitted')
  expect(await code(guest, { standIn: 'gus@example.com', absent: 'fay@example.com' })).toBe(
    'not_permitted',
  )
  expect(await code(finn, { standIn: 'gus@example.com', absent: 'fay@example.com' })).toBe(
    'not_permitted',
  )
  // An admin who makes themselves a stand-in would have given themselves a place.
  expect(await code(admin, { standIn: 'root@example.com', absent: 'fay@example.com' })).toBe(
    'not_permitted',
  )
  expect(await code(fay, { standIn: 'fay@example.com' })).toBe('invalid_value')
  expect(await code(fay, { standIn: 'ghost@example.com' })).toBe('not_found')
  const now = await own.store.now()
  expect(await code(fay, { standIn: 'gus@example.com', until: now - 1 })).toBe('invalid_value')
  expect(await code(fay, { standIn: 'gus@example.com', until: now + 91 * DAY })).toBe(
    'invalid_value',
  )
  expect(await code(fay, { standIn: 'gus@example.com', until: 7, from: 9 })).toBe('invalid_value')
  const target = { person: { issuer: 'local', subject: 'gus@example.com' } }
  const lock = await own.send('/v1/locks', { as: admin, body: { target, reason: 'x' } })
  expect(await code(fay, { standIn: 'gus@example.com' })).toBe('not_permitted')
  expect(await code(guest, { standIn: 'fay@example.com' })).toBe('locked')
  await own.send(`/v1/locks/${lock.at('id')}`, { as: admin, method: 'DELETE' })

  const made = await set(admin, { standIn: 'gus@example.com', absent: 'fay@example.com' })
  expect(made.body).toMatchObject({ by: { email: 'root@example.com' }, can: ['end', 'take_back'] })
  expect((await end(finn, made.at('id'))).at('error.code')).toBe('not_permitted')
  expect((await end(fay, made.at('id'))).status).toBe(200)
  const { entries } = await own.store.eventsSince('start')
  const seen = entries.flatMap(({ event }) =>
    isAdminEvent(event) && event.type.startsWith('standin') ? [[event.type, event.facts]] : [],
  )
  const facts = {
    standIn: made.at('id'),
    issuer: 'local',
    subject: 'fay@example.com',
    byIssuer: 'local',
    bySubject: 'gus@example.com',
  }
  expect(seen).toEqual([
    ['standin.set', { ...facts, from: expect.any(Number), until: expect.any(Number) }],
    ['standin.ended', facts],
  ])
})

promise(['CS-STANDIN-8'], 'a grant made in somebody’s place ends with the stand-in', async () => {
  const policy = `version: 1
tools:
  pay: { approval: { approvers: [fay@example.com] } }
`
  const own = running({ policy })
  const { fay, guest, bot, set, end } = await offered(own)
  const id = (await set(fay, { standIn: 'gus@example.com' })).at('id')
  const pay = (key: string) =>
    own.send('/v1/calls', { as: bot, body: { tool: 'pay', run: 'r', key, args: { to: 'x' } } })
  const asked = await pay('one')
  const path = `/v1/approvals/${asked.at('id')}`
  const grant = { condition: { args_match: { to: 'x' } } }
  const body = { verdict: 'approve', digest: asked.at('digest'), grant }
  expect((await own.send(`${path}/decisions`, { as: guest, body })).status).toBe(200)
  expect((await pay('two')).at('status')).toBe('approved')
  await end(guest, id)
  expect((await pay('three')).at('status')).toBe('pending')
})

test('a stand-in that is set for later begins later, and ends by itself', async () => {
  const clock = fakeClock()
  const own = running({ store: memoryStore({ clock: clock.now }) })
  const { fay, guest, ask, set } = await offered(own)
  const now = clock.now()
  const body = { standIn: 'gus@example.com', from: now + 3_600_000, until: now + 7_200_000 }
  expect((await set(fay, body)).status).toBe(201)
  const one = await ask()
  expect((await one.say(guest)).at('error.code')).toBe('not_an_approver')
  clock.advance(3_600_000)
  expect((await one.card(guest)).mine.may).toBe(true)
  clock.advance(3_600_000)
  expect((await one.say(guest)).at('error.code')).toBe('not_an_approver')
  expect((await own.send('/v1/people/stand-ins', { as: guest })).body).toMatchObject({
    standIns: [],
  })
})
