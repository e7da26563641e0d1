import { CountersignError } from '../../base/errors.ts'
import type { BegunLogin, SignedIn } from '../../wire/session.ts'
import { addressOf } from '../http/address.ts'
import { PEOPLE, personOf, type Route, route } from '../http/route.ts'
import { object, text } from '../http/shape.ts'
import { giveCookie, signedIn } from '../identity/caller.ts'
import { createTerminalLogins } from '../identity/terminal-logins.ts'
import type { Services } from '../services.ts'
import { me } from './session.ts'

/** As with a provider: the person who confirmed it may have left by tomorrow. */
const LONGEST_MS = 12 * 3_600_000

/** Signing in a terminal on another machine. */
export function loginRoutes(services: Services): Route[] {
  const { store, credentials, limits, publicUrl, base } = services
  const { accounts, sessions } = credentials
  const logins = createTerminalLogins(store.records, () => store.now())
  return [
    route({
      method: 'post',
      path: '/v1/login',
      who: ['anyone'],
      summary: 'A terminal asks to be signed in by a person who is.',
      answer: 'The code for the person, the secret for the terminal, and where to type the code.',
      async handle({ c }) {
        const from = addressOf(c, publicUrl)
        limits.terminals.take(from)
        const origin = publicUrl?.origin ?? `http://${c.req.header('host') ?? ''}`
        const begun: BegunLogin = { ...(await logins.begin(from)), url: `${origin}${base}/login` }
        return c.json(begun, 201)
      },
    }),
    route({
      method: 'post',
      path: '/v1/login/confirm',
      who: PEOPLE,
      summary: 'Sign in the terminal that shows this code, as oneself.',
      body: object({ code: text({ min: 8, max: 9 }) }),
      answer: 'Nothing.',
      async handle({ c, caller, body }) {
        const { person } = personOf(caller)
        const name = JSON.stringify([person.issuer, person.subject])
        limits.guesses.check(name)
        await logins.confirm(body.code.toUpperCase(), person).catch((error: unknown) => {
          limits.guesses.count(name)
          throw error
        })
        return c.body(null, 204)
      },
    }),
    route({
      method: 'post',
      path: '/v1/login/finish',
      who: ['anyone'],
      summary: 'Whether the sign-in was confirmed.',
      body: object({ secret: text({ min: 1, max: 100 }) }),
      answer: '202 until it is; then, once, as `POST /v1/session`.',
      async handle({ c, body }) {
        const by = await logins.finish(body.secret)
        if (!by) return c.json({ status: 'pending' }, 202)
        const gone = () => new CountersignError('signin_expired', 'this account is locked or gone')
        const account = await accounts.get(by)
        if (!account || account.locked) throw gone()
        const made = await sessions.create(by, { longest: LONGEST_MS })
        const caller = await signedIn(made.session, accounts)
        if (!caller) throw gone()
        giveCookie(c, credentials, made.secret)
        const answer: SignedIn = { ...me(caller, services), csrf: made.key }
        return c.json(answer)
      },
    }),
  ]
}
