import { expect, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { evaluation, withApproval } from './authzen-client.ts'
import { open, PAY, SMALL } from './authzen-world.ts'

promise(
  ['CS-AZ-1', 'CS-AZ-2', 'CS-AZ-11'],
  'a denial is requested, approved and claimed by the next evaluation, once',
  async () => {
    const { evaluate, requested, decide, task, send, bot, store } = await open()
    expect(await evaluate(SMALL)).toEqual({ decision: true })
    const denied = await evaluate(PAY)
    expect(denied).toMatchObject({ decision: false, context: { reason: 'approval_required' } })
    expect((await store.list({}, { limit: 10 })).approvals).toEqual([])

    const { task: asked } = await requested(PAY)
    expect(asked.status).toBe('pending')
    expect((await evaluate(withApproval(PAY, { id: asked.id }))).decision).toBe(false)
    await decide(asked.id)
    const { task: done, result } = await task(asked.id)
    expect(done.status).toBe('approved')
    expect(result?.mode).toBe('reevaluate')
    // The yes alone allows nothing: without its reference the call is denied as before.
    expect(await evaluate(PAY)).toMatchObject({ decision: false })

    const again = withApproval(
      { ...PAY, context: { time: '2026-11-17T12:00:00Z' } },
      result?.approval,
    )
    const allowed = await evaluate(again)
    expect(allowed.decision).toBe(true)
    expect(allowed.context?.approval).toEqual({
      id: asked.id,
      approved_until: result?.approval.approved_until,
    })
    expect(await evaluate(again)).toMatchObject({
      decision: false,
      context: { reason: 'approval_expired', next_action: 'request', access_request: {} },
    })

    const held = allowed.context?.['urn:countersign:claim']
    const { pathname } = new URL(held?.result ?? '')
    const report = { claim: held?.claim, outcome: 'succeeded', result: { receipt: 7 } }
    expect((await send(pathname, { as: bot, body: report })).body).toMatchObject({
      execution: 'succeeded',
    })
    expect(await evaluate(again)).toMatchObject({ decision: false })
  },
)

promise(['CS-AZ-1'], 'twenty re-evaluations at once, and one is true', async () => {
  const { evaluate, approved } = await open()
  const { approval } = await approved()
  const all = await Promise.all(
    Array.from({ length: 20 }, () => evaluate(withApproval(PAY, approval))),
  )
  expect(all.filter(({ decision }) => decision)).toHaveLength(1)
})

promise(['CS-AZ-2'], 'a call that policy denies cannot be requested', async () => {
  const { evaluate, request, denialOf } = await open()
  const wipe = evaluation('wipe_all')
  const denied = await evaluate(wipe)
  expect(denied).toMatchObject({ decision: false, context: { reason: 'denied_by_policy' } })
  expect(denied.context?.access_request).toBeUndefined()
  const denial = { ...denialOf(await evaluate(PAY)), expires_at: '2030-01-01T00:00:00Z' }
  expect((await request({ ...wipe, denial })).at('type')).toMatch(/:invalid_denial_binding$/)
})

promise(['CS-AZ-3'], 'an agent evaluates and requests for itself alone', async () => {
  const { answered, request, evaluate, denialOf } = await open()
  for (const subject of [
    { type: 'agent', id: 'mallory' },
    { type: 'user', id: 'bot' },
    { type: 'user', id: 'ana@example.com' },
    { type: 'agent', id: 'BOT' },
  ]) {
    const answer = await answered({ ...SMALL, subject })
    expect([answer.status, answer.at('error.code')]).toEqual([403, 'not_permitted'])
    const denial = denialOf(await evaluate(PAY))
    expect((await request({ ...PAY, subject, denial })).status).toBe(403)
  }
})

promise(['CS-AZ-4'], 'a list is answered in order, and stops where it is told to', async () => {
  const { send, bot, approved } = await open()
  const items = [
    SMALL,
    PAY,
    { ...SMALL, subject: { type: 'agent', id: 'x' } },
    SMALL,
    { resource: 5 },
  ]
  async function all(semantic?: string) {
    const { context: _, ...defaults } = { ...SMALL, context: undefined }
    const options = semantic === undefined ? {} : { options: { evaluations_semantic: semantic } }
    const body = { ...defaults, evaluations: items, ...options }
    const answer = await send('/access/v1/evaluations', { as: bot, body })
    return (answer.body as { evaluations: { decision: boolean; context?: object }[] }).evaluations
  }
  const every = await all()
  expect(every.map(({ decision }) => decision)).toEqual([true, false, false, true, false])
  expect(every[2]?.context).toMatchObject({ error: { status: 403 } })
  expect(every[4]?.context).toMatchObject({ error: { status: 400 } })
  expect((await all('execute_all')).length).toBe(5)
  expect((await all('deny_on_first_deny')).map(({ decision }) => decision)).toEqual([true, false])
  expect((await all('permit_on_first_permit')).map(({ decision }) => decision)).toEqual([true])

  const { approval } = await approved()
  const body = { evaluations: [withApproval(PAY, approval)] }
  expect((await send('/access/v1/evaluations', { as: bot, body })).body).toMatchObject({
    evaluations: [{ decision: false, context: { error: { status: 400 } } }],
  })
  // Not used up: by itself it counts. An empty list is a single evaluation.
  const single = { ...withApproval(PAY, approval), evaluations: [] }
  expect((await send('/access/v1/evaluations', { as: bot, body: single })).body).toMatchObject({
    decision: true,
  })
})

test('evaluations in one request count as many requests', async () => {
  const { send, bot } = await open({ callsPerSecond: 2 })
  const body = { evaluations: Array.from({ length: 30 }, () => SMALL) }
  expect((await send('/access/v1/evaluations', { as: bot, body })).status).toBe(429)
})

promise(['CS-AZ-5'], 'unknown members are ignored', async () => {
  const { answered } = await open()
  const { subject, action, resource } = SMALL
  const body = {
    subject: { ...subject, roles: ['x'] },
    action: { ...action, verb: 'x' },
    resource: { ...resource, owner: 'x' },
    signature: 'x',
  }
  expect((await answered(body)).body).toEqual({ decision: true })
})

promise.each(
  ['CS-AZ-5'],
  'a required member is missing',
  [
    ['subject', { ...SMALL, subject: undefined }],
    ['subject.id', { ...SMALL, subject: { type: 'agent' } }],
    ['subject.type', { ...SMALL, subject: { id: 'bot' } }],
    ['action', { ...SMALL, action: undefined }],
    ['action.name', { ...SMALL, action: {} }],
    ['resource', { ...SMALL, resource: undefined }],
    ['resource.type', { ...SMALL, resource: { id: 'pay' } }],
    ['resource.id', { ...SMALL, resource: { type: 'tool' } }],
  ] as const,
  async (place, body) => {
    const { answered } = await open()
    const answer = await answered(body)
    expect(answer.status).toBe(400)
    expect(answer.at('error.message')).toContain(`${place} is missing`)
  },
)

promise(['CS-AZ-6'], 'the id of a request comes back, also with a refusal', async () => {
  const { send, bot } = await open()
  const id = 'a b:c/"d"=(1); 2'
  for (const [as, status] of [
    [bot, 200],
    [{}, 401],
    [{ authorization: 'Bearer nothing' }, 401],
  ] as const) {
    const answer = await send('/access/v1/evaluation', {
      as,
      body: SMALL,
      headers: { 'x-request-id': id },
    })
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([status, id])
  }
})

promise(['CS-AZ-7'], 'the metadata names what is served', async () => {
  const { send, bot } = await open({ publicUrl: new URL('https://pdp.example.com/') })
  const headers = { host: 'pdp.example.com' }
  const { body } = await send('/.well-known/authzen-configuration', { headers })
  expect(body).toEqual({
    policy_decision_point: 'https://pdp.example.com',
    access_evaluation_endpoint: 'https://pdp.example.com/access/v1/evaluation',
    access_evaluations_endpoint: 'https://pdp.example.com/access/v1/evaluations',
    access_request_endpoint: 'https://pdp.example.com/access/v1/requests',
    capabilities: ['urn:openid:authzen:capability:access-request'],
  })
  const { access_evaluation_endpoint: address } = body as { access_evaluation_endpoint: string }
  const answer = await send(new URL(address).pathname, { as: bot, body: SMALL, headers })
  expect(answer.body).toEqual({ decision: true })
})

promise(
  ['CS-AZ-8'],
  'a denial is requested within ten minutes, and what is added to its context binds nothing',
  async () => {
    const { evaluate, request, denialOf, store } = await open()
    const body = { ...PAY, context: { ticket: 'T-1', time: '2026-11-17T12:00:00Z' } }
    const denial = denialOf(await evaluate(body))
    const context = { ...body.context, business_justification: 'Rent', time: 'later' }
    const taken = await request({ ...body, context, denial })
    expect(taken.status).toBe(202)
    expect(taken.headers.get('location')).toBe(taken.at('task.status_endpoint'))
    expect(taken.headers.get('retry-after')).toBe('5')
    const content = await store.content(taken.at('task.id'), ['arguments', 'question'])
    expect(content.find(({ kind }) => kind === 'arguments')?.value).toBe(
      '{"amount":500,"authzen":{"context":{"ticket":"T-1"}},"to":"Lena"}',
    )
    expect(JSON.stringify(content)).toContain('Rent')
  },
)

const DOCUMENTS = `version: 1
tools:
  can_read:
    approval: { condition: { args_match: { authzen.resource.id: subject-search.md } } }
  can_edit:
    approval: { condition: { args_match: { authzen.action.method: PUT } } }
  can_share:
    approval: { condition: { args_match: { authzen.context.network: public } } }
`

promise(
  ['CS-AZ-4', 'CS-AZ-1'],
  'the examples of the specification are answered by rules that read every part of them',
  async () => {
    const { send, bot, evaluate } = await open({ policy: DOCUMENTS })
    const subject = { type: 'agent', id: 'bot' }
    const document = (id: string) => ({ type: 'document', id })
    const body = {
      subject,
      action: { name: 'can_read' },
      context: { time: '2024-05-31T15:22-07:00' },
      evaluations: [
        { resource: document('boxcarring.md') },
        { resource: document('subject-search.md') },
        { action: { name: 'can_edit' }, resource: document('resource-search.md') },
      ],
    }
    const { body: answer } = await send('/access/v1/evaluations', { as: bot, body })
    expect(answer).toMatchObject({
      evaluations: [
        { decision: true },
        { decision: false, context: { reason: 'approval_required' } },
        // An argument that a condition reads and that is missing counts against the call.
        { decision: false },
      ],
    })
    const account = { type: 'account', id: '123' }
    for (const [method, decision] of [
      ['GET', true],
      ['PUT', false],
    ] as const) {
      const action = { name: 'can_edit', properties: { method } }
      expect(await evaluate({ subject, action, resource: account })).toMatchObject({ decision })
    }
    for (const [network, decision] of [
      ['office', true],
      ['public', false],
    ] as const) {
      const context = { network }
      const action = { name: 'can_share' }
      expect(await evaluate({ subject, action, resource: account, context })).toMatchObject({
        decision,
      })
    }
  },
)
