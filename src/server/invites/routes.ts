import type { WireInvite } from '../../api/people/invites.ts'
import type { SignedIn } from '../../api/session.ts'
import { CountersignError } from '../../base/errors.ts'
import { given } from '../../base/json/json.ts'
import { addressOf } from '../http/origin.ts'
import { personOf, type Route, route } from '../http/route.ts'
import { giveCookie, signedIn } from '../identity/caller.ts'
import { wirePerson } from '../identity/people.ts'
import { me } from '../routes/session.ts'
import type { Services } from '../services.ts'
import { createInvites, type StoredInvite } from './invites.ts'

/** Admins invite; a person who has the link comes in, once. */
export function inviteRoutes(services: Services): Route[] {
  const { store, membership, credentials, limits } = services
  const { accounts, sessions } = credentials
  const invites = createInvites(store, membership)

  async function wire(invite: StoredInvite): Promise<WireInvite> {
    const { id, email, name, roles, by, at, until, state, usedAt } = invite
    const maker = wirePerson(by, await accounts.get(by))
    return { id, email, name, roles, by: maker, at, until, state, ...given({ usedAt }) }
  }

  return [
    route('GET /v1/invites', async ({ reply }) => {
      const all = await Promise.all((await invites.list()).map(wire))
      return reply(200, { invites: all, now: await store.now() })
    }),
    route('POST /v1/invites', async ({ caller, body, reply }) => {
      const { secret, invite } = await invites.make(personOf(caller).account, body)
      return reply(201, { token: secret, invite: await wire(invite) })
    }),
    route('DELETE /v1/invites/:invite', async ({ caller, params, reply }) => {
      const isRevoked = await invites.revoke(personOf(caller).account, params.invite)
      if (!isRevoked) throw new CountersignError('not_found', 'there is no such open invitation')
      return reply(204)
    }),
    route('POST /v1/invites/accept', async ({ c, body, reply }) => {
      const account = await invites.accept(body.token).catch((error: unknown) => {
        limits.guesses.take(addressOf(c, services))
        throw error
      })
      const made = await sessions.create(account)
      const caller = await signedIn(made.session, accounts)
      if (!caller) throw new CountersignError('signin_expired', 'this account is locked or gone')
      giveCookie(c, credentials, made.secret)
      return reply(200, { ...me(caller, services), csrf: made.key } satisfies SignedIn)
    }),
  ]
}
