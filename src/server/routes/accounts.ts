import { samePerson } from '../../approval/people/identity.ts'
import { ROLES } from '../../approval/people/person.ts'
import type { Actor } from '../../approval/transition.ts'
import { CountersignError } from '../../base/errors.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import type {
  EndedSessions,
  MadeToken,
  NewTokenBody,
  RemovedPerson,
  TokenList,
} from '../../wire/people.ts'
import { PEOPLE, personOf, type Route, route } from '../http/route.ts'
import { flag, list, object, oneOf, optional, text, whole } from '../http/shape.ts'
import type { Caller } from '../identity/caller.ts'
import { invitedAccount } from '../identity/invite.ts'
import type { Account } from '../identity/people.ts'
import { unreachableNow } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { peopleList, wireAccount } from '../view/account.ts'
import { given } from '../view/row.ts'

const EMAIL = text({ min: 3, max: 254 })
const DAY_MS = 86_400_000
const ROLE_LIST = list(oneOf(...ROLES), { max: ROLES.length })

/**
 * Who may sign in, and which agents may ask. No person is invited from here: the creator of a link
 * could use it, and an admin must not become another person.
 */
export function accountRoutes(services: Services): Route[] {
  const { accounts, sessions, tokens } = services.credentials
  const { membership, store, policy } = services
  return [
    route({
      method: 'get',
      path: '/v1/people',
      who: PEOPLE,
      summary: 'All people who may sign in. Admins also see when they came, and who was removed.',
      answer: 'A list of people with their roles and groups.',
      async handle({ c, caller }) {
        const locks = lockCopy(store)
        const snapshot = {
          accounts: await accounts.list(),
          groupsOf: (account: Account) => accounts.person(account, 'signed-in').groups,
          groups: [...policy().groups.keys()],
          signIns: await sessions.overview(),
          locks: await locks.current(),
          now: await store.now(),
        }
        return c.json(peopleList(snapshot, personOf(caller)))
      },
    }),
    route({
      method: 'post',
      path: '/v1/people',
      who: ['admin'],
      summary: 'Add a person by an address you vouch for, or change their name and roles.',
      body: object({ email: EMAIL, name: optional(text({ min: 1, max: 256 })), roles: ROLE_LIST }),
      answer: 'The person.',
      async handle({ c, caller, body }) {
        const { email, name, roles } = body
        const account = invitedAccount({ email, roles, ...given({ name }) })
        assertNotSelf(caller, account)
        return c.json(wireAccount(await membership.set(actor(caller), account)), 201)
      },
    }),
    route({
      method: 'post',
      path: '/v1/people/:person',
      who: ['admin'],
      summary: 'Give a person these roles, and no others.',
      body: object({ roles: ROLE_LIST }),
      answer: 'The person.',
      async handle({ c, caller, body }) {
        const key = c.req.param('person') ?? ''
        assertNotSelf(caller, await membership.get(key))
        return c.json(wireAccount(await membership.setRoles(actor(caller), key, body.roles)))
      },
    }),
    route({
      method: 'delete',
      path: '/v1/people/:person',
      who: ['admin'],
      summary:
        'Remove a person, under every login with their address. Earlier yeses stop counting.',
      answer: 'The person, and the pending approvals that the remaining approvers cannot approve.',
      async handle({ c, caller }) {
        const key = c.req.param('person') ?? ''
        assertNotSelf(caller, await membership.get(key))
        const person = wireAccount(await membership.remove(actor(caller), key))
        const unreachable = await unreachableNow(services)
        return c.json({ person, unreachable } satisfies RemovedPerson)
      },
    }),
    route({
      method: 'delete',
      path: '/v1/people/:person/sessions',
      who: PEOPLE,
      summary: 'End all sessions of a person: your own, or as an admin those of any person.',
      answer: 'How many there were.',
      async handle({ c, caller }) {
        const account = await membership.get(c.req.param('person') ?? '')
        const { person, account: own } = personOf(caller)
        if (!person.roles.includes('admin') && !samePerson(account, own)) {
          throw new CountersignError('not_permitted', 'only an admin ends sessions of others')
        }
        const ended = await sessions.endAll(account, actor(caller))
        return c.json({ ended } satisfies EndedSessions)
      },
    }),
    route({
      method: 'get',
      path: '/v1/tokens',
      who: ['admin'],
      summary: 'The tokens of agents, without their secrets.',
      answer: 'A list of tokens.',
      handle: async ({ c }) =>
        c.json({ tokens: await tokens.list(), now: await store.now() } satisfies TokenList),
    }),
    route({
      method: 'post',
      path: '/v1/tokens',
      who: ['admin'],
      summary: 'Make a token for an agent.',
      body: object({
        agent: text({ min: 1, max: 128 }),
        principal: optional(EMAIL),
        vouches: optional(flag),
        days: optional(whole({ min: 1, max: 3_650 })),
      }),
      answer: 'The token, shown this once.',
      async handle({ c, caller, body }) {
        const { agent, principal, vouches, days }: NewTokenBody = body
        const life = days === undefined ? undefined : days * DAY_MS
        const wanted = { agent, ...given({ principal, vouches, life }) }
        const made = await tokens.create(wanted, actor(caller))
        return c.json(made satisfies MadeToken, 201)
      },
    }),
    route({
      method: 'delete',
      path: '/v1/tokens/:prefix',
      who: ['admin'],
      summary: 'Revoke a token.',
      answer: 'Nothing.',
      async handle({ c, caller }) {
        const isGone = await tokens.revoke(c.req.param('prefix') ?? '', actor(caller))
        if (!isGone) throw new CountersignError('not_found', 'there is no such token')
        return c.body(null, 204)
      },
    }),
  ]
}

function actor(caller: Caller): Actor {
  const { issuer, subject } = personOf(caller).person
  return { person: { issuer, subject } }
}

/** So there is always an admin left, and no admin changes their own roles, under whatever login. */
function assertNotSelf(caller: Caller, account: Account): void {
  const { person } = personOf(caller)
  if (!samePerson(person, account) && !(person.email && person.email === account.email)) return
  throw new CountersignError(
    'not_permitted',
    'you cannot change your own roles or remove yourself',
    { hint: 'Ask another admin.' },
  )
}
