import type { Role } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import type { Backchannel } from '../../gate/notify/sign-in-provider.ts'
import type { Records } from '../../store/records.ts'
import { createBackchannel } from './backchannel.ts'
import { claimsOf, createDiscovery, SCOPE } from './oidc-client.ts'
import { oidcFailure } from './oidc-failure.ts'
import { hashSecret, newSecret, SECRET } from './secret.ts'

export interface OidcOptions {
  readonly issuer: URL
  readonly clientId: string
  /** Absent for a client that has none; then PKCE alone ties the code to this server. */
  readonly clientSecret?: string
  /** What the button says; the issuer's host unless set. */
  readonly name?: string
  /** The claim that lists the groups of a person: `groups` unless set. */
  readonly groupsClaim?: string
  /** Values of that claim that bring a role. `*`: every user the issuer signs in. */
  readonly roles?: { readonly [role in Role]?: readonly string[] }
}

/** What an issuer said of a person, after everything about its answer was checked. */
export interface Claims {
  readonly issuer: string
  readonly subject: string
  readonly [claim: string]: Json | undefined
}

/** Signing in with an OpenID Connect provider: authorization code, PKCE, state and nonce. */
export interface Oidc {
  readonly options: OidcOptions
  /** Asks people on a device of theirs. */
  readonly backchannel: Backchannel
  /** Where to send the browser, and the secret that must come back from the same browser. */
  begin(redirectUri: string): Promise<{ readonly url: URL; readonly secret: string }>
  /** Uses the attempt up, whatever comes of it. `answer`: the query the browser came back with. */
  finish(
    secret: string | undefined,
    answer: { readonly redirectUri: string; readonly query: string },
  ): Promise<Claims>
}

const KIND = 'sign-in attempt'
const LIFE_MS = 600_000

export function createOidc(
  options: OidcOptions,
  records: Records,
  now: () => Promise<number>,
): Oidc {
  const discovered = createDiscovery(options)

  return {
    options,
    backchannel: createBackchannel(discovered),
    async begin(redirectUri) {
      const { client, config } = await discovered()
      const secret = newSecret()
      const { state, nonce, verifier } = derive(secret)
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: SCOPE,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      const expiresAt = (await now()) + LIFE_MS
      await records.put(KIND, hashSecret('oidc', secret), {}, { expect: 'absent', expiresAt })
      return { url, secret }
    },
    async finish(secret, { redirectUri, query }) {
      const isOurs = secret !== undefined && SECRET.test(secret)
      const taken = isOurs && (await records.remove(KIND, hashSecret('oidc', secret)))
      if (!taken) {
        throw new CountersignError(
          'signin_expired',
          'this sign-in was finished before, took too long, or began in another browser',
          { hint: 'Begin again from the sign-in page.' },
        )
      }
      const found = await discovered()
      const { state, nonce, verifier } = derive(secret)
      const back = new URL(redirectUri)
      back.search = query
      try {
        const tokens = await found.client.authorizationCodeGrant(found.config, back, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        return await claimsOf(found, tokens)
      } catch (error) {
        throw oidcFailure(error)
      }
    },
  }
}

/** All from the secret in the cookie: a reader of the database learns none of them. */
function derive(secret: string) {
  return {
    state: hashSecret('oidc-state', secret),
    nonce: hashSecret('oidc-nonce', secret),
    verifier: hashSecret('oidc-verifier', secret),
  }
}
