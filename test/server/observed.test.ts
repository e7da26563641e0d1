import { expect, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const DEFINITION = {
  inputSchema: {
    type: 'object',
    properties: { amount: { type: 'number', maximum: 1_000 }, note: { default: 'none' } },
  },
}
const PAY = { tool: 'pay', run: 'r', args: { amount: 500, to: 'x' }, definition: DEFINITION }

promise(['CS-SEC-6'], 'calls and edits over HTTP must fit the schema of the tool', async () => {
  const { send, agent, person } = running()
  const bot = await agent('bot')
  const wrong = await send('/v1/calls', { as: bot, body: { ...PAY, args: { amount: '5' } } })
  expect([wrong.status, wrong.at('error.code')]).toEqual([400, 'invalid_call'])
  const asked = await send('/v1/calls', { as: bot, body: PAY })
  const path = `/v1/approvals/${asked.at('id')}`
  const as = await person('ana@example.com')
  const shown = JSON.parse((await send(path, { as })).at('arguments'))
  expect(shown).toEqual({ ...PAY.args, note: 'none' })
  const edit = (amount: unknown) => ({
    verdict: 'approve',
    digest: asked.at('digest'),
    edit: { arguments: { ...shown, amount } },
  })
  const refused = await send(`${path}/decisions`, { as, body: edit(5_000) })
  expect(refused.body).toMatchObject({
    error: { code: 'invalid_value', message: 'amount must be <= 1000', at: ['amount'] },
  })
  expect((await send(`${path}/decisions`, { as, body: edit(900) })).status).toBe(200)
})

test('a schema that cannot be used stops the call, and says why', async () => {
  const { send, agent } = running()
  const definition = { inputSchema: { $ref: 'https://example.com/schema' } }
  const answer = await send('/v1/calls', { as: await agent('bot'), body: { ...PAY, definition } })
  expect([answer.status, answer.at('error.code')]).toEqual([422, 'schema_unusable'])
})

promise(['CS-SEC-7'], 'every request has one line, by pattern and without its body', async () => {
  const { send, agent, logged } = running()
  const bot = await agent('bot')
  const sent = await send('/v1/calls', {
    as: bot,
    body: { ...PAY, args: { amount: 500, to: 'canary-to' } },
    headers: { 'x-request-id': 'mine-1' },
  })
  const found = await send(`/v1/approvals/${sent.at('id')}?wait=canary`, { as: bot })
  expect(sent.headers.get('x-request-id')).toBe('mine-1')
  expect(found.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(logged.map((line) => JSON.parse(line))).toMatchObject([
    { level: 'info', event: 'request', request: 'mine-1', route: '/v1/calls', status: 200 },
    { event: 'request', method: 'GET', route: '/v1/approvals/:id', status: 400 },
  ])
  expect(logged.join('\n')).not.toMatch(/canary|Bearer|cs_/)
})
