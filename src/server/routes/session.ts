import type { Me } from '../../api/approval.ts'
import type { SignedIn } from '../../api/session.ts'
import { CountersignError } from '../../base/errors.ts'
import { addressOf } from '../http/origin.ts'
import { personOf, type Route, route } from '../http/route.ts'
import { giveCookie, type PersonCaller, signedIn, takeCookie } from '../identity/caller.ts'
import { wirePerson } from '../identity/people.ts'
import type { Services } from '../services.ts'

/** Signing in, out, and who one is. */
export function sessionRoutes(services: Services): Route[] {
  const { credentials, links, limits } = services
  const { accounts, sessions } = credentials

  return [
    route('POST /v1/session', async ({ c, body, reply }) => {
      const from = addressOf(c, services)
      // Only wrong links are counted and held back: behind one address are many people, and none
      // of them keeps another out who brings a good one.
      const person = await links.use(body.token).catch((error: unknown) => {
        limits.guesses.take(from)
        throw error
      })
      const gone = () => new CountersignError('signin_expired', 'this account is locked or gone')
      // A sign-in is recorded only for a person who can come in.
      const account = await accounts.get(person)
      if (!account || account.locked) throw gone()
      const made = await sessions.create(person)
      const caller = await signedIn(made.session, accounts)
      if (!caller) throw gone()
      giveCookie(c, credentials, made.secret)
      const answer: SignedIn = { ...me(caller, services), csrf: made.key }
      return reply(200, answer)
    }),
    route('DELETE /v1/session', async ({ c, caller, reply }) => {
      await sessions.end(personOf(caller).session)
      takeCookie(c, credentials)
      return reply(204)
    }),
    route('GET /v1/me', ({ caller, reply }) => reply(200, me(personOf(caller), services))),
  ]
}

export function me(
  { account, person }: PersonCaller,
  {
    store,
    version,
    observing,
    hasStudio,
  }: Pick<Services, 'store' | 'version' | 'observing' | 'hasStudio'>,
): Me {
  return {
    person: wirePerson(account, account),
    roles: person.roles,
    assurance: person.assurance,
    tenant: store.tenant,
    version,
    ...(hasStudio ? { studio: true } : {}),
    ...(observing ? { observing } : {}),
  }
}
