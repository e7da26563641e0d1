import type { PersonId } from '../../../approval/people/person.ts'
import { isPlainObject, type Json } from '../../../base/json/json.ts'
import type { StoredRecord } from '../../../store/records.ts'
import type { Sealed, SecretBox } from '../../../store/secret-box.ts'
import type { AuthorizationServer } from './discovery.ts'
import type { OAuthClient } from './oauth-client.ts'

/** How this program is signed in at one server, by the digest of its alias and address. */
export const SIGN_IN_RECORD = 'mcp-sign-in'
/** A person who is on the way to the authorization server, by the hash of the state. */
export const ATTEMPT_RECORD = 'mcp-sign-in-attempt'
/** Held by the one process that refreshes: a refresh token counts once. */
export const REFRESH_RECORD = 'mcp-sign-in-refresh'

/** As it is stored. Tokens and the client's secret are sealed with a key that is not in the database. */
export interface KeptSignIn {
  readonly alias: string
  readonly resource: string
  readonly server: AuthorizationServer
  readonly client: Omit<OAuthClient, 'secret'>
  readonly scopes: readonly string[]
  /** Asked for by the server since, and not given yet. */
  readonly wanted?: readonly string[]
  readonly by: PersonId
  readonly at: number
  /** When the access token ends; absent where the authorization server did not say. */
  readonly endsAt?: number
  readonly canRefresh: boolean
  /** Why a person has to sign in again. */
  readonly lost?: string
  readonly sealed: Sealed
}

export interface Secrets {
  readonly access: string
  readonly refresh?: string
  readonly clientSecret?: string
}

type Bound = Pick<KeptSignIn, 'resource' | 'server' | 'client'>

/**
 * Bound to where each secret may go. A row that names another token endpoint, or another server's
 * row under this name, does not open.
 */
export const about = (id: string, { resource, server, client }: Bound) =>
  JSON.stringify([
    ...[id, resource, server.issuer, server.token_endpoint, server.revocation_endpoint ?? null],
    client.id,
  ])

export async function sealSecrets(
  box: SecretBox,
  id: string,
  bound: Bound,
  secrets: Secrets,
): Promise<Sealed> {
  return box.seal(JSON.stringify(secrets), about(id, bound))
}

export async function openSecrets(box: SecretBox, id: string, kept: KeptSignIn): Promise<Secrets> {
  return JSON.parse(await box.open(kept.sealed, about(id, kept))) as Secrets
}

/** Undefined where there is none, or the last one was ended. */
export function signInOf(record: StoredRecord | undefined): KeptSignIn | undefined {
  const value = record?.value
  return isPlainObject(value) && isPlainObject(value.sealed)
    ? (value as unknown as KeptSignIn)
    : undefined
}

export const storable = (value: object) => JSON.parse(JSON.stringify(value)) as Json
