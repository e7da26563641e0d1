import type * as OpenId from 'openid-client'
import { isLoopback } from '../http/origin.ts'
import type { Claims, OidcOptions } from './oidc.ts'
import { oidcFailure } from './oidc-failure.ts'

/** The provider as it describes itself, and the program that speaks to it. */
export interface Discovered {
  readonly client: typeof OpenId
  readonly config: OpenId.Configuration
}

/** Asked first; then the same for sign-in and for questions on a device. */
export const SCOPE = 'openid email profile'
const ANSWER_S = 10

/** Asked when first needed: an issuer that is down must not keep this server from starting. */
export function createDiscovery(options: OidcOptions): () => Promise<Discovered> {
  let known: Promise<Discovered> | undefined
  return () => {
    known ??= discover(options).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
}

async function discover({ issuer, clientId, clientSecret }: OidcOptions): Promise<Discovered> {
  // Loaded only where people sign in this way.
  const client = await import('openid-client')
  // Without TLS an attacker in transit could pose as the issuer; loopback has no transit.
  const isPlain = issuer.protocol === 'http:' && isLoopback(issuer.host)
  const auth = clientSecret === undefined ? client.None() : undefined
  try {
    const config = await client.discovery(issuer, clientId, clientSecret, auth, {
      timeout: ANSWER_S,
      execute: [
        ...(isPlain ? [client.allowInsecureRequests] : []),
        // The signature is checked too, not only where the token came from.
        client.enableNonRepudiationChecks,
      ],
    })
    return { client, config }
  } catch (error) {
    throw oidcFailure(error)
  }
}

/** What the tokens say, and what the issuer tells besides. */
export async function claimsOf(
  { client, config }: Discovered,
  tokens: OpenId.TokenEndpointResponse & OpenId.TokenEndpointResponseHelpers,
): Promise<Claims> {
  const { iss, sub, ...claims } = tokens.claims() ?? { iss: '', sub: '' }
  // Many issuers tell addresses and groups only here; what they signed still comes first.
  const more = config.serverMetadata().userinfo_endpoint
    ? await client.fetchUserInfo(config, tokens.access_token, sub)
    : {}
  return { ...more, ...claims, ...addressIn(claims, more), issuer: iss, subject: sub } as Claims
}

/** An address and whether it is verified belong together: both from one place, or neither. */
function addressIn(claims: object, more: object): Partial<Claims> {
  const { email, email_verified } = ('email' in claims ? claims : more) as Claims
  return { email, email_verified }
}
