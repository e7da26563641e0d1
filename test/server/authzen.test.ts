import { expect, test } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import { type Evaluation, enforcementPoint, evaluation, withApproval } from './authzen-client.ts'
import { POLICY, type RunningOptions, running } from './harness.ts'

const PAY = evaluation('pay', { amount: 500, to: 'Lena' })
const SMALL = evaluation('pay', { amount: 5, to: 'Lena' })

async function open(options: RunningOptions = {}) {
  const own = running(options)
  const [bot, ana] = [await own.agent('bot'), await own.person('ana@example.com')]
  async function decide(id: string, more: object = { verdict: 'approve' }) {
    const at = `/v1/approvals/${id}`
    const { digest } = (await own.send(at, { as: ana })).body as { digest: string }
    return own.send(`${at}/decisions`, { as: ana, body: { digest, ...more } })
  }
  const pep = enforcementPoint(own, bot)
  /** Requested and approved: the call, and the approval to present. */
  async function approved(body: Evaluation = PAY) {
    const { task } = await pep.requested(body)
    await decide(task.id)
    return { id: task.id, approval: (await pep.task(task.id)).result?.approval }
  }
  return { ...own, ...pep, bot, ana, decide, approved }
}

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

promise(['CS-AZ-8'], 'a denial that is too old is gone', async () => {
  const { memoryStore } = await import('../../src/store/memory/index.ts')
  let ahead = 0
  const store = memoryStore({ clock: () => Date.now() + ahead })
  const { evaluate, request, denialOf } = await open({ store })
  const denial = denialOf(await evaluate(PAY))
  ahead = 600_001
  const late = await request({ ...PAY, denial: { ...denial, expires_at: '2030-01-01T00:00:00Z' } })
  expect([late.status, late.at('type')]).toEqual([
    410,
    'urn:openid:authzen:access-request:error:expired_denial',
  ])
})

promise(['CS-AZ-9'], 'one task for one key, and for one denial', async () => {
  const { evaluate, request, denialOf, requested, store } = await open()
  const denial = denialOf(await evaluate(PAY))
  const twice = [await request({ ...PAY, denial }), await request({ ...PAY, denial })]
  expect(twice[0]?.at('task.id')).toBe(twice[1]?.at('task.id'))
  const keyed = [await requested(PAY, {}, 'k1'), await requested(PAY, {}, 'k1')]
  expect(keyed[0]?.task.id).toBe(keyed[1]?.task.id)
  expect((await store.list({}, { limit: 10 })).approvals).toHaveLength(2)

  const other = evaluation('pay', { amount: 501, to: 'Lena' })
  const reused = await request({ ...other, denial: denialOf(await evaluate(other)) }, 'k1')
  expect([reused.status, reused.at('type')]).toEqual([
    409,
    'urn:openid:authzen:access-request:error:duplicate_request',
  ])
})

promise(['CS-AZ-10'], 'a task ends as the approval does', async () => {
  const { requested, decide, task, cancel, evaluate } = await open()
  const denied = (await requested(PAY, {}, 'no')).task.id
  await decide(denied, { verdict: 'deny', reason: 'No.' })
  expect(await task(denied)).toMatchObject({ task: { status: 'denied' } })
  expect((await task(denied)).result).toBeUndefined()
  expect(await evaluate(withApproval(PAY, { id: denied }))).toMatchObject({
    decision: false,
    context: { reason: 'approval_denied', next_action: 'none' },
  })
  const withdrawn = (await requested(PAY, {}, 'gone')).task.id
  expect((await cancel(withdrawn)).body).toMatchObject({ task: { status: 'cancelled' } })
  expect((await task(withdrawn)).result).toBeUndefined()
})

promise(['CS-AZ-10'], 'two people are asked where the policy wants two', async () => {
  const { requested, task, person, send } = await open()
  const { id } = (await requested(evaluation('wire', { to: 'Lena' }))).task
  for (const [email, status] of [
    ['fay@example.com', 'pending'],
    ['finn@example.com', 'approved'],
  ] as const) {
    const as = await person(email)
    const { digest } = (await send(`/v1/approvals/${id}`, { as })).body as { digest: string }
    await send(`/v1/approvals/${id}/decisions`, { as, body: { verdict: 'approve', digest } })
    expect((await task(id)).task.status).toBe(status)
  }
})

promise(['CS-AZ-12'], 'an edited call is approved as edited', async () => {
  const { requested, decide, task, evaluate } = await open()
  const { id } = (await requested(PAY)).task
  await decide(id, { verdict: 'approve', edit: { arguments: { amount: 200, to: 'Lena' } } })
  const { result } = await task(id)
  expect(result?.['urn:countersign:edited']).toEqual({
    ...PAY,
    resource: { ...PAY.resource, properties: { amount: 200, to: 'Lena' } },
  })
  expect(await evaluate(withApproval(PAY, result?.approval))).toMatchObject({
    decision: false,
    context: { reason: 'out_of_scope', next_action: 'request' },
  })
  const edited = result?.['urn:countersign:edited'] as Evaluation
  expect(await evaluate(withApproval(edited, result?.approval))).toMatchObject({ decision: true })
})

promise(['CS-AZ-13'], 'a denied re-evaluation says what comes next', async () => {
  const { requested, evaluate, approved, send, person } = await open()
  const { id } = (await requested(PAY)).task
  expect(await evaluate(withApproval(PAY, { id }))).toMatchObject({
    decision: false,
    context: { reason: 'approval_pending', next_action: 'retry', retry_after: 5 },
  })
  expect(await evaluate(withApproval(PAY, { id: 'x' }))).toMatchObject({
    decision: false,
    context: { reason: 'approval_unverifiable', next_action: 'none' },
  })
  const { approval } = await approved()
  const locker = await person('dee@example.com', ['approver'])
  await send('/v1/locks', { as: locker, body: { target: { tool: 'pay' }, reason: 'a test' } })
  expect(await evaluate(withApproval(PAY, approval))).toMatchObject({
    decision: false,
    context: { reason: 'policy_denied', next_action: 'none' },
  })
})

promise(['CS-AZ-14'], 'only what waits is cancelled', async () => {
  const { approved, cancel, evaluate } = await open()
  const { id, approval } = await approved()
  const refused = await cancel(id)
  expect([refused.status, refused.at('type')]).toEqual([
    409,
    'urn:openid:authzen:access-request:error:invalid_task_state',
  ])
  expect((await evaluate(withApproval(PAY, approval))).decision).toBe(true)
})

promise(
  ['CS-AZ-16'],
  'a claim that is never reported ends as unknown, and runs nothing again',
  async () => {
    let ahead = 0
    const store = memoryStore({ clock: () => Date.now() + ahead })
    const { approved, evaluate } = await open({ store })
    const { id, approval } = await approved()
    expect((await evaluate(withApproval(PAY, approval))).decision).toBe(true)
    ahead = 61_000
    const sweeper = startSweeper({ store, every: 1_000_000_000 })
    while ((await sweeper.sweep()) > 0);
    await sweeper.stop()
    expect((await store.get(id))?.execution?.state).toBe('unknown')
    expect((await evaluate(withApproval(PAY, approval))).decision).toBe(false)
  },
)

test('a grant answers a request at once', async () => {
  const { requested, evaluate, send, ana } = await open()
  const grant = {
    tool: 'pay',
    agent: 'bot',
    condition: { args_match: { amount: { lte: 600 } } },
  }
  expect((await send('/v1/grants', { as: ana, body: grant })).status).toBeLessThan(300)
  const { task, result } = await requested(PAY)
  expect(task.status).toBe('approved')
  expect(await evaluate(withApproval(PAY, result?.approval))).toMatchObject({ decision: true })
})

test('what the observed rules would have said lets the call run', async () => {
  const { evaluate } = await open({ observe: true, policy: POLICY })
  expect(await evaluate(PAY)).toEqual({ decision: true })
  expect(await evaluate(evaluation('wipe_all'))).toMatchObject({ decision: false })
})

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
