import { CountersignError } from '../../base/errors.ts'
import type { Me } from '../../wire/approval.ts'
import { giveCookie, type PersonCaller, signedIn, takeCookie } from '../identity/caller.ts'
import { wirePerson } from '../identity/people.ts'
import { PEOPLE, personOf, type Route, route } from '../route.ts'
import type { Services } from '../services.ts'
import { object, text } from '../shape.ts'

/** Signing in, out, and who one is. */
export function sessionRoutes(services: Services): Route[] {
  const { credentials, links } = services
  const { accounts, sessions } = credentials

  return [
    route({
      method: 'post',
      path: '/v1/session',
      who: ['anyone'],
      summary: 'Sign in with the secret of a link.',
      body: object({
        token: text({ min: 1, max: 200, description: 'after #signin= in the link' }),
      }),
      answer: 'As `GET /v1/me`, with the session cookie.',
      async handle({ c, body }) {
        const person = await links.use(body.token)
        const { secret, session } = await sessions.create(person)
        const caller = await signedIn(session, accounts)
        if (!caller) throw new CountersignError('signin_expired', 'this account is locked or gone')
        giveCookie(c, credentials, secret)
        return c.json(me(caller, services))
      },
    }),
    route({
      method: 'delete',
      path: '/v1/session',
      who: PEOPLE,
      summary: 'Sign out.',
      answer: 'Nothing.',
      async handle({ c, caller }) {
        await sessions.end(personOf(caller).session)
        takeCookie(c, credentials)
        return c.body(null, 204)
      },
    }),
    route({
      method: 'get',
      path: '/v1/me',
      who: PEOPLE,
      summary: 'Who is signed in.',
      answer: 'The person, their roles, and the token for changes.',
      handle: ({ c, caller }) => c.json(me(personOf(caller), services)),
    }),
  ]
}

export function me(
  { account, person, session }: PersonCaller,
  { store, version }: Pick<Services, 'store' | 'version'>,
): Me {
  return {
    person: wirePerson(account, account),
    roles: person.roles,
    assurance: person.assurance,
    tenant: store.tenant,
    version,
    csrf: session.csrf,
  }
}
