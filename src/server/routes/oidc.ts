import type { Context } from 'hono'
import { CountersignError } from '../../base/errors.ts'
import { groupsOf } from '../../gate/people.ts'
import { addressesAsked } from '../../policy/load/people.ts'
import type { SignedIn, SignInMethods } from '../../wire/session.ts'
import { addressOf } from '../http/address.ts'
import { notFound } from '../http/refusal.ts'
import { type Route, route } from '../http/route.ts'
import { object, text } from '../http/shape.ts'
import { giveCookie, signedIn, takeCookie } from '../identity/caller.ts'
import { oidcAccount } from '../identity/oidc-account.ts'
import type { Account } from '../identity/people.ts'
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

  function isNamed(account: Account): boolean {
    const { email = '', emailVerified } = account
    const byName = emailVerified === true && addressesAsked(policy()).has(email)
    return byName || groupsOf(policy(), account).length > 0
  }

  return [
    route({
      method: 'get',
      path: '/v1/sign-in',
      who: ['anyone'],
      summary: 'How people sign in here.',
      answer: 'link: true; oidc with the name of the provider, where there is one.',
      handle({ c }) {
        const name = oidc && (oidc.options.name ?? oidc.options.issuer.host)
        const methods: SignInMethods = { link: true, ...(name ? { oidc: { name } } : {}) }
        return c.json(methods)
      },
    }),
    route({
      method: 'post',
      path: '/v1/sign-in/oidc',
      who: ['anyone'],
      summary: 'Begin to sign in with the provider.',
      answer: 'The address to open, and a cookie that ties the answer to this browser.',
      async handle({ c }) {
        if (!oidc) throw notFound()
        limits.providers.take(addressOf(c, publicUrl))
        const { url, secret } = await oidc.begin(redirectUri(c))
        giveCookie(c, credentials, secret, 'signin')
        return c.json({ url: url.href })
      },
    }),
    route({
      method: 'get',
      path: CALLBACK,
      who: ['anyone'],
      summary: 'Where the provider sends the browser. Hands its answer to the page, and no more.',
      answer: 'A redirect to the inbox.',
      handle({ c }) {
        if (!oidc) throw notFound()
        // GET changes nothing: the page posts this, with the cookie a foreign page cannot send.
        const query = new URL(c.req.url).search.slice(1)
        return c.redirect(`${base}/#oidc=${encodeURIComponent(query)}`, 303)
      },
    }),
    route({
      method: 'post',
      path: '/v1/sign-in/callback',
      who: ['anyone'],
      summary: "Sign in with the provider's answer.",
      body: object({ answer: text({ max: 8_000, description: 'the query of the callback' }) }),
      answer: 'As `POST /v1/session`.',
      async handle({ c, body }) {
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
        return c.json(signed)
      },
    }),
  ]
}
