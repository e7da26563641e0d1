import { expect, test } from 'vitest'
import { denies, permits, startPdp } from '../support/decision-point.ts'
import { promise } from '../support/promise.ts'
import { enforcementPoint, evaluation, withApproval } from './authzen-client.ts'
import { POLICY, type RunningOptions, running } from './harness.ts'

const ARGS = { amount: 500, to: 'Lena' }
const PAY = evaluation('pay', ARGS)

async function open(options: RunningOptions = {}) {
  const own = running(options)
  const bot = await own.agent('bot')
  return { ...own, ...enforcementPoint(own, bot), bot }
}

async function approvedWith(options: RunningOptions) {
  const own = await open(options)
  const { id } = (await own.requested(PAY)).task
  const as = await own.person('ana@example.com')
  const at = `/v1/approvals/${id}`
  const { digest } = (await own.send(at, { as })).body as { digest: string }
  await own.send(`${at}/decisions`, { as, body: { verdict: 'approve', digest } })
  const again = withApproval(PAY, (await own.task(id)).result?.approval)
  return { ...own, again }
}

promise(['CS-AZ-13'], 'a call that is denied by now is so, and not just expired', async () => {
  const pdp = await startPdp()
  const { evaluate, again } = await approvedWith({ policy: `${POLICY}pdp: ${pdp.url}\n` })
  pdp.answer(denies)
  const denied = { decision: false, context: { reason: 'policy_denied', next_action: 'none' } }
  expect(await evaluate(again)).toMatchObject(denied)
  expect(await evaluate(again)).toMatchObject(denied)
  // Its approval ended with that: what may be asked again is asked again.
  pdp.answer(permits)
  expect(await evaluate(again)).toMatchObject({
    decision: false,
    context: { reason: 'approval_expired', next_action: 'request' },
  })
})

promise(['CS-AZ-13', 'CS-AZ-20'], 'what is held back for a while is not called over', async () => {
  const pdp = await startPdp()
  const { evaluate, again } = await approvedWith({ policy: `${POLICY}pdp: ${pdp.url}\n` })
  pdp.answer((response) => void response.writeHead(503).end())
  expect(await evaluate(again)).toMatchObject({
    decision: false,
    context: {
      reason: 'policy_denied',
      'urn:countersign:message': 'The call is held back for now. This attempt ran nothing.',
    },
  })
  pdp.answer(permits)
  expect(await evaluate(again)).toMatchObject({ decision: true })
})

function names(count: number, name: (index: number) => string): object {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [name(index), index]))
}

test('a large context does not make a larger answer', async () => {
  const { send, bot, answered } = await open()
  const context = names(5_000, (index) => `name-${index}-${'x'.repeat(100)}`)
  const body = { ...PAY, context, evaluations: Array.from({ length: 20 }, () => ({})) }
  const { body: answer } = await send('/access/v1/evaluations', { as: bot, body })
  expect(JSON.stringify(answer).length).toBeLessThan(20_000)
  const [first] = (answer as { evaluations: unknown[] }).evaluations
  expect(first).toMatchObject({ decision: false, context: { error: { status: 400 } } })
  const single = await answered({ ...PAY, context })
  expect([single.status, single.at('error.message')]).toEqual([
    400,
    'context has names of more than 4000 bytes together',
  ])
})

promise(['CS-AZ-8'], 'every denial that can be requested says so truly', async () => {
  const { requested } = await open()
  // The most that is taken: 3,994 bytes as JSON.
  const body = { ...PAY, context: names(363, (index) => `é-${String(index).padStart(5, '0')}`) }
  expect(await requested(body)).toMatchObject({ task: { status: 'pending' } })
})

test.each([
  ['context.business_justification', { context: { business_justification: 'x'.repeat(1_025) } }],
  ['context.business_justification', { context: { business_justification: ['Rent'] } }],
  ['client.source.session_id', { client: { source: { session_id: 'x'.repeat(1_025) } } }],
  ['client.source.external_url', { client: { source: { external_url: 7 } } }],
])('what people would not be shown is refused: %s', async (place, more) => {
  const { evaluate, request, denialOf, store } = await open()
  const denial = denialOf(await evaluate(PAY))
  const refused = await request({ ...PAY, ...more, denial })
  expect([refused.status, refused.at('error.message')]).toEqual([
    400,
    `${place} is not a text of at most 1024 characters`,
  ])
  expect((await store.list({}, { limit: 10 })).approvals).toEqual([])
})

test('a long reason that was evaluated is among the arguments, and is no second time', async () => {
  const { requested, store } = await open()
  const context = { business_justification: 'x'.repeat(2_000) }
  const { task } = await requested({ ...PAY, context })
  const content = await store.content(task.id, ['arguments'])
  expect(JSON.stringify(content)).toContain('x'.repeat(2_000))
})

promise(['CS-AZ-1'], 'an action on a tool is no way around the rules of that tool', async () => {
  const { answered } = await open()
  for (const name of ['call', 'read']) {
    const answer = await answered({ ...PAY, action: { name } })
    expect([answer.status, answer.at('error.message')]).toEqual([
      400,
      'resource.id is another tool than action.name, which rules are about',
    ])
  }
})
