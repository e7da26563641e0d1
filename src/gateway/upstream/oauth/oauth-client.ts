import type * as OpenId from 'openid-client'
import { isPlainObject } from '../../../base/json/json.ts'
import { checkedFetch } from './checked-fetch.ts'
import type { AuthorizationServer } from './discovery.ts'

/** This program, as an authorization server knows it. */
export interface OAuthClient {
  /** `document`: by the address of its metadata. `registered`: by itself. `given`: by a person. */
  readonly how: 'document' | 'registered' | 'given'
  readonly id: string
  readonly secret?: string
}

export interface Tokens {
  readonly access: string
  readonly refresh?: string
  readonly scopes?: string
  /** Milliseconds from now. */
  readonly life?: number
}

const TIMEOUT_S = 15
const LONGEST_TOKEN = 16_384
// What may stand in a header (RFC 6750).
const TOKEN = /^[A-Za-z0-9._~+/-]+=*$/

/** Registers this program (RFC 7591). Throws an `Error` in words for people. */
export async function register(
  server: AuthorizationServer,
  redirect: string,
  allowHosts: readonly string[],
): Promise<OAuthClient> {
  const { registration_endpoint: endpoint, issuer } = server
  if (endpoint === undefined) throw new Error(`${issuer} registers no clients`)
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const response = await checkedFetch(
    new URL(endpoint),
    {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({
        client_name: 'Countersign',
        redirect_uris: [redirect],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: methods.includes('none') ? 'none' : secretMethod(methods),
        // A program on a machine of its users may be sent back to without TLS.
        application_type: redirect.startsWith('http:') ? 'native' : 'web',
      }),
    },
    allowHosts,
  )
  const said: unknown = await response.json().catch(() => undefined)
  const { client_id: id, client_secret: secret } = isPlainObject(said) ? said : {}
  if (response.status >= 300 || typeof id !== 'string' || id === '' || id.length > 2_048) {
    throw new Error(`${issuer} did not register this program (status ${response.status})`)
  }
  return { how: 'registered', id, ...(typeof secret === 'string' ? { secret } : {}) }
}

/** Servers disagree on how a secret is written into a header, and not on how into a body. */
const secretMethod = (methods: readonly string[]) =>
  methods.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic'

/**
 * As RFC 6749 has it, and with no more escapes than it takes: some servers compare what was written
 * without undoing any, and ids with a dash in them are common.
 */
const basicAuth =
  (id: string, secret: string): OpenId.ClientAuth =>
  (_server, _client, _body, headers) => {
    const [name, word] = [id, secret].map((one) => encodeURIComponent(one).replaceAll('%20', '+'))
    headers.set('authorization', `Basic ${Buffer.from(`${name}:${word}`).toString('base64')}`)
  }

interface Parties {
  readonly server: AuthorizationServer
  readonly client: OAuthClient
  readonly allowHosts: readonly string[]
}

async function configured({ server, client, allowHosts }: Parties) {
  // Loaded only where a server asks for it.
  const openid = await import('openid-client')
  const { id, secret } = client
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const auth =
    secret === undefined
      ? openid.None()
      : secretMethod(methods) === 'client_secret_basic'
        ? basicAuth(id, secret)
        : openid.ClientSecretPost(secret)
  const config = new openid.Configuration({ ...server } as OpenId.ServerMetadata, id, {}, auth)
  config.timeout = TIMEOUT_S
  config[openid.customFetch] = (url, { method, headers, body }) =>
    checkedFetch(
      new URL(url),
      { method, headers, body: body === undefined || body === null ? undefined : String(body) },
      allowHosts,
    )
  // Whether an address without TLS is reached is for `checkedFetch` to say: on this machine alone.
  if (server.token_endpoint.startsWith('http:')) openid.allowInsecureRequests(config)
  return { openid, config }
}

export interface Asked {
  readonly redirect: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly state: string
  readonly verifier: string
}

/** Where the person's browser goes. */
export async function authorizationUrl(parties: Parties, asked: Asked): Promise<URL> {
  const { openid, config } = await configured(parties)
  const { redirect, resource, scopes, state, verifier } = asked
  return openid.buildAuthorizationUrl(config, {
    redirect_uri: redirect,
    resource,
    state,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
    // OpenID Connect: no refresh token without it.
    ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
  })
}

/** `query`: what the browser came back with. Its state and issuer are checked. */
export async function exchange(
  parties: Parties,
  { redirect, resource, state, verifier }: Asked,
  query: string,
): Promise<Tokens> {
  const { openid, config } = await configured(parties)
  const back = new URL(redirect)
  back.search = query
  const checks = { expectedState: state, pkceCodeVerifier: verifier }
  return tokensOf(await openid.authorizationCodeGrant(config, back, checks, { resource }))
}

export async function refreshed(
  parties: Parties,
  { refresh, resource }: { readonly refresh: string; readonly resource: string },
): Promise<Tokens> {
  const { openid, config } = await configured(parties)
  return tokensOf(await openid.refreshTokenGrant(config, refresh, { resource }))
}

/** As far as the authorization server can: one that cannot forgets them by itself. */
export async function revoke(parties: Parties, token: string): Promise<void> {
  if (parties.server.revocation_endpoint === undefined) return
  const { openid, config } = await configured(parties)
  await openid.tokenRevocation(config, token)
}

/** The token itself was refused, or the client: asking again would not help. */
export function isFinal(error: unknown): boolean {
  const { error: said, code } = (error ?? {}) as { error?: unknown; code?: unknown }
  return FINAL.has(String(said)) || code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE'
}

const FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_target'])

/** What was found wrong, without anything that was sent or came back. */
export function problemOf(error: unknown): string {
  const { error: said, code, cause } = (error ?? {}) as Record<string, unknown>
  if (typeof said === 'string' && /^[a-z_]{1,64}$/.test(said)) return `it answered ${said}`
  if (typeof code === 'string' && code.startsWith('OAUTH_')) {
    return `its answer does not hold (${code.slice(6).toLowerCase().replaceAll('_', ' ')})`
  }
  // Ours are plain; those of others may quote what they read.
  const own = [error, cause].find((one) => one instanceof Error && one.constructor === Error)
  return own instanceof Error ? own.message : 'it did not answer'
}

function tokensOf(given: OpenId.TokenEndpointResponse): Tokens {
  const { access_token: access, refresh_token: refresh, expires_in: life, scope } = given
  // A token that is bound to a key of ours would need a proof with every request.
  if (given.token_type !== 'bearer') throw new Error('it gives tokens that are not bearer tokens')
  for (const token of [access, refresh ?? access]) {
    if (token.length > LONGEST_TOKEN || !TOKEN.test(token)) {
      throw new Error('it gives a token that cannot be sent')
    }
  }
  return {
    access,
    ...(refresh === undefined ? {} : { refresh }),
    ...(scope === undefined ? {} : { scopes: scope }),
    ...(life === undefined ? {} : { life: life * 1_000 }),
  }
}
