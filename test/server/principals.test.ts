import { expect, test } from 'vitest'
import { promise } from '../support/promise.ts'
import { type Running, running } from './harness.ts'

const NOTE = { tool: 'note', run: 'r1', key: 'k1', args: { text: 'hello' } }
const PAY = { tool: 'pay', run: 'r1', key: 'k2', args: { amount: 500, to: 'Lena' } }

function approve(own: Running, id: string, digest: string, as: Record<string, string>) {
  const body = { verdict: 'approve', digest }
  return own.send(`/v1/approvals/${id}/decisions`, { as, body })
}

promise(
  ['CS-AGENT-3'],
  'B4-05: a token that is neither bound to a person nor vouches for its users names no person',
  async () => {
    const own = running()
    const bot = await own.agent('bot')
    for (const call of [NOTE, PAY]) {
      const body = { ...call, principal: 'vera@example.com' }
      const answer = await own.send('/v1/calls', { as: bot, body })
      expect([answer.status, answer.at('error.code')]).toEqual([403, 'principal_unproved'])
      expect(answer.at('error.hint')).toContain('--principal')
    }
    expect((await own.store.list({})).approvals).toEqual([])
    // Without a name nobody gains a right by the call, and nobody loses one.
    const vera = await own.person('vera@example.com', ['viewer'])
    const note = await own.send('/v1/calls', { as: bot, body: NOTE })
    const refused = await approve(own, note.at('id'), note.at('digest'), vera)
    expect(refused.at('error.code')).toBe('not_an_approver')
    const ana = await own.person('ana@example.com')
    const pay = await own.send('/v1/calls', { as: bot, body: PAY })
    expect((await approve(own, pay.at('id'), pay.at('digest'), ana)).status).toBe(200)
  },
)

promise.each(
  ['CS-AGENT-3'],
  'B4-05: a token that may name nobody is refused, whatever it names a person by',
  [
    ['an empty name', { principal: '' }],
    ['a name in another case', { principal: 'VERA@EXAMPLE.COM' }],
    [
      'an id of an agent',
      { agent: { alias: 'bot', id: 'vera@example.com', principal: 'vera@example.com' } },
    ],
    ['the input of a parent', { parent: { input: {}, principal: 'vera@example.com' } }],
    ['a key of its own', { onBehalfOf: 'vera@example.com' }],
  ] as [string, object][],
  async (_, more) => {
    const own = running()
    const bot = await own.agent('bot')
    const answer = await own.send('/v1/calls', { as: bot, body: { ...NOTE, ...more } })
    expect([400, 403]).toContain(answer.status)
    expect((await own.store.list({})).approvals).toEqual([])
  },
)

promise(
  ['CS-AGENT-3'],
  'a bound token works for its person, who may confirm and never approve, whatever the call says',
  async () => {
    const own = running()
    const bot = await own.agent('bot', { principal: 'vera@example.com' })
    const vera = await own.person('vera@example.com', ['viewer', 'approver'])
    await own.person('fay@example.com')
    const other = await own.send('/v1/calls', {
      as: bot,
      body: { ...NOTE, principal: 'ana@example.com' },
    })
    expect(other.status).toBe(400)
    const pay = await own.send('/v1/calls', { as: bot, body: PAY })
    const self = await approve(own, pay.at('id'), pay.at('digest'), vera)
    expect(self.at('error.code')).toBe('self_approval')
    const note = await own.send('/v1/calls', { as: bot, body: NOTE })
    expect((await approve(own, note.at('id'), note.at('digest'), vera)).status).toBe(200)
  },
)

promise(
  ['CS-AGENT-4'],
  'tokens of one agent for two people do not reach each other’s calls',
  async () => {
    const own = running()
    const forAna = await own.agent('bot', { principal: 'ana@example.com' })
    const forBo = await own.agent('bot', { principal: 'bo@example.com' })
    const unbound = await own.agent('bot')
    const fay = await own.person('fay@example.com')
    const asked = await own.send('/v1/calls', { as: forAna, body: PAY })
    const [id, digest] = [asked.at('id'), asked.at('digest')]
    expect((await approve(own, id, digest, fay)).status).toBe(200)
    for (const as of [forBo, unbound]) {
      expect((await own.send('/v1/approvals?status=all', { as })).body).toEqual({ approvals: [] })
      const tries = await Promise.all([
        own.send(`/v1/approvals/${id}`, { as }),
        own.send(`/v1/approvals/${id}/claim`, { as, body: { digest } }),
        own.send(`/v1/approvals/${id}/renew`, { as, body: { claim: 'x' } }),
        own.send(`/v1/approvals/${id}/result`, { as, body: { claim: 'x', outcome: 'failed' } }),
        own.send(`/v1/approvals/${id}/withdraw`, { as, method: 'POST' }),
      ])
      expect(tries.map((one) => one.at('error.code'))).toEqual(Array(5).fill('approval_not_found'))
    }
    // The same run and key under another person is another call.
    const same = await own.send('/v1/calls', { as: forBo, body: PAY })
    expect(same.body).not.toMatchObject({ id })
    expect(JSON.stringify(same.body)).not.toContain(id)
    const claimed = await own.send(`/v1/approvals/${id}/claim`, { as: forAna, body: { digest } })
    expect(claimed.status).toBe(200)
    expect((await own.send('/v1/approvals?status=all', { as: forAna })).body).toMatchObject({
      approvals: [{ id }],
    })
  },
)

promise(
  ['CS-AGENT-4'],
  'B12: a run and key that a token of the same agent took for another person name nothing else, and run nothing',
  async () => {
    const own = running()
    const forAna = await own.agent('bot', { principal: 'ana@example.com' })
    const forBo = await own.agent('bot', { principal: 'bo@example.com' })
    const fay = await own.person('fay@example.com')
    const asked = await own.send('/v1/calls', { as: forAna, body: PAY })
    expect((await approve(own, asked.at('id'), asked.at('digest'), fay)).status).toBe(200)
    const squatted = await own.send('/v1/calls', { as: forBo, body: PAY })
    expect(squatted.at('error.code')).toBe('key_reused')
    expect((await own.store.list({})).approvals).toHaveLength(1)
    // What is its own stays its own, also under a new token of the same agent and person.
    const rotated = await own.agent('bot', { principal: 'ana@example.com' })
    for (const as of [forAna, rotated]) {
      const again = await own.send('/v1/calls', { as, body: PAY })
      expect(again.body).toMatchObject({ status: 'approved', id: asked.at('id') })
    }
    const other = { ...PAY, run: 'of Bo' }
    expect((await own.send('/v1/calls', { as: forBo, body: other })).at('status')).toBe('pending')
  },
)

test('a page of a bound token is full although others asked in between', async () => {
  const own = running()
  const forAna = await own.agent('bot', { principal: 'ana@example.com' })
  const forBo = await own.agent('bot', { principal: 'bo@example.com' })
  for (let nth = 0; nth < 6; nth += 1) {
    const body = { tool: 'note', run: 'r', key: `k${nth}`, args: { nth } }
    await own.send('/v1/calls', { as: nth % 3 === 0 ? forAna : forBo, body })
  }
  const first = await own.send('/v1/approvals?limit=1&order=oldest', { as: forAna })
  expect(first.body).toMatchObject({ approvals: [{}], next: expect.any(String) })
  const second = await own.send(
    `/v1/approvals?limit=1&order=oldest&after=${encodeURIComponent(first.at('next'))}`,
    { as: forAna },
  )
  expect(second.body).toMatchObject({ approvals: [{}] })
  expect(second.at('approvals.0.id')).not.toBe(first.at('approvals.0.id'))
})

promise.each(
  ['CS-AGENT-3'],
  'B4-01: only a plain address names a person',
  [
    ' ana@example.com',
    'Ana <ana@example.com>',
    'ａｎａ@example.com',
    'ana',
    '\u212Aim@example.com',
  ].map((one): [string] => [one]),
  async (principal) => {
    const own = running()
    const root = await own.person('root@example.com', ['admin'])
    const made = await own.send('/v1/tokens', { as: root, body: { agent: 'bot', principal } })
    expect([made.status, made.at('error.code')]).toEqual([400, 'invalid_value'])
    await expect(own.agent('bot', { principal })).rejects.toMatchObject({ code: 'invalid_value' })
    const roles = ['viewer']
    const added = await own.send('/v1/people', { as: root, body: { email: principal, roles } })
    expect(added.status).toBe(400)
    const vouching = await own.agent('chat', { vouches: true })
    const asked = await own.send('/v1/calls', { as: vouching, body: { ...NOTE, principal } })
    expect(asked.status).toBe(400)
  },
)

test('the address of a bound token is compared without regard to case', async () => {
  const own = running()
  const bot = await own.agent('bot', { principal: 'Ana@Example.com' })
  const ana = await own.person('ana@example.com', ['viewer', 'approver'])
  await own.person('fay@example.com')
  const pay = await own.send('/v1/calls', { as: bot, body: PAY })
  expect((await approve(own, pay.at('id'), pay.at('digest'), ana)).at('error.code')).toBe(
    'self_approval',
  )
  expect((await own.send(`/v1/approvals/${pay.at('id')}`, { as: bot })).status).toBe(200)
})
