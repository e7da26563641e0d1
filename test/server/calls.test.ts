import { expect, test } from 'vitest'
import { internals } from '../../src/gate/internals.ts'
import { promise } from '../support/promise.ts'
import { POLICY, running } from './harness.ts'

const PAY = { tool: 'pay', run: 'r1', args: { amount: 500, to: 'Lena', card: '4111' } }

/** A pending payment by `bot`, and an approver who is not concerned. */
async function asked(call: object = PAY) {
  const own = running()
  const [bot, ana] = [await own.agent('bot'), await own.person('ana@example.com')]
  const answer = await own.send('/v1/calls', { as: bot, body: call })
  const [id, digest] = [answer.at('id'), answer.at('digest')]
  const at = `/v1/approvals/${id}`
  const decide = (body: object, as = ana) => own.send(`${at}/decisions`, { as, body })
  return { ...own, bot, ana, id, digest, at, answer, decide }
}

test('an agent asks, a person says yes, the agent claims, runs and reports', async () => {
  const { send, bot, at, digest, decide, answer } = await asked()
  expect(answer.body).toMatchObject({ status: 'pending', decideBy: expect.any(Number) })
  expect(answer.at('modelMessage')).toContain('waits for a person')
  expect((await send(`${at}/claim`, { as: bot, body: { digest } })).status).toBe(409)

  expect((await decide({ verdict: 'approve', digest })).body).toMatchObject({ status: 'approved' })
  const claimed = await send(`${at}/claim`, { as: bot, body: { digest } })
  expect(claimed.body).toMatchObject({ args: PAY.args, digest, lease: 60_000, countersigns: false })
  const again = await send(`${at}/claim`, { as: bot, body: { digest } })
  expect(again.at('error.code')).toBe('already_claimed')

  const claim = claimed.at('claim')
  expect((await send(`${at}/renew`, { as: bot, body: { claim } })).body).toMatchObject({
    execution: 'running',
  })
  const body = { claim, outcome: 'succeeded', result: { receipt: 7 } }
  const wrong = { ...body, claim: 'another' }
  expect((await send(`${at}/result`, { as: bot, body: wrong })).status).toBe(403)
  expect((await send(`${at}/result`, { as: bot, body })).body).toMatchObject({
    status: 'approved',
    execution: 'succeeded',
    result: { receipt: 7 },
  })
})

test('a call the policy allows runs at once, and one it denies never', async () => {
  const { send, agent } = running()
  const as = await agent('bot')
  const small = { tool: 'pay', args: { amount: 5, to: 'Lena' } }
  expect((await send('/v1/calls', { as, body: small })).body).toEqual({
    status: 'allowed',
    args: small.args,
  })
  const wipe = await send('/v1/calls', { as, body: { tool: 'wipe_all', args: {} } })
  expect(wipe.body).toMatchObject({ status: 'blocked', code: 'denied_by_policy' })
  expect(wipe.at('modelMessage')).toContain('Nothing is wiped here.')
  expect((await send('/v1/approvals', { as })).body).toMatchObject({ approvals: [] })
})

test.each([
  ['a key nobody knows', { tool: 'read', arguments: {} }, 'invalid_call'],
  ['no arguments', { tool: 'read' }, 'invalid_call'],
  ['another agent', { tool: 'read', args: {}, agent: 'mallory' }, 'invalid_call'],
  ['a claim that is not text', { tool: 'read', args: {}, context: { says: 5 } }, 'invalid_call'],
  ['a run that is too long', { tool: 'read', args: {}, run: 'r'.repeat(1_025) }, 'invalid_call'],
  ['a server without a name', { tool: 'read', args: {}, server: '' }, 'invalid_call'],
  ['a name nobody can write', { tool: 're ad', args: {} }, 'invalid_call'],
])('a call with %s is refused, also where it would be allowed', async (_, body, code) => {
  const { send, agent } = running()
  const answer = await send('/v1/calls', { as: await agent('bot'), body })
  expect(answer.status).toBe(400)
  expect(answer.at('error.code')).toBe(code)
})

test('arguments beyond the limits of the policy are refused, also where they would be allowed', async () => {
  const { send, agent } = running({ policy: `${POLICY}limits: { args_bytes: 20 }\n` })
  const as = await agent('bot')
  const body = { tool: 'read', args: { text: 'x'.repeat(30) } }
  expect((await send('/v1/calls', { as, body })).at('error.code')).toBe('too_large')
  const small = await send('/v1/calls', { as, body: { tool: 'read', args: {} } })
  expect(small.body).toEqual({ status: 'allowed', args: {} })
})

test('whoever listens to the gate hears of allowed calls, and a lock stops them', async () => {
  const { send, agent, person, server } = running()
  const as = await agent('bot')
  const heard: string[] = []
  server.gate.on('evaluated', ({ call, verdict }) => {
    heard.push(`${call.tool} ${verdict.verdict}`)
  })
  const body = { tool: 'read', args: { path: 'a' } }
  expect((await send('/v1/calls', { as, body })).body).toEqual({
    status: 'allowed',
    args: body.args,
  })
  expect(heard).toEqual(['read allow'])
  const admin = await person('root@example.com', ['admin'])
  const lock = { target: { tool: 'read' }, reason: 'not today' }
  expect((await send('/v1/locks', { as: admin, body: lock })).status).toBe(201)
  expect((await send('/v1/calls', { as, body })).at('code')).toBe('locked')
})

test('a no is told to the model, and answers the same call for the rest of the run', async () => {
  const { send, bot, at, digest, decide } = await asked()
  await decide({ verdict: 'deny', digest, reason: 'Not this month', answer: 'Ask in May.' })
  const seen = await send(at, { as: bot })
  expect(seen.body).toMatchObject({ status: 'denied', answer: 'Ask in May.' })
  expect(seen.at('modelMessage')).toContain('Ask in May.')
  expect((await send('/v1/calls', { as: bot, body: PAY })).body).toMatchObject({
    status: 'blocked',
    code: 'denied',
  })
})

test('asking again joins the question; another key asks another', async () => {
  const { send, bot, id } = await asked()
  expect((await send('/v1/calls', { as: bot, body: PAY })).at('id')).toBe(id)
  const keyed = await send('/v1/calls', { as: bot, body: { ...PAY, key: 'k1' } })
  expect(keyed.at('id')).not.toBe(id)
  const reused = { ...PAY, key: 'k1', args: { ...PAY.args, amount: 900 } }
  const refused = await send('/v1/calls', { as: bot, body: reused })
  expect({ status: refused.status, code: refused.at('error.code') }).toEqual({
    status: 409,
    code: 'key_reused',
  })
})

test('a call that claims another agent is refused', async () => {
  const { send, bot } = await asked()
  for (const agent of ['other', { alias: 'bot', id: 'x' }, { id: 'admin' }]) {
    const answer = await send('/v1/calls', { as: bot, body: { ...PAY, agent } })
    expect(answer.status).toBe(400)
    expect(answer.at('error.code')).toBe('invalid_call')
  }
  expect((await send('/v1/calls', { as: bot, body: { ...PAY, agent: 'bot' } })).status).toBe(200)
})

test('a decision about anything but what is there now is refused', async () => {
  const { decide, store, id } = await asked()
  for (const verdict of ['approve', 'deny']) {
    const answer = await decide({ verdict, digest: 'f'.repeat(64) })
    expect(answer.status).toBe(409)
    expect(answer.at('error.code')).toBe('call_changed')
  }
  const odd = await decide({ verdict: 'approve', digest: id })
  expect(odd.at('error.code')).toBe('invalid_value')
  expect((await store.get(id))?.status).toBe('pending')
})

test.each([
  ['who decides', { by: { issuer: 'local', subject: 'fay@example.com' } }],
  ['who decides', { userId: 'fay' }],
  ['how sure', { assurance: 'passkey' }],
  ['nothing', { verdict: 'maybe' }],
  ['a list', { edit: [] }],
  ['a number', { reason: 5 }],
])('a body that says %s is refused: %j', async (_, more) => {
  const { decide, digest, store, id } = await asked()
  const answer = await decide({ verdict: 'approve', digest, ...more })
  expect({ status: answer.status, code: answer.at('error.code') }).toEqual({
    status: 400,
    code: 'invalid_value',
  })
  expect((await store.get(id))?.revision).toBe(1)
})

test('an edit runs as edited, within what may be edited, and secrets stay what they were', async () => {
  const { send, ana, bot, at, digest, decide } = await asked()
  const change = (args: object) => decide({ verdict: 'approve', digest, edit: { arguments: args } })
  const other = await change({ amount: 300, to: 'Mallory', card: '[secret]' })
  expect(other.at('error.code')).toBe('edit_not_allowed')
  const edited = await change({ amount: 300, to: 'Lena', card: '[secret]' })
  expect(edited.body).toMatchObject({
    status: 'approved',
    isEdited: true,
    by: ['ana@example.com'],
    message: 'Pay 300 to Lena?',
    useBy: expect.any(Number),
  })
  expect(edited.at('digest')).not.toBe(digest)
  // What a person reads is on the card, and made when it is read.
  expect(edited.body).not.toHaveProperty('arguments')
  expect((await send(at, { as: ana })).body).toMatchObject({
    ...(edited.body as object),
    edited: [['amount']],
    arguments: '{"amount":300,"card":"[secret]","to":"Lena"}',
    askedArguments: '{"amount":500,"card":"[secret]","to":"Lena"}',
    message: 'Pay 300 to Lena?',
  })
  const claimed = await send(`${at}/claim`, { as: bot, body: { digest } })
  expect(claimed.body).toMatchObject({
    edited: {
      paths: ['amount'],
      args: { amount: 300, card: '[secret]' },
      modelMessage: expect.stringContaining('amount is now 300'),
    },
    args: { amount: 300, to: 'Lena', card: '4111' },
  })
})

test('what a tool is said to do is shown, and a yes is good for that tool only', async () => {
  const definition = { description: 'Pays.', inputSchema: { type: 'object', properties: {} } }
  const { send, ana, bot, at, digest, decide } = await asked({ ...PAY, definition })
  expect((await send(at, { as: ana })).body).toMatchObject({ schema: definition.inputSchema })
  await decide({ verdict: 'approve', digest })
  const other = { digest, definition: { ...definition, description: 'Pays twice.' } }
  const claim = await send(`${at}/claim`, { as: bot, body: other })
  expect(claim.at('error.code')).toBe('invalidated')
  expect((await send(at, { as: ana })).body).toMatchObject({
    status: 'invalidated',
    reason: 'tool',
  })
  const odd = await send('/v1/calls', { as: bot, body: { ...PAY, definition: 'x' } })
  expect(odd.at('error.code')).toBe('invalid_value')
})

test('waiting ends with the decision, whoever made it', async () => {
  const { send, bot, at, digest, decide } = await asked()
  const waiting = send(`${at}?wait=20s`, { as: bot })
  await decide({ verdict: 'approve', digest })
  expect((await waiting).body).toMatchObject({ status: 'approved' })
})

test('waiting ends in time as well', async () => {
  const { send, bot, at } = await asked()
  const start = performance.now()
  expect((await send(`${at}?wait=1s`, { as: bot })).body).toMatchObject({ status: 'pending' })
  expect(performance.now() - start).toBeGreaterThan(900)
  expect((await send(`${at}?wait=soon`, { as: bot })).status).toBe(400)
})

test('the sample agent asks through the real gate, and its results are shown', async () => {
  const { send, person } = running()
  const as = await person('ana@example.com', ['approver', 'admin'])
  const run = (await send('/v1/demo', { as, method: 'POST' })).at('run')
  const list = await send(`/v1/approvals?status=pending&run=${run}`, { as })
  expect(list.body).toMatchObject({
    approvals: [
      { tool: 'sample_transfer_money', risk: 'L4', level: 'review', mine: { may: true } },
      { tool: 'sample_send_mail', risk: 'L2', level: 'confirm', mine: { may: true } },
    ],
    counts: { mine: 2, others: 0 },
  })
  const at = `/v1/approvals/${list.at('approvals.0.id')}`
  const body = { verdict: 'approve', digest: list.at('approvals.0.digest') }
  await send(`${at}/decisions`, { as, body })
  await expect
    .poll(async () => (await send(at, { as })).body)
    .toMatchObject({ outcome: { state: 'succeeded', result: { moved: 0 } } })
})

promise(['CS-GATE-6'], 'a key of any length names its call', async () => {
  const own = running()
  const bot = await own.agent('bot')
  const body = { tool: 'pay', run: 'r', args: { amount: 500, to: 'Lena' } }
  const ask = (key: string) => own.send('/v1/calls', { as: bot, body: { ...body, key } })
  const long = `call_${'s'.repeat(5_000)}`
  const first = await ask(long)
  expect(first.at('status')).toBe('pending')
  expect((await ask(long)).at('id')).toBe(first.at('id'))
  expect((await ask(`${long}x`)).at('id')).not.toBe(first.at('id'))
})

promise(['CS-SDK-11'], 'what an agent’s code declared is explained to people, too', async () => {
  const { send, agent, person, server } = running()
  const [bot, ana] = [await agent('bot'), await person('ana@example.com')]
  const call = { tool: 'mail', args: { to: 'a@b.c' } }
  const before = await send('/v1/policy/explain', { as: ana, body: call })
  expect(before.at('verdict.verdict')).toBe('allow')
  const declared = { approval: { condition: { args_match: { to: { pattern: '@' } } } } }
  await send('/v1/calls', { as: bot, body: { ...call, declared } })
  await server.gate[internals].idle()
  const after = await send('/v1/policy/explain', { as: ana, body: call })
  expect(after.body).toMatchObject({
    verdict: { verdict: 'confirm' },
    code: { words: declared },
    rules: [{ rule: 'code.mail.approval.condition', asks: 'confirm' }],
  })
})
