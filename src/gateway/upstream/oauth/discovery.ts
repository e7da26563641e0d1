import { isPlainObject, type JsonObject } from '../../../base/json/json.ts'
import { parseStrict } from '../../../base/json/strict-json.ts'
import type { HttpSpec } from '../upstream-spec.ts'
import { type Challenge, readScopes } from './challenge.ts'
import { checkedFetch } from './checked-fetch.ts'

/** What an authorization server says of itself, as far as it is used here. */
export interface AuthorizationServer {
  readonly issuer: string
  readonly authorization_endpoint: string
  readonly token_endpoint: string
  readonly registration_endpoint?: string
  readonly revocation_endpoint?: string
  readonly token_endpoint_auth_methods_supported?: string[]
  readonly id_token_signing_alg_values_supported?: string[]
  readonly authorization_response_iss_parameter_supported?: boolean
  readonly client_id_metadata_document_supported?: boolean
}

/** Where the users of a server sign in. */
export interface Found {
  /** What tokens are to be good for (RFC 8707). */
  readonly resource: string
  /** Those the server asks for, or says that there are. */
  readonly scopes: readonly string[]
  readonly server: AuthorizationServer
}

type Place = Pick<HttpSpec, 'url' | 'allowHosts'>

/**
 * Hosts of a private network that a server may lead to. One on the public internet leads to none,
 * though others are allowed: what they are allowed for is servers that the operator wrote down.
 */
export function issuerHosts({ url, allowHosts }: Place): readonly string[] {
  return allowHosts.includes(url.host) || allowHosts.includes(url.hostname) ? allowHosts : []
}

/** Throws an `Error` in words for the person who signs in. */
export async function discover(spec: Place, challenge: Challenge): Promise<Found> {
  const place = { url: spec.url, allowHosts: issuerHosts(spec) }
  const described = await resourceMetadata(place, challenge)
  const plain = new URL(place.url)
  plain.search = ''
  plain.hash = ''
  const resource = described ? ownResource(described, plain) : plain.href
  const issuers = described?.authorization_servers
  const [first] = Array.isArray(issuers) ? issuers : []
  // Servers before RFC 9728 are their own authorization server.
  const issuer = described ? first : plain.origin
  if (typeof issuer !== 'string') throw new Error('it names no authorization server')
  const { server, scopes } = await authorizationServer(issuer, place.allowHosts)
  const asked =
    challenge.scopes.length > 0 ? challenge.scopes : readScopes(described?.scopes_supported)
  // Without it some servers give no refresh token, and a person would have to come back every hour.
  const offline = scopes.includes('offline_access') ? ['offline_access'] : []
  return { resource, server, scopes: [...new Set([...asked, ...offline])] }
}

/** RFC 9728: where the challenge says, else below the path of the server, else at its root. */
async function resourceMetadata(
  { url, allowHosts }: Place,
  { metadata }: Challenge,
): Promise<JsonObject | undefined> {
  const path = url.pathname === '/' ? '' : url.pathname
  const name = '/.well-known/oauth-protected-resource'
  if (metadata !== undefined) {
    const named = URL.parse(metadata)
    const found = named && (await document(named, allowHosts))
    if (!found) throw new Error('what it says about its sign-in cannot be read')
    return found
  }
  for (const place of new Set([`${name}${path}`, name])) {
    const found = await document(new URL(place, url.origin), allowHosts)
    if (found) return found
  }
  return undefined
}

/** A description of another server would have a token made for that one sent to this one. */
function ownResource({ resource }: JsonObject, url: URL): string {
  const named = typeof resource === 'string' ? URL.parse(resource) : null
  const folder = named && `${named.pathname.replace(/\/$/, '')}/`
  const isOwn = named?.origin === url.origin && `${url.pathname}/`.startsWith(folder ?? '')
  if (!named || !isOwn || named.hash !== '') {
    throw new Error('it describes the sign-in of another server')
  }
  return resource as string
}

/** RFC 8414 and OpenID Connect Discovery. What another issuer says of itself is not taken. */
async function authorizationServer(issuer: string, allowHosts: readonly string[]) {
  const url = URL.parse(issuer)
  if (url?.search !== '' || url.hash !== '' || url.username !== '') {
    throw new Error('it names an authorization server that has no usable address')
  }
  const path = url.pathname === '/' ? '' : url.pathname.replace(/\/$/, '')
  const [oauth, openid] = ['oauth-authorization-server', 'openid-configuration']
  const places = new Set([
    `/.well-known/${oauth}${path}`,
    `/.well-known/${openid}${path}`,
    `${path}/.well-known/${openid}`,
  ])
  for (const place of places) {
    const found = await document(new URL(place, url.origin), allowHosts)
    if (found) return readServer(found, issuer, allowHosts)
  }
  throw new Error(`${url.host} does not say how to sign in there`)
}

function readServer(found: JsonObject, issuer: string, allowHosts: readonly string[]) {
  const said = found.issuer
  if (typeof said !== 'string' || bare(said) !== bare(issuer)) {
    throw new Error(`the authorization server ${issuer} says that it is another one`)
  }
  const words = (name: string) => readScopes(found[name]) as string[]
  if (!words('code_challenge_methods_supported').includes('S256')) {
    throw new Error(`${issuer} does not support PKCE with S256, so a code could be stolen`)
  }
  const endpoint = (name: string) => {
    const value = found[name]
    if (value === undefined) return undefined
    const url = typeof value === 'string' ? URL.parse(value) : null
    const isHere = allowHosts.includes(url?.host ?? '') || allowHosts.includes(url?.hostname ?? '')
    const isUsable = url?.protocol === 'https:' || (url?.protocol === 'http:' && isHere)
    if (!url || !isUsable || url.username !== '' || url.hash !== '') {
      throw new Error(`${issuer} has an address as ${name} that cannot be used`)
    }
    return url.href
  }
  const needed = (name: string) => {
    const found = endpoint(name)
    if (found === undefined) throw new Error(`${issuer} has no ${name}`)
    return found
  }
  const optional = (name: string) => {
    const found = endpoint(name)
    return found === undefined ? {} : { [name]: found }
  }
  const list = (name: string) => (found[name] === undefined ? {} : { [name]: words(name) })
  const server: AuthorizationServer = {
    issuer: said,
    authorization_endpoint: needed('authorization_endpoint'),
    token_endpoint: needed('token_endpoint'),
    ...optional('registration_endpoint'),
    ...optional('revocation_endpoint'),
    ...list('token_endpoint_auth_methods_supported'),
    ...list('id_token_signing_alg_values_supported'),
    authorization_response_iss_parameter_supported:
      found.authorization_response_iss_parameter_supported === true,
    client_id_metadata_document_supported: found.client_id_metadata_document_supported === true,
  }
  return { server, scopes: words('scopes_supported') }
}

/** The same but for the slash of a bare host, which some write and some do not. */
const bare = (issuer: string) => issuer.replace(/^(https?:\/\/[^/]+)\/$/, '$1')

/** Undefined where there is none. One that is there and cannot be read is not passed over. */
async function document(url: URL, allowHosts: readonly string[]): Promise<JsonObject | undefined> {
  const headers = { accept: 'application/json' }
  const response = await checkedFetch(url, { headers }, allowHosts)
  if (response.status >= 400 && response.status < 500) return undefined
  if (response.status !== 200) throw new Error(`${url.host} answered ${response.status}`)
  try {
    const value = parseStrict(new Uint8Array(await response.arrayBuffer()))
    if (isPlainObject(value)) return value as JsonObject
  } catch {
    // Said below.
  }
  throw new Error(`${url.host} describes itself in something that is not JSON`)
}
