import { expect, test } from 'vitest'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { person as somebody } from '../gate/gates.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const PAY = { tool: 'pay', run: 'r1', args: { amount: 500, to: 'Lena', card: '4111' } }

test('a card shows what would run, why it was asked and who must decide', async () => {
  const { send, agent, person } = running()
  const call = { ...PAY, principal: 'paul@example.com', context: { says: 'rent', links: ['x'] } }
  const bot = await agent('bot', { vouches: true })
  const id = (await send('/v1/calls', { as: bot, body: call })).at('id')
  const card = await send(`/v1/approvals/${id}`, { as: await person('ana@example.com') })
  expect(card.body).toMatchObject({
    tool: 'pay',
    agent: 'bot',
    principal: 'paul@example.com',
    risk: 'L3',
    level: 'review',
    message: 'Pay 500 to Lena?',
    arguments: '{"amount":500,"card":"[secret]","to":"Lena"}',
    bytes: 40,
    masked: [['card']],
    why: [
      {
        source: 'tool',
        rule: 'tools.pay.approval.condition',
        asks: 'review',
        answer: 'yes',
        values: [{ path: 'amount', wanted: '{ gt: 100 }', saw: '500', answer: 'yes' }],
      },
    ],
    requirements: [{ approvers: ['anyone with the approver role'], met: false }],
    claimed: { says: 'rent', links: ['x'] },
    terms: { edit: ['amount'], reason: 'optional' },
    met: { have: 0, need: 1 },
    mine: { may: true },
    can: [
      'approve',
      'deny',
      'edit',
      'extend',
      'reveal',
      'grant',
      'question',
      'comment',
      'remind',
      'assign',
    ],
  })
  expect(JSON.stringify(card.body)).not.toContain('4111')
  expect(JSON.stringify(card.body)).not.toContain('stale')
})

test('a viewer sees it and is told why they cannot decide', async () => {
  const { send, agent, person } = running()
  const id = (await send('/v1/calls', { as: await agent('bot'), body: PAY })).at('id')
  const as = await person('vera@example.com', ['viewer'])
  expect((await send(`/v1/approvals/${id}`, { as })).body).toMatchObject({
    mine: {
      may: false,
      why: expect.stringContaining('not among'),
      because: { code: 'not_asked' },
    },
    can: [],
  })
})

test('the person the agent works for cannot approve for themselves, but may say no', async () => {
  const { send, agent, person } = running()
  const bot = await agent('bot', { principal: 'ana@example.com' })
  const asked = await send('/v1/calls', { as: bot, body: PAY })
  const as = await person('ana@example.com')
  const at = `/v1/approvals/${asked.at('id')}`
  expect((await send(at, { as })).body).toMatchObject({
    mine: {
      may: false,
      why: expect.stringContaining('Another person'),
      because: { code: 'own_call' },
    },
    can: ['deny', 'withdraw', 'comment', 'remind'],
  })
  const body = { verdict: 'approve', digest: asked.at('digest') }
  const answer = await send(`${at}/decisions`, { as, body })
  expect(answer.at('error.code')).toBe('self_approval')
})

test('a quorum of two: the first sees that others are needed, the second completes it', async () => {
  const { send, agent, person } = running()
  const call = { tool: 'wire', args: { amount: 1 } }
  const asked = await send('/v1/calls', { as: await agent('bot'), body: call })
  const at = `/v1/approvals/${asked.at('id')}`
  const body = { verdict: 'approve', digest: asked.at('digest') }
  const [fay, finn] = [await person('fay@example.com'), await person('finn@example.com')]
  const stranger = await person('ana@example.com')
  expect((await send(`${at}/decisions`, { as: stranger, body })).status).toBe(403)
  expect((await send(`${at}/decisions`, { as: fay, body })).body).toMatchObject({
    status: 'pending',
    met: { have: 1, need: 2 },
  })
  expect((await send(at, { as: fay })).body).toMatchObject({
    status: 'pending',
    met: { have: 1, need: 2 },
    requirements: [{ quorum: [{ group: 'finance', n: 2, have: 1 }], met: false }],
    mine: {
      may: false,
      why: expect.stringContaining('already said yes'),
      because: { code: 'answered' },
    },
    decisions: [{ by: { email: 'fay@example.com' }, verdict: 'approve' }],
  })
  expect((await send(`${at}/decisions`, { as: finn, body })).body).toMatchObject({
    status: 'approved',
    by: ['fay@example.com', 'finn@example.com'],
  })
  expect((await send(at, { as: finn })).body).toMatchObject({
    status: 'approved',
    met: { have: 2, need: 2 },
    decisions: [{ by: { email: 'fay@example.com' } }, { by: { email: 'finn@example.com' } }],
  })
})

test('somebody who lost their role since is no longer counted when the call is claimed', async () => {
  const { send, agent, person } = running()
  const bot = await agent('bot')
  const asked = await send('/v1/calls', { as: bot, body: PAY })
  const [at, digest] = [`/v1/approvals/${asked.at('id')}`, asked.at('digest')]
  const as = await person('ana@example.com')
  await send(`${at}/decisions`, { as, body: { verdict: 'approve', digest } })
  await person('ana@example.com', ['viewer'])
  const claim = await send(`${at}/claim`, { as: bot, body: { digest } })
  expect(claim.at('error.code')).toBe('invalidated')
  expect((await send(at, { as })).body).toMatchObject({ status: 'invalidated', reason: 'voter' })
})

test('a history tells who did what, without what they wrote', async () => {
  const { send, agent, person } = running()
  const asked = await send('/v1/calls', { as: await agent('bot'), body: PAY })
  const at = `/v1/approvals/${asked.at('id')}`
  const as = await person('ana@example.com')
  const body = { verdict: 'deny', digest: asked.at('digest'), reason: 'canary-reason' }
  await send(`${at}/decisions`, { as, body })
  const events = await send(`${at}/events`, { as })
  expect(events.body).toMatchObject({
    events: [
      { type: 'requested', by: 'bot', status: 'pending' },
      { type: 'denied', by: 'local/ana@example.com', status: 'denied', assurance: 'signed-in' },
    ],
  })
  expect(JSON.stringify(events.body)).not.toContain('canary')
  expect((await send(at, { as })).body).toMatchObject({ decisions: [{ reason: 'canary-reason' }] })
})

test('a list can be searched, filtered and paged', async () => {
  const { send, agent, person } = running()
  const [bot, as] = [await agent('bot'), await person('ana@example.com')]
  for (const to of ['Lena', 'Max', 'Lena Two']) {
    await send('/v1/calls', { as: bot, body: { tool: 'pay', args: { amount: 500, to } } })
  }
  await send('/v1/calls', { as: bot, body: { tool: 'note', args: {} } })
  const messages = async (query: string) => {
    const { body } = await send(`/v1/approvals?${query}`, { as })
    return (body as { approvals: { message: string }[] }).approvals.map(({ message }) => message)
  }
  expect(await messages('order=oldest&q=lena')).toEqual([
    'Pay 500 to Lena?',
    'Pay 500 to Lena Two?',
  ])
  const all = await send('/v1/approvals?order=oldest', { as })
  const { id } = (all.body as { approvals: { id: string }[] }).approvals[1] ?? { id: '' }
  expect(await messages(`limit=1&q=${id}`)).toEqual(['Pay 500 to Max?'])
  expect(await messages(`status=denied&q=${id}`)).toEqual([])
  expect(await messages(`q=${id.slice(0, -2)}`)).toEqual(['Pay 500 to Max?'])
  expect(await messages('order=newest&tool=pay&limit=2')).toHaveLength(2)
  expect(await messages('status=denied,expired')).toEqual([])
  expect(await messages('status=all')).toHaveLength(4)
  const first = await send('/v1/approvals?order=oldest&limit=3', { as })
  const rest = await messages(`order=oldest&limit=3&after=${first.at('next')}`)
  expect(rest).toHaveLength(1)
  for (const query of ['order=odd', 'limit=0', 'limit=501', 'status=maybe', 'after=x']) {
    expect((await send(`/v1/approvals?${query}`, { as })).status).toBeGreaterThanOrEqual(400)
  }
})

promise(['CS-INBOX-19'], 'a card tells apart who was added, when and by whom', async () => {
  const clock = fakeClock()
  const { server, send, agent, person } = running({
    store: memoryStore({ clock: clock.now }),
    policy: `version: 1
people: { groups: { finance: [ana@example.com, bo@example.com], chiefs: [cy@example.com] } }
tools:
  pay:
    approval:
      approvers: [ana@example.com]
      quorum: [{ group: finance, n: 1 }]
      escalate:
        - { after: 1h, to: cy@example.com }
        - { after: 2h, to: { group: chiefs }, for: finance }
        - { after: 2h, to: ana@example.com }
`,
  })
  const id = (await send('/v1/calls', { as: await agent('bot'), body: PAY })).at('id')
  const as = await person('cy@example.com')
  const card = async () => (await send(`/v1/approvals/${id}`, { as })).body
  expect(await card()).toMatchObject({
    requirements: [{ approvers: ['ana@example.com'], added: [] }],
    mine: { may: false },
  })
  const by = { issuer: 'https://id.example.com', subject: 'ada' }
  await server.gate.approvals.escalate(id, somebody('ada', { roles: ['admin'] }))
  const first = clock.now()
  clock.advance(2 * 3_600_000)
  await server.gate.approvals.escalate(id, somebody('ada', { roles: ['admin'] })).catch(() => {})
  const rule = 'tools.pay.approval'
  expect(await card()).toMatchObject({
    requirements: [
      {
        approvers: ['ana@example.com'],
        // Ana was asked from the start: nobody added her.
        added: [
          {
            who: 'cy@example.com',
            at: first,
            by,
            why: `by ada, before the 1 h of rule ${rule}`,
          },
          {
            who: 'group chiefs',
            at: clock.now(),
            for: 'finance',
            why: `after 2 h without an answer, by rule ${rule}, for places of finance`,
          },
        ],
      },
    ],
    mine: { may: true },
  })
})

promise(
  ['CS-INBOX-42'],
  'people have names on a card and in a list, and rules the name that people gave them',
  async () => {
    const { store, server, send, agent, person } = namedWorld()
    const [ana, bot] = [await person('ana@example.com'), await agent('bot')]
    await store.records.put('person', 'mal', {
      ...{ issuer: 'x', subject: 'mal', name: 'Not Bo', email: 'bo@example.com', roles: [] },
    })
    const { id, digest } = (await send('/v1/calls', { as: bot, body: PAY })).body as {
      id: string
      digest: string
    }
    await server.gate.approvals.escalate(id, somebody('ada', { roles: ['admin'] }))
    const { requirements } = (await send(`/v1/approvals/${id}`, { as: ana })).body as {
      requirements: object[]
    }
    // Bo has no account yet, and an address that is not vouched for gives a stranger no place.
    expect(requirements).toMatchObject([
      {
        rule: 'tools.pay.approval',
        ruleName: 'pay',
        people: ['ana@example.com', 'bo@example.com'],
        persons: [{ email: 'ana@example.com', issuer: expect.any(String) }],
        added: [{ who: 'cy@example.com', rule: 'tools.pay.approval', ruleName: 'pay' }],
      },
    ])
    const body = { verdict: 'deny', digest }
    await send(`/v1/approvals/${id}/decisions`, { as: ana, body })
    const { approvals } = (await send('/v1/approvals?status=denied', { as: ana })).body as {
      approvals: { by: string[]; deciders: { email: string }[] }[]
    }
    expect(approvals).toMatchObject([
      { by: ['ana@example.com'], deciders: [{ email: 'ana@example.com' }] },
    ])
    expect(JSON.stringify(await send(`/v1/approvals/${id}`, { as: bot }))).not.toContain('deciders')
    const { rules } = (await send('/v1/insights', { as: ana })).body as { rules: object[] }
    expect(rules).toMatchObject([{ rule: 'tools.pay.approval', name: 'pay' }])
    const explained = await send('/v1/policy/explain', { as: ana, body: { tool: 'pay', args: {} } })
    expect(explained.body).toMatchObject({ rules: [{ rule: 'tools.pay.approval', name: 'pay' }] })
  },
)

function namedWorld() {
  const store = memoryStore()
  const policy = `version: 1
tools:
  pay:
    approval:
      approvers: [ana@example.com, bo@example.com]
      escalate: [{ after: 1h, to: cy@example.com }]
`
  return { ...running({ store, policy }), store }
}
