import { expect, test } from 'vitest'
import { startSweeper } from '../../src/gate/background/sweep.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { promise } from '../support/promise.ts'
import { type Evaluation, evaluation, withApproval } from './authzen-client.ts'
import { open, PAY } from './authzen-world.ts'
import { POLICY } from './harness.ts'

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
