import { expect, test } from 'vitest'
import type { InviteList, MadeInvite } from '../../src/api/people/invites.ts'
import type { PeopleList } from '../../src/api/people.ts'
import { accountKey } from '../../src/server/identity/people.ts'
import { isAdminEvent } from '../../src/store/audit/chain.ts'
import { memoryStore } from '../../src/store/memory/index.ts'
import { fakeClock } from '../../src/testing/fake-clock.ts'
import { promise } from '../support/promise.ts'
import { type Running, running, type Sender } from './harness.ts'

const DAY = 86_400_000
const WISH = { email: 'Gil@example.com', name: 'Gil', roles: ['viewer', 'approver'] }
const GIL = accountKey({ issuer: 'local', subject: 'gil@example.com' })

async function invited() {
  const clock = fakeClock()
  const store = memoryStore({ clock: clock.now })
  const world = running({ store })
  const root = await world.person('root@example.com', ['admin'])
  const made = await make(world, root)
  return { ...world, clock, root, made, accept: (token = made.token) => accept(world, token) }
}

const make = async ({ send }: Running, as: Sender, more = {}) =>
  (await send('/v1/invites', { as, body: { ...WISH, ...more } })).body as MadeInvite

const accept = ({ send }: Pick<Running, 'send'>, token: string) =>
  send('/v1/invites/accept', { body: { token } })

const invites = async ({ send }: Pick<Running, 'send'>, as: Sender) =>
  ((await send('/v1/invites', { as })).body as InviteList).invites

promise(
  ['CS-PEOPLE-7'],
  'an invitation makes one account, once, as a viewer under an address that no rule goes by',
  async () => {
    const world = await invited()
    const { send, root, made } = world
    expect(made.invite).toMatchObject({ state: 'open', email: 'gil@example.com', name: 'Gil' })
    const uses = await Promise.all([world.accept(), world.accept(), world.accept()])
    expect(uses.map(({ status }) => status).toSorted()).toEqual([200, 401, 401])
    expect(uses.find(({ status }) => status === 200)?.body).toMatchObject({
      person: { name: 'Gil' },
      roles: ['viewer'],
    })
    const { people } = (await send('/v1/people', { as: root })).body as PeopleList
    expect(people.find(({ name }) => name === 'Gil')).toMatchObject({
      emailVerified: false,
      roles: ['viewer'],
      invited: { by: { subject: 'root@example.com' }, wanted: ['viewer', 'approver'] },
    })
    const [only] = await invites(world, root)
    expect(only).toMatchObject({ state: 'used' })
    expect(JSON.stringify(only)).not.toContain(made.token)
  },
)

promise(
  ['CS-PEOPLE-8'],
  'the maker of an invitation gives its account no role and vouches for no address of it',
  async () => {
    const world = await invited()
    const { send, root, person } = world
    await world.accept()
    const path = `/v1/people/${GIL}`
    const roles = ['viewer', 'approver'] as const
    for (const [to, body] of [
      [path, { roles }],
      ['/v1/people', { email: 'gil@example.com', roles }],
      ['/v1/people', { email: 'gil@example.com', roles: ['viewer'] }],
    ] as const) {
      expect((await send(to, { as: root, body })).at('error.code')).toBe('not_permitted')
    }
    const other = await person('other@example.com', ['admin'])
    expect((await send(path, { as: other, body: { roles } })).body).toMatchObject({ roles })
    const { people } = (await send('/v1/people', { as: other })).body as PeopleList
    expect(people.find(({ id }) => id === GIL)?.invited).toEqual({
      by: expect.objectContaining({ subject: 'root@example.com' }),
    })
    // Taking away is never refused.
    expect((await send(path, { as: root, body: { roles: [] } })).status).toBe(200)
    expect((await send(path, { as: root, method: 'DELETE' })).status).toBe(200)
  },
)

promise(
  ['CS-PEOPLE-7'],
  'an invitation that was used, revoked, forged or is too old says so and makes nothing',
  async () => {
    const { send, root, made, clock, ...world } = await invited()
    const says = async (token: string) => (await accept({ send }, token)).at('error.message')
    expect(await says('x'.repeat(43))).toBe('there is no such invitation')
    expect(await says('../../etc')).toBe('there is no such invitation')
    const revoke = () => send(`/v1/invites/${made.invite.id}`, { as: root, method: 'DELETE' })
    expect((await revoke()).status).toBe(204)
    expect((await revoke()).status).toBe(404)
    expect(await says(made.token)).toBe('this invitation was revoked')
    const late = await make({ send } as Running, root, { days: 1 })
    clock.advance(DAY)
    expect(await says(late.token)).toBe('this invitation has ended')
    const again = await make({ send } as Running, await world.person('root@example.com', ['admin']))
    expect((await accept({ send }, again.token)).status).toBe(200)
    expect(await says(again.token)).toBe('this invitation was used already')
  },
)

test('an invitation ends with the admin who made it, and brings no removed person back', async () => {
  const world = await invited()
  const { send, root, person } = world
  const other = await person('other@example.com', ['admin'])
  const rootKey = accountKey({ issuer: 'local', subject: 'root@example.com' })
  const second = await make(world, other, { email: 'hal@example.com' })
  await person('hal@example.com', ['viewer'])
  const hal = accountKey({ issuer: 'local', subject: 'hal@example.com' })
  expect((await send(`/v1/people/${hal}`, { as: root, method: 'DELETE' })).status).toBe(200)
  expect((await accept(world, second.token)).at('error.code')).toBe('not_permitted')
  expect((await send(`/v1/people/${rootKey}`, { as: other, method: 'DELETE' })).status).toBe(200)
  expect((await world.accept()).at('error.message')).toBe(
    'the admin who made this invitation is locked, or no longer an admin here',
  )
})

test('an invitation of an admin who was locked, or is one no longer, makes nothing', async () => {
  const world = await invited()
  const { send, person } = world
  const other = await person('other@example.com', ['admin', 'approver'])
  const rootKey = accountKey({ issuer: 'local', subject: 'root@example.com' })
  const target = { person: { issuer: 'local', subject: 'root@example.com' } }
  const lock = await send('/v1/locks', { as: other, body: { target, reason: 'laptop stolen' } })
  expect(lock.status).toBe(201)
  expect((await world.accept()).at('error.code')).toBe('signin_expired')
  const lift = { as: other, method: 'DELETE' }
  expect((await send(`/v1/locks/${lock.at('id')}`, lift)).status).toBeLessThan(300)
  await send(`/v1/people/${rootKey}`, { as: other, body: { roles: ['viewer'] } })
  expect((await world.accept()).at('error.code')).toBe('signin_expired')
  expect((await send(`/v1/people/${GIL}`, { as: other, method: 'DELETE' })).status).toBe(404)
})

test('a person who was added in another way is not told that their invitation was used', async () => {
  const world = await invited()
  await world.person('gil@example.com', ['viewer'])
  expect((await world.accept()).at('error.message')).toBe(
    'this person was added in another way meanwhile',
  )
})

promise(
  ['CS-PEOPLE-8'],
  'the maker of an invitation lends no place of others to its account',
  async () => {
    const world = await invited()
    const { send, root, person, store } = world
    await person('fay@example.com')
    await world.accept()
    const body = { absent: 'fay@example.com', standIn: GIL, until: (await store.now()) + DAY }
    const set = (as: Sender) => send('/v1/people/stand-ins', { as, body })
    expect((await set(root)).at('error.code')).toBe('not_permitted')
    expect((await set(await person('other@example.com', ['admin']))).status).toBe(201)
  },
)

promise(
  ['CS-PEOPLE-8'],
  'whose invitation an account came by stays known when another admin vouches for it',
  async () => {
    const world = await invited()
    const { send, root, person } = world
    const gil = await world.accept()
    const other = await person('other@example.com', ['admin'])
    const as = { cookie: gil.headers.get('set-cookie')?.split(';')[0] ?? '' }
    expect((await send('/v1/me', { as })).status).not.toBe(401)
    const vouch = { email: 'gil@example.com', roles: ['viewer'] }
    expect((await send('/v1/people', { as: other, body: vouch })).status).toBe(201)
    const raise = { roles: ['viewer', 'approver'] }
    const raised = await send(`/v1/people/${GIL}`, { as: root, body: raise })
    expect(raised.at('error.code')).toBe('not_permitted')
    // Who used the link did not prove the address.
    expect((await send('/v1/me', { as })).status).toBe(401)
  },
)

promise(
  ['CS-PEOPLE-8'],
  'a terminal that the account confirmed is not signed in after the person was removed',
  async () => {
    const world = await invited()
    const { send, root } = world
    const gil = await world.accept()
    const cookie = gil.headers.get('set-cookie')?.split(';')[0] ?? ''
    const as = { cookie, 'x-countersign-csrf': gil.at('csrf') }
    const begun = await send('/v1/login', { method: 'POST' })
    const confirmed = await send('/v1/login/confirm', { as, body: { code: begun.at('code') } })
    expect(confirmed.status).toBe(204)
    await send(`/v1/people/${GIL}`, { as: root, method: 'DELETE' })
    const back = { email: 'gil@example.com', roles: ['viewer', 'approver'] }
    expect((await send('/v1/people', { as: root, body: back })).status).toBe(201)
    const secret = begun.at('secret')
    expect((await send('/v1/login/finish', { body: { secret } })).status).toBe(404)
  },
)

test('a person who is here already is not invited, and making and revoking is recorded', async () => {
  const world = await invited()
  const { send, root, made, store } = world
  const known = { ...WISH, email: 'root@example.com' }
  expect((await send('/v1/invites', { as: root, body: known })).at('error.code')).toBe('usage')
  const blank = { ...WISH, email: 'ida@example.com', name: ' \n ' }
  const refused = await send('/v1/invites', { as: root, body: blank })
  expect(refused.at('error.code')).toBe('invalid_value')
  await send(`/v1/invites/${made.invite.id}`, { as: root, method: 'DELETE' })
  const { entries } = await store.eventsSince('start')
  const seen = entries.flatMap(({ event }) =>
    isAdminEvent(event) && event.type.startsWith('invite.')
      ? [[event.type, event.facts?.invite, event.facts?.roles]]
      : [],
  )
  expect(seen).toEqual([
    ['invite.made', made.invite.id, WISH.roles],
    ['invite.revoked', made.invite.id, WISH.roles],
  ])
})
