import type { Context } from 'hono'
import type { OAuthTokens } from '../../api/oauth/oauth.ts'
import { bodyBytes } from '../../base/net/request-body.ts'
import { isKnownScope } from './authorization.ts'
import type { Connections } from './connections.ts'
import { invalidGrant, OAuthProblem } from './problem.ts'

type Form = ReadonlyMap<string, string>

const LONGEST = 16_384

/** What a client sends from its own machine, as a form. */
export async function readForm(c: Context): Promise<Form> {
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(c.req.header('content-type') ?? '')) {
    throw new OAuthProblem('invalid_request', 'the body is not application/x-www-form-urlencoded')
  }
  // Public clients have no secret; a sender that shows one takes this for another server.
  if (c.req.header('authorization') !== undefined) {
    throw new OAuthProblem('invalid_client', 'clients do not authenticate here; send client_id')
  }
  const bytes = await bodyBytes(c.req.raw)
  if (bytes.length > LONGEST) throw new OAuthProblem('invalid_request', 'the body is too long')
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(new TextDecoder().decode(bytes))) {
    if (form.has(name)) throw new OAuthProblem('invalid_request', 'a parameter is sent twice')
    form.set(name, value)
  }
  if (form.has('client_secret') || form.has('client_assertion')) {
    throw new OAuthProblem('invalid_client', 'clients do not authenticate here; send client_id')
  }
  return form
}

/** `resource`: what this server gives tokens for. */
export async function tokensFor(
  form: Form,
  resource: string,
  connections: Connections,
): Promise<OAuthTokens> {
  const client = needed(form, 'client_id')
  const wanted = form.get('resource')
  if (wanted !== undefined && wanted !== resource) {
    throw new OAuthProblem('invalid_target', `resource must be ${resource}`)
  }
  if (!isKnownScope(form.get('scope') ?? null)) {
    throw new OAuthProblem('invalid_scope', 'this is more than what was allowed')
  }
  switch (needed(form, 'grant_type')) {
    case 'authorization_code':
      return connections.exchange(needed(form, 'code'), {
        client,
        redirect: needed(form, 'redirect_uri'),
        verifier: form.get('code_verifier') ?? '',
        resource,
      })
    case 'refresh_token':
      return connections.refresh(needed(form, 'refresh_token'), client)
    default:
      throw new OAuthProblem(
        'unsupported_grant_type',
        'grant_type must be authorization_code or refresh_token',
      )
  }
}

/** Says the same of a token that is not known: that it is gone is what the client wanted. */
export async function revokeToken(form: Form, connections: Connections): Promise<void> {
  await connections.revoke(needed(form, 'token'), needed(form, 'client_id'))
}

function needed(form: Form, name: string): string {
  const value = form.get(name)
  if (value !== undefined && value !== '') return value
  if (name === 'code' || name === 'refresh_token') throw invalidGrant()
  throw new OAuthProblem('invalid_request', `${name} is missing`)
}
