import { expect } from 'vitest'
import type { MadeToken, PeopleList, TokenList } from '../../src/api/people.ts'
import { isAdminEvent } from '../../src/store/audit/chain.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { running } from './harness.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

promise(
  ['CS-INBOX-11'],
  'everybody sees who decides here; only admins see who comes and goes',
  async () => {
    const clock = fakeClock()
    const { send, person } = running({ store: memoryStore({ clock: clock.now }) })
    const root = await person('root@example.com', ['admin'])
    clock.advance(HOUR)
    const fay = await person('fay@example.com', ['approver'])
    await person('fay@example.com', ['approver'])
    const list = async (as: typeof root) =>
      (await send('/v1/people', { as })).body as unknown as PeopleList
    const of = ({ people }: PeopleList, email: string) => people.find((one) => one.email === email)

    const seen = await list(root)
    expect(seen.can).toEqual(['change'])
    expect(of(seen, 'fay@example.com')).toMatchObject({
      groups: ['finance'],
      lastSignInAt: clock.now(),
      sessions: 2,
      told: [],
    })
    expect(of(seen, 'fay@example.com')).not.toHaveProperty('lastDecisionAt')
    expect(of(seen, 'root@example.com')).toMatchObject({
      you: true,
      lastSignInAt: clock.now() - HOUR,
    })

    const other = await list(fay)
    expect(other).toMatchObject({ can: [], groups: ['finance'] })
    expect(other).not.toHaveProperty('removed')
    const told = of(other, 'root@example.com')
    expect(Object.keys(told ?? {}).toSorted()).toEqual(
      ['email', 'groups', 'id', 'issuer', 'roles', 'subject'].toSorted(),
    )

    const { id } = of(seen, 'fay@example.com') ?? { id: '' }
    const { issuer, subject } = of(seen, 'fay@example.com') ?? {}
    const lock = { target: { person: { issuer, subject } }, reason: 'a test' }
    expect((await send('/v1/locks', { as: root, body: lock })).status).toBeLessThan(300)
    expect(of(await list(root), 'fay@example.com')).toMatchObject({ locked: true })

    await send(`/v1/people/${id}`, { as: root, method: 'DELETE' })
    const after = await list(root)
    expect(of(after, 'fay@example.com')).toBeUndefined()
    expect(after.removed).toEqual([
      { issuer, subject, id: expect.any(String), email: 'fay@example.com', at: clock.now() },
    ])
  },
)

promise(
  ['CS-INBOX-12'],
  'sessions end at once: your own by you, those of anybody by an admin, on record',
  async () => {
    const { send, person, store } = running()
    const root = await person('root@example.com', ['admin'])
    const fay = await person('fay@example.com', ['approver'])
    const again = await person('fay@example.com', ['approver'])
    const finn = await person('finn@example.com', ['approver'])
    const { people } = (await send('/v1/people', { as: root })).body as unknown as PeopleList
    const path = `/v1/people/${people.find(({ subject }) => subject === 'fay@example.com')?.id}/sessions`
    const end = (as: typeof root) => send(path, { as, method: 'DELETE' })

    expect((await end(finn)).at('error.code')).toBe('not_permitted')
    expect((await send('/v1/me', { as: fay })).status).toBe(200)
    expect((await end(root)).body).toEqual({ ended: 2 })
    for (const as of [fay, again]) expect((await send('/v1/me', { as })).status).toBe(401)
    expect((await send('/v1/me', { as: finn })).status).toBe(200)

    const { entries } = await store.eventsSince('start', 500)
    const ended = entries.filter(({ event }) => event.type === 'session.ended')
    expect(ended.map(({ event }) => isAdminEvent(event) && event.by)).toEqual([
      { person: { issuer: 'local', subject: 'root@example.com' } },
      { person: { issuer: 'local', subject: 'root@example.com' } },
    ])
    const back = await person('fay@example.com', ['approver'])
    expect((await end(back)).body).toEqual({ ended: 1 })
  },
)

promise(
  ['CS-INBOX-13'],
  'a token works until its end, and admins see when it was last used',
  async () => {
    const clock = fakeClock()
    const { send, person } = running({ store: memoryStore({ clock: clock.now }) })
    const root = await person('root@example.com', ['admin'])
    const body = { agent: 'mailer', principal: 'ana@example.com', days: 30 }
    const made = (await send('/v1/tokens', { as: root, body })).body as unknown as MadeToken
    expect(made.made).toMatchObject({ agent: 'mailer', expiresAt: clock.now() + 30 * DAY })
    const bot = { authorization: `Bearer ${made.token}` }
    const tokens = async () => {
      const { tokens: found } = (await send('/v1/tokens', { as: root }))
        .body as unknown as TokenList
      return found.filter(({ agent }) => agent === 'mailer')
    }
    expect((await tokens())[0]).not.toHaveProperty('lastUsedAt')
    expect(JSON.stringify(await tokens())).not.toContain(made.token.slice(20))

    expect((await send('/v1/approvals', { as: bot })).status).toBe(200)
    const [used] = await tokens()
    expect(Math.abs((used?.lastUsedAt ?? 0) - clock.now())).toBeLessThan(5_000)

    clock.advance(30 * DAY)
    const late = await send('/v1/approvals', { as: bot })
    expect([late.status, late.at('error.code')]).toEqual([401, 'token_unknown'])
    // Whoever looks after so long has to sign in again, too.
    const back = await person('root@example.com', ['admin'])
    expect((await send('/v1/tokens', { as: back })).body).toMatchObject({ tokens: [] })
  },
)
