import type {
  EndedSessions,
  ErasedPerson,
  MadeToken,
  NewTokenBody,
  RemovedPerson,
  TokenList,
} from '../../api/people.ts'
import { samePerson } from '../../approval/people/person.ts'
import type { Actor } from '../../approval/transition.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import { lockCopy } from '../../gate/admin/operator-state.ts'
import { lastDecisions } from '../../store/records/decision-record.ts'
import { personOf, type Route, route } from '../http/route.ts'
import type { Caller } from '../identity/caller.ts'
import { erasePerson } from '../identity/erase-person.ts'
import { invitedAccount } from '../identity/invite.ts'
import { type Account, accountKey } from '../identity/people.ts'
import { toldThrough } from '../identity/told-through.ts'
import { unreachableNow } from '../read-approvals.ts'
import type { Services } from '../services.ts'
import { peopleList, wireAccount } from '../view/account.ts'

const DAY_MS = 86_400_000

/**
 * Who may sign in, and which agents may ask. No link is made from here for a person who is known:
 * its creator could use it, and an admin must not become another person. See `invites`.
 */
export function accountRoutes(services: Services): Route[] {
  const { accounts, sessions, tokens } = services.credentials
  const { membership, store, policy, channels } = services
  return [
    route('GET /v1/people', async ({ caller, reply }) => {
      const locks = lockCopy(store)
      const all = await accounts.list()
      const snapshot = {
        accounts: all,
        groupsOf: (account: Account) => accounts.person(account, 'signed-in').groups,
        groups: [...policy().groups.keys()],
        signIns: await sessions.overview(),
        told: await toldThrough({ records: store.records, channels, accounts: all }),
        decisions: await lastDecisions(store.records),
        locks: await locks.current(),
        now: await store.now(),
      }
      return reply(200, peopleList(snapshot, personOf(caller)))
    }),
    route('POST /v1/people', async ({ caller, body, reply }) => {
      const { email, name, roles } = body
      const account = invitedAccount({ email, roles, ...given({ name }) })
      assertNotSelf(caller, account)
      return reply(201, wireAccount(await membership.set(actor(caller), account)))
    }),
    route('POST /v1/people/:person', async ({ caller, params, body, reply }) => {
      const key = params.person
      assertNotSelf(caller, await membership.get(key))
      return reply(200, wireAccount(await membership.setRoles(actor(caller), key, body.roles)))
    }),
    route('DELETE /v1/people/:person', async ({ caller, params, reply }) => {
      const key = params.person
      assertNotSelf(caller, await membership.get(key))
      const person = wireAccount(await membership.remove(actor(caller), key))
      const unreachable = await unreachableNow(services)
      return reply(200, { person, unreachable } satisfies RemovedPerson)
    }),
    route('POST /v1/people/:person/erase', async ({ caller, params, reply }) => {
      const account = (await accounts.list()).find((one) => accountKey(one) === params.person)
      if (account) assertNotSelf(caller, account)
      const erased = await erasePerson({ store, membership }, actor(caller), params.person)
      return reply(200, erased satisfies ErasedPerson)
    }),
    route('DELETE /v1/people/:person/sessions', async ({ caller, params, reply }) => {
      const account = await membership.get(params.person)
      const { person, account: own } = personOf(caller)
      if (!person.roles.includes('admin') && !samePerson(account, own)) {
        throw new CountersignError('not_permitted', 'only an admin ends sessions of others')
      }
      const ended = await sessions.endAll(account, actor(caller))
      return reply(200, { ended } satisfies EndedSessions)
    }),
    route('GET /v1/tokens', async ({ reply }) =>
      reply(200, { tokens: await tokens.list(), now: await store.now() } satisfies TokenList),
    ),
    route('POST /v1/tokens', async ({ caller, body, reply }) => {
      const { agent, principal, vouches, days }: NewTokenBody = body
      const life = days === undefined ? undefined : days * DAY_MS
      const wanted = { agent, ...given({ principal, vouches, life }) }
      const made = await tokens.create(wanted, actor(caller))
      return reply(201, made satisfies MadeToken)
    }),
    route('DELETE /v1/tokens/:prefix', async ({ caller, params, reply }) => {
      const isGone = await tokens.revoke(params.prefix, actor(caller))
      if (!isGone) throw new CountersignError('not_found', 'there is no such token')
      return reply(204)
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
