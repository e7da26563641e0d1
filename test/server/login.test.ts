import { expect } from 'vitest'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

promise(
  ['CS-SIGN-7'],
  'a code opens nothing before a person typed it, and one terminal after',
  async () => {
    const { send, person, agent } = running()
    const begun = await send('/v1/login', { method: 'POST' })
    const body = { secret: begun.at('secret') }
    const finish = () => send('/v1/login/finish', { body })
    expect((await finish()).status).toBe(202)
    const code = { code: begun.at('code') }
    for (const as of [{}, await agent('bot')]) {
      const tried = await send('/v1/login/confirm', { as, body: code })
      expect([401, 403]).toContain(tried.status)
    }
    expect((await finish()).status).toBe(202)
    const ana = await person('ana@example.com')
    expect((await send('/v1/login/confirm', { as: ana, body: code })).status).toBe(204)
    const tries = await Promise.all([finish(), finish(), finish()])
    expect(tries.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
    const done = tries.find(({ status }) => status === 200)
    expect(done?.body).toMatchObject({ person: { email: 'ana@example.com' } })
    const cookie = done?.headers.get('set-cookie')?.split(';')[0] ?? ''
    const as = { cookie, 'x-countersign-csrf': done?.at('csrf') ?? '' }
    expect((await send('/v1/me', { as })).at('person.subject')).toBe('ana@example.com')
  },
)

promise(['CS-SIGN-7'], 'a code ends after ten minutes, and guessing is slowed down', async () => {
  const clock = fakeClock()
  const { send, person } = running({ store: memoryStore({ clock: clock.now }) })
  const ana = await person('ana@example.com')
  const begun = await send('/v1/login', { method: 'POST' })
  clock.advance(601_000)
  const late = await send('/v1/login/confirm', { as: ana, body: { code: begun.at('code') } })
  expect(late.at('error.code')).toBe('login_unknown')
  expect((await send('/v1/login/finish', { body: { secret: begun.at('secret') } })).status).toBe(
    404,
  )
  for (let n = 0; n < 19; n += 1) {
    await send('/v1/login/confirm', { as: ana, body: { code: 'BBBB-BBBB' } })
  }
  const stopped = await send('/v1/login/confirm', { as: ana, body: { code: 'BBBB-BBBB' } })
  expect(stopped.status).toBe(429)
})
