import type { BegunLogin, SignedIn } from '../../api/session.ts'
import { CountersignError } from '../../base/errors.ts'
import { addressOf } from '../http/origin.ts'
import { personOf, type Route, route } from '../http/route.ts'
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
    route('POST /v1/login', async ({ c, reply }) => {
      const from = addressOf(c, services)
      limits.terminals.take(from)
      const origin = publicUrl?.origin ?? `http://${c.req.header('host') ?? ''}`
      const begun: BegunLogin = { ...(await logins.begin(from)), url: `${origin}${base}/login` }
      return reply(201, begun)
    }),
    route('POST /v1/login/confirm', async ({ caller, body, reply }) => {
      const { person } = personOf(caller)
      const name = JSON.stringify([person.issuer, person.subject])
      limits.guesses.check(name)
      await logins.confirm(body.code.toUpperCase(), person).catch((error: unknown) => {
        limits.guesses.count(name)
        throw error
      })
      return reply(204)
    }),
    route('POST /v1/login/finish', async ({ c, body, reply }) => {
      const by = await logins.finish(body.secret)
      if (!by) return reply(202, { status: 'pending' })
      const gone = () => new CountersignError('signin_expired', 'this account is locked or gone')
      const account = await accounts.get(by)
      if (!account || account.locked) throw gone()
      const made = await sessions.create(by, { longest: LONGEST_MS })
      const caller = await signedIn(made.session, accounts)
      if (!caller) throw gone()
      giveCookie(c, credentials, made.secret)
      const answer: SignedIn = { ...me(caller, services), csrf: made.key }
      return reply(200, answer)
    }),
  ]
}
