import { OAUTH_SCOPE } from '../../api/oauth/oauth.ts'
import { CountersignError } from '../../base/errors.ts'
import type { OAuthClient } from './client-document.ts'
import { isRegistered, readRedirect } from './redirect-uri.ts'

/** A request for a code, after everything about it was checked. */
export interface Authorization {
  readonly client: OAuthClient
  readonly redirect: URL
  readonly state: string | undefined
  readonly challenge: string
  readonly resource: string
}

/** Something is wrong that the client should hear of, at an address that is surely its own. */
export interface AuthorizationError {
  readonly redirect: URL
  readonly state: string | undefined
  readonly error:
    | 'invalid_request'
    | 'invalid_scope'
    | 'invalid_target'
    | 'unsupported_response_type'
  readonly says: string
}

export interface Checks {
  /** What tokens are given for. */
  readonly resource: string
  client(id: string): Promise<OAuthClient>
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/
const LONGEST_STATE = 2_048

/**
 * Throws `invalid_value` as long as it is not sure where the browser may be sent: then a person reads
 * what is wrong, and the client does not.
 */
export async function readAuthorization(
  query: string,
  { resource, client: clientOf }: Checks,
): Promise<Authorization | AuthorizationError> {
  const sent = new URLSearchParams(query)
  const twice = [...sent.keys()].find((name, at, all) => all.indexOf(name) !== at)
  if (twice !== undefined) throw wrong('the address has a parameter twice')
  const client = await clientOf(sent.get('client_id') ?? '')
  const redirect = readRedirect(sent.get('redirect_uri') ?? '')
  if (!redirect || !isRegistered(redirect, client.redirects)) {
    throw wrong('redirect_uri is not one of those in the metadata document of the client')
  }
  const state = sent.get('state') ?? undefined
  if (state !== undefined && state.length > LONGEST_STATE) throw wrong('state is too long')
  const refused = (error: AuthorizationError['error'], says: string) => ({
    ...{ redirect, state, error, says },
  })
  if (sent.get('response_type') !== 'code') {
    return refused('unsupported_response_type', 'response_type must be code')
  }
  if ((sent.get('response_mode') ?? 'query') !== 'query') {
    return refused('invalid_request', 'response_mode must be query')
  }
  // Without a method it would mean `plain`, by which a code that leaks is worth something.
  if (sent.get('code_challenge_method') !== 'S256') {
    return refused('invalid_request', 'code_challenge_method must be S256')
  }
  const challenge = sent.get('code_challenge') ?? ''
  if (!CHALLENGE.test(challenge)) {
    return refused('invalid_request', 'code_challenge must be a SHA-256 in base64url')
  }
  if (sent.get('resource') !== resource) {
    return refused('invalid_target', `resource must be ${resource}`)
  }
  if (!isKnownScope(sent.get('scope'))) {
    return refused('invalid_scope', `the only scope is ${OAUTH_SCOPE}`)
  }
  return { client, redirect, state, challenge, resource }
}

/** Absent, or nothing but the one there is. */
export function isKnownScope(scope: string | null): boolean {
  return (scope ?? '').split(' ').every((one) => one === '' || one === OAUTH_SCOPE)
}

/** With `iss`: a client that speaks with several servers sees whose answer this is (RFC 9207). */
export function redirectWith(
  { redirect, state }: { readonly redirect: URL; readonly state: string | undefined },
  issuer: string,
  answer: Readonly<Record<string, string>>,
): string {
  const to = new URL(redirect)
  for (const [name, value] of Object.entries(answer)) to.searchParams.set(name, value)
  if (state !== undefined) to.searchParams.set('state', state)
  to.searchParams.set('iss', issuer)
  return to.href
}

function wrong(says: string): CountersignError {
  return new CountersignError('invalid_value', says, {
    hint: 'Begin again in the client. Nothing was allowed.',
  })
}
