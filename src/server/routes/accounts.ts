import { samePerson } from '../../approval/identity.ts'
import { ROLES } from '../../approval/person.ts'
import type { Actor } from '../../approval/transition.ts'
import { CountersignError } from '../../base/errors.ts'
import type { PeopleList, RemovedPerson, WireAccount } from '../../wire/people.ts'
import type { Caller } from '../identity/caller.ts'
import { invitedAccount, isAddress } from '../identity/invite.ts'
import { type Account, accountKey } from '../identity/people.ts'
import { unreachableNow } from '../read-approvals.ts'
import { personOf, type Route, route } from '../route.ts'
import type { Services } from '../services.ts'
import { list, object, oneOf, optional, text } from '../shape.ts'
import { given } from '../view/row.ts'

const EMAIL = text({ min: 3, max: 254 })
const ROLE_LIST = list(oneOf(...ROLES), { max: ROLES.length })

/**
 * Who may sign in, and which agents may ask. Nobody is invited from here: whoever makes a link could
 * use it, and an admin must not become somebody else.
 */
export function accountRoutes(services: Services): Route[] {
  const { accounts, tokens } = services.credentials
  const { membership } = services
  return [
    route({
      method: 'get',
      path: '/v1/people',
      who: ['admin'],
      summary: 'Everybody who may sign in.',
      answer: 'A list of people with their roles.',
      async handle({ c }) {
        const people = (await accounts.list()).map(wireAccount)
        return c.json({ people } satisfies PeopleList)
      },
    }),
    route({
      method: 'post',
      path: '/v1/people',
      who: ['admin'],
      summary: 'Add somebody by an address you vouch for, or change their name and roles.',
      body: object({ email: EMAIL, name: optional(text({ min: 1, max: 256 })), roles: ROLE_LIST }),
      answer: 'The person.',
      async handle({ c, caller, body }) {
        const { email, name, roles } = body
        if (!isAddress(email)) {
          throw new CountersignError('invalid_value', 'email is not an address')
        }
        const account = invitedAccount({ email, roles, ...given({ name }) })
        assertNotSelf(caller, account)
        return c.json(wireAccount(await membership.set(actor(caller), account)), 201)
      },
    }),
    route({
      method: 'post',
      path: '/v1/people/:person',
      who: ['admin'],
      summary: 'Give somebody these roles, and no others.',
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
        'Remove somebody, under every login with their address. Earlier yeses stop counting.',
      answer: 'The person, and what nobody is left to answer.',
      async handle({ c, caller }) {
        const key = c.req.param('person') ?? ''
        assertNotSelf(caller, await membership.get(key))
        const person = wireAccount(await membership.remove(actor(caller), key))
        const unreachable = await unreachableNow(services)
        return c.json({ person, unreachable } satisfies RemovedPerson)
      },
    }),
    route({
      method: 'get',
      path: '/v1/tokens',
      who: ['admin'],
      summary: 'The tokens of agents, without their secrets.',
      answer: 'A list of tokens.',
      handle: async ({ c }) => c.json({ tokens: await tokens.list() }),
    }),
    route({
      method: 'post',
      path: '/v1/tokens',
      who: ['admin'],
      summary: 'Make a token for an agent.',
      body: object({ agent: text({ min: 1, max: 128 }), principal: optional(EMAIL) }),
      answer: 'The token, shown this once.',
      handle: async ({ c, caller, body }) => c.json(await tokens.create(body, actor(caller)), 201),
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

function wireAccount(account: Account): WireAccount {
  const { issuer, subject, name, email, emailVerified, roles, claims } = account
  const known = given({ name, email, emailVerified, claims })
  return { id: accountKey(account), issuer, subject, ...known, roles }
}

function actor(caller: Caller): Actor {
  const { issuer, subject } = personOf(caller).person
  return { person: { issuer, subject } }
}

/** So there is always an admin left, and nobody gives themselves a role, under whatever login. */
function assertNotSelf(caller: Caller, account: Account): void {
  const { person } = personOf(caller)
  if (!samePerson(person, account) && !(person.email && person.email === account.email)) return
  throw new CountersignError(
    'not_permitted',
    'nobody changes their own roles or removes themselves',
    { hint: 'Ask another admin.' },
  )
}
