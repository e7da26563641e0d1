import { expect, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const FORM = {
  type: 'object',
  required: ['amount'],
  properties: {
    reason: { type: 'string', title: 'Why', description: 'For the books' },
    amount: { type: 'integer', minimum: 1, maximum: 500 },
    pin: { type: 'string', 'x-secret': true },
  },
}
const PAY = { tool: 'pay', run: 'r1', args: { amount: 500, to: 'Lena' }, form: FORM }

promise(
  ['CS-FORM-1', 'CS-FORM-4', 'CS-FORM-11'],
  'over HTTP: the card shows the form, a yes fills it in, and the agent reads the answers',
  async () => {
    const { send, agent, person } = running()
    const bot = await agent('bot')
    const ana = await person('ana@example.com')
    const asked = await send('/v1/calls', { as: bot, body: PAY })
    const at = `/v1/approvals/${asked.at('id')}`
    const card = (await send(at, { as: ana })).body as Record<string, unknown>
    expect(JSON.stringify(card.form)).toBe(JSON.stringify(FORM))
    // A grant could not fill it in.
    expect(card.can).toEqual([
      ...['approve', 'deny', 'edit', 'extend', 'reveal'],
      ...['question', 'comment', 'remind', 'assign'],
    ])
    const yes = { verdict: 'approve', digest: asked.at('digest') }
    const decide = (more: object) => send(`${at}/decisions`, { as: ana, body: { ...yes, ...more } })
    const empty = await decide({})
    expect([empty.status, empty.at('error.code')]).toEqual([422, 'payload_required'])
    const wrong = await decide({ payload: { amount: 0, reason: 5 } })
    expect(wrong.status).toBe(422)
    expect(wrong.body).toMatchObject({
      error: {
        code: 'payload_invalid',
        at: ['amount'],
        mistakes: [
          { at: ['amount'], problem: 'must be >= 1' },
          { at: ['reason'], problem: 'must be string' },
        ],
      },
    })
    const payload = { amount: 20, pin: 'hunter-22' }
    const done = await decide({ payload })
    expect(done.at('status')).toBe('approved')
    const filled = await send(at, { as: ana })
    expect(filled.body).toMatchObject({
      decisions: [{ payload: { amount: 20, pin: '[secret]' } }],
    })
    expect(JSON.stringify([done.body, filled.body])).not.toContain('hunter-22')
    expect((await send(at, { as: bot })).body).toMatchObject({ payload })
    const claim = await send(`${at}/claim`, { as: bot, body: { digest: asked.at('digest') } })
    expect(claim.body).toMatchObject({ decision: payload })
  },
)

promise(
  ['CS-FORM-6'],
  'a hostile form is refused with a sentence, and asks no person',
  async () => {
    const { send, agent, person } = running()
    const bot = await agent('bot')
    const doubling = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        `d${n}`,
        { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    )
    for (const form of [
      { type: 'string' },
      { type: 'object', $ref: '#/$defs/d0', $defs: { ...doubling, d60: {} } },
      { type: 'object', description: 'x'.repeat(20_000) },
      { type: 'object', $ref: 'https://example.com/form.json' },
    ]) {
      const refused = await send('/v1/calls', { as: bot, body: { ...PAY, form } })
      expect([refused.status, refused.at('error.code')]).toEqual([422, 'form_unusable'])
      expect(refused.at('error.message')).toContain('the form cannot be used')
    }
    for (const form of ['text', 5, null, [FORM]]) {
      const refused = await send('/v1/calls', { as: bot, body: { ...PAY, form } })
      expect([refused.status, refused.at('error.code')]).toEqual([400, 'invalid_call'])
    }
    const ana = await person('ana@example.com')
    expect((await send('/v1/approvals', { as: ana })).body).toMatchObject({ approvals: [] })
  },
)

promise(
  ['CS-FORM-6'],
  'forms that are costly to read are on the account of the agent that sends them',
  async () => {
    const { send, agent } = running({ callsPerSecond: 10_000 })
    const bot = await agent('bot')
    const other = await agent('other')
    const costly = (n: number) => ({
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 99 }, (_, k) => [`p${k}`, { pattern: `^(a|b${n}|c${k}){1,8}x+y*$` }]),
      ),
    })
    let code = ''
    for (let n = 0; n < 200 && code !== 'too_many_requests'; n += 1) {
      const body = { tool: 'note', args: { n }, form: costly(n) }
      const answer = await send('/v1/calls', { as: bot, body })
      code = answer.status === 200 ? '' : answer.at('error.code')
    }
    expect(code).toBe('too_many_requests')
    const fine = await send('/v1/calls', { as: other, body: { ...PAY, run: 'r2' } })
    expect(fine.status).toBe(200)
  },
  60_000,
)

promise(
  ['CS-FORM-5', 'CS-FORM-11'],
  'approvers of a quorum see the answers of each other and agree on one set',
  async () => {
    const { send, agent, person } = running()
    const body = { tool: 'wire', args: { amount: 1 }, form: FORM }
    const asked = await send('/v1/calls', { as: await agent('bot'), body })
    const at = `/v1/approvals/${asked.at('id')}`
    const yes = { verdict: 'approve', digest: asked.at('digest') }
    const [fay, finn] = [await person('fay@example.com'), await person('finn@example.com')]
    const decide = (as: typeof fay, amount: number) =>
      send(`${at}/decisions`, { as, body: { ...yes, payload: { amount } } })
    await decide(fay, 10)
    expect((await send(at, { as: finn })).body).toMatchObject({
      decisions: [{ by: { email: 'fay@example.com' }, payload: { amount: 10 } }],
    })
    expect((await decide(finn, 500)).body).toMatchObject({
      status: 'pending',
      met: { have: 1, need: 2 },
    })
    expect((await send(at, { as: finn })).body).toMatchObject({
      decisions: [{ payload: { amount: 10 }, void: true }, { payload: { amount: 500 } }],
    })
    // Fay is asked again.
    expect((await send(at, { as: fay })).body).toMatchObject({ mine: { may: true } })
    expect((await decide(fay, 500)).body).toMatchObject({ status: 'approved' })
  },
)

promise(['CS-FORM-10'], 'what a workflow says of itself is on the card, as claimed', async () => {
  const { send, agent, person } = running()
  const workflow = { name: 'release', step: 'pay', done: ['collect'], next: ['mail'] }
  const body = { ...PAY, form: undefined, run: 'openworkflow:0b1c', context: { workflow } }
  const asked = await send('/v1/calls', { as: await agent('bot'), body })
  const card = await send(`/v1/approvals/${asked.at('id')}`, {
    as: await person('ana@example.com'),
  })
  expect(card.body).toMatchObject({ run: 'openworkflow:0b1c', claimed: { workflow } })
  const long = { ...workflow, name: 'x'.repeat(201) }
  const refused = await send('/v1/calls', {
    as: await agent('bot2'),
    body: { ...body, context: { workflow: long } },
  })
  expect(refused.at('error.code')).toBe('invalid_call')
})

test('a user of an application fills the form in there', async () => {
  const { send, agent, person } = running()
  await person('paul@example.com', ['viewer'])
  const app = await agent('app', { vouches: true })
  const call = { tool: 'note', args: {}, principal: 'paul@example.com', form: FORM }
  const asked = await send('/v1/calls', { as: app, body: call })
  const answer = (payload?: unknown) =>
    send(`/v1/approvals/${asked.at('id')}/answers`, {
      as: app,
      body: { by: 'paul@example.com', approved: true, seen: asked.at('digest'), payload },
    })
  expect((await answer()).at('error.code')).toBe('payload_required')
  expect((await answer({ amount: 5.5 })).at('error.code')).toBe('payload_invalid')
  expect((await answer({ amount: 5 })).body).toMatchObject({
    status: 'approved',
    payload: { amount: 5 },
  })
})
