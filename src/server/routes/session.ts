import { CountersignError } from '../../base/errors.ts'
import type { Me } from '../../wire/approval.ts'
import type { SignedIn } from '../../wire/session.ts'
import { addressOf } from '../http/address.ts'
import { PEOPLE, personOf, type Route, route } from '../http/route.ts'
import { object, text } from '../http/shape.ts'
import { giveCookie, type PersonCaller, signedIn, takeCookie } from '../identity/caller.ts'
import { wirePerson } from '../identity/people.ts'
import type { Services } from '../services.ts'

/** Signing in, out, and who one is. */
export function sessionRoutes(services: Services): Route[] {
  const { credentials, links, limits, publicUrl } = services
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
      answer:
        'As `GET /v1/me`, with the session cookie and csrf, the key that is sent along with it.',
      async handle({ c, body }) {
        const from = addressOf(c, publicUrl)
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
        return c.json(answer)
      },
    }),
    route({
      method: 'delete',
      path: '/v1/session',
      who: PEOPLE,
      evenLocked: true,
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
      answer: 'The person and their roles.',
      handle: ({ c, caller }) => c.json(me(personOf(caller), services)),
    }),
  ]
}

export function me(
  { account, person }: PersonCaller,
  { store, version, observing }: Pick<Services, 'store' | 'version' | 'observing'>,
): Me {
  return {
    person: wirePerson(account, account),
    roles: person.roles,
    assurance: person.assurance,
    tenant: store.tenant,
    version,
    ...(observing ? { observing } : {}),
  }
}
