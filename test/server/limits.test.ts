import { expect, test } from 'vitest'
import { signInSecret } from '../../src/server/identity/invite.ts'
import { running } from './harness.ts'

test('B12-01: an agent has at most a hundred questions waiting, unless the policy says otherwise', async () => {
  const own = running({ policy: 'version: 1\ntools: { note: { approval: true } }' })
  const bot = await own.agent('bot')
  const ask = (nth: number, as = bot) =>
    own.send('/v1/calls', { as, body: { tool: 'note', run: 'r', key: `k${nth}`, args: { nth } } })
  for (let nth = 0; nth < 100; nth += 1) expect((await ask(nth)).at('status')).toBe('pending')
  expect((await ask(100)).body).toMatchObject({
    status: 'blocked',
    code: 'too_many_pending',
    modelMessage: expect.stringContaining('too many calls already wait'),
  })
  expect((await ask(0, await own.agent('other'))).at('status')).toBe('pending')
})

test('S19: wrong links from one address do not keep out whoever brings a good one', async () => {
  const own = running()
  const good = await signInSecret(own.store, { email: 'ana@example.com', roles: ['viewer'] })
  for (let nth = 0; nth < 30; nth += 1) {
    await own.send('/v1/session', { body: { token: 'x'.repeat(43) } })
  }
  const wrong = await own.send('/v1/session', { body: { token: 'x'.repeat(43) } })
  expect(wrong.at('error.code')).toBe('too_many_requests')
  expect((await own.send('/v1/session', { body: { token: good } })).status).toBe(200)
})
