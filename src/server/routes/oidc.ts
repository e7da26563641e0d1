import type { Context } from 'hono'
import type { SignedIn, SignInMethods } from '../../api/session.ts'
import { CountersignError } from '../../base/errors.ts'
import { addressOf } from '../http/origin.ts'
import { notFound } from '../http/refusal.ts'
import { type Route, route } from '../http/route.ts'
import { giveCookie, signedIn, takeCookie } from '../identity/caller.ts'
import { namedBy } from '../identity/named-by-policy.ts'
import { oidcAccount } from '../identity/oidc-account.ts'
import type { Services } from '../services.ts'
import { me } from './session.ts'

/** Where the provider sends people back to; it must be registered there, letter by letter. */
const CALLBACK = '/sign-in/callback'

/** Groups and roles of an issuer are as old as the session, so it lives for a working day. */
const LONGEST_MS = 12 * 3_600_000

/** Signing in with an OpenID Connect provider. */
export function oidcRoutes(services: Services): Route[] {
  const { oidc, credentials, policy, publicUrl, base, membership, limits } = services
  const { accounts, sessions } = credentials

  // The guard has already refused every host that is neither the public one nor this machine.
  function redirectUri(c: Context): string {
    const origin = publicUrl?.origin ?? `http://${c.req.header('host') ?? ''}`
    return new URL(`${base}${CALLBACK}`, origin).href
  }

  const isNamed = namedBy(policy)

  return [
    route('GET /v1/sign-in', ({ reply }) => {
      const name = oidc && (oidc.options.name ?? oidc.options.issuer.host)
      const methods: SignInMethods = { link: true, ...(name ? { oidc: { name } } : {}) }
      return reply(200, methods)
    }),
    route('POST /v1/sign-in/oidc', async ({ c, reply }) => {
      if (!oidc) throw notFound()
      limits.providers.take(addressOf(c, services))
      const { url, secret } = await oidc.begin(redirectUri(c))
      giveCookie(c, credentials, secret, 'signin')
      return reply(200, { url: url.href })
    }),
    route(`GET ${CALLBACK}`, ({ c, raw }) => {
      if (!oidc) throw notFound()
      // GET changes nothing: the page posts this, with the cookie a foreign page cannot send.
      const query = new URL(c.req.url).search.slice(1)
      return raw(c.redirect(`${base}/#oidc=${encodeURIComponent(query)}`, 303))
    }),
    route('POST /v1/sign-in/callback', async ({ c, body, reply }) => {
      if (!oidc) throw notFound()
      const secret = takeCookie(c, credentials, 'signin')
      const claims = await oidc.finish(secret, {
        redirectUri: redirectUri(c),
        query: body.answer,
      })
      const { options } = oidc
      const account = await oidcAccount(claims, { accounts, membership, options, isNamed })
      const made = await sessions.create(account, { longest: LONGEST_MS })
      const caller = await signedIn(made.session, accounts)
      if (!caller) throw new CountersignError('not_permitted', 'this account is locked')
      giveCookie(c, credentials, made.secret)
      const signed: SignedIn = { ...me(caller, services), csrf: made.key }
      return reply(200, signed)
    }),
  ]
}
