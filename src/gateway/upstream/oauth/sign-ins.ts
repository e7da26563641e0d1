import { createHash, randomBytes } from 'node:crypto'
import type { PersonId } from '../../../approval/people/person.ts'
import { CountersignError, isCountersignError } from '../../../base/errors.ts'
import { createSecretBox, type Sealed } from '../../../store/secret-box.ts'
import type { Store } from '../../../store/store.ts'
import type { KeyFolder } from '../../../store/vault.ts'
import type { HttpSpec, UpstreamSpec } from '../upstream-spec.ts'
import { attachedBy, signInId } from './attached.ts'
import { readChallenge, readScopes } from './challenge.ts'
import { checkedFetch } from './checked-fetch.ts'
import { type AuthorizationServer, discover, type Found, issuerHosts } from './discovery.ts'
import {
  type Asked,
  authorizationUrl,
  exchange,
  type OAuthClient,
  problemOf,
  register,
  revoke,
} from './oauth-client.ts'
import {
  ATTEMPT_RECORD,
  about,
  type KeptSignIn,
  openSecrets,
  SIGN_IN_RECORD,
  sealSecrets,
  signInOf,
  storable,
} from './sign-in-record.ts'
import { createSignedIn } from './signed-in.ts'

/** How this program is signed in at a server, as pages may see it. */
export interface SignInState extends Pick<KeptSignIn, 'scopes' | 'by' | 'at' | 'lost' | 'wanted'> {
  readonly issuer: string
}

/** What a person is about to do, before they go there. */
export interface Begun {
  readonly url: string
  readonly issuer: string
  readonly scopes: readonly string[]
}

/** The authorization server knows no client of ours, and takes none: a person has to make one. */
export interface NeedsClient {
  readonly needsClient: { readonly issuer: string; readonly redirect: string }
}

export interface BeginOptions {
  /** Where the inbox is, without a slash at its end. */
  readonly home: string
  readonly by: PersonId
  /** Made by hand at this issuer, and for no other. */
  readonly client?: GivenClient | undefined
}

export interface GivenClient {
  readonly issuer: string
  readonly id: string
  readonly secret?: string | undefined
}

export interface SignIns {
  /** The same server with what it is sent as credentials, unless its headers name some. */
  attach(spec: UpstreamSpec): UpstreamSpec
  state(spec: UpstreamSpec): Promise<SignInState | undefined>
  begin(spec: HttpSpec, options: BeginOptions): Promise<Begun | NeedsClient>
  /** `place`: which redirect address the browser came back to. `query`: what with. */
  finish(
    specs: readonly UpstreamSpec[],
    back: { readonly place: string; readonly query: string; readonly by: PersonId },
  ): Promise<string>
  /** False where there is nothing to end. */
  end(spec: HttpSpec, by: PersonId): Promise<boolean>
}

interface Attempt extends Omit<Asked, 'verifier' | 'state'> {
  readonly alias: string
  /** Of the server that it is for. */
  readonly server: string
  readonly place: string
  readonly issuedBy: AuthorizationServer
  readonly client: Omit<OAuthClient, 'secret'>
  readonly by: PersonId
  readonly sealed: Sealed
}

const LIFE_MS = 600_000
const MOST_QUERY = 8_192
const PROBE = { jsonrpc: '2.0', id: 1, method: 'ping' }

interface Parts {
  readonly store: Store
  readonly keys: KeyFolder | undefined
}

/** A redirect address for each issuer: an answer of one cannot be taken for that of another. */
export function placeOf(issuer: string): string {
  return createHash('sha256').update(`countersign issuer:${issuer}`).digest('hex').slice(0, 24)
}

export const PLACE = /^[0-9a-f]{24}$/

export const redirectAt = (home: string, place: string) => `${home}/tools/sign-in/${place}`

/** Where this program describes itself to authorization servers that read such documents. */
export const documentAt = (home: string, place: string) => `${home}/oauth/client/${place}`

/** Sign-ins at the servers behind the gate. One for each server: it is this program that signs in. */
export function createSignIns({ store, keys }: Parts): SignIns {
  const box = createSecretBox(keys, 'server tokens')
  const attach = attachedBy((spec) => createSignedIn({ store, box, spec }))

  async function clientFor({ server }: Found, home: string, place: string, spec: HttpSpec) {
    if (server.client_id_metadata_document_supported && home.startsWith('https:')) {
      return { how: 'document', id: documentAt(home, place) } as const
    }
    if (server.registration_endpoint === undefined) return undefined
    return register(server, redirectAt(home, place), issuerHosts(spec))
  }

  return {
    attach,
    async state(spec) {
      const kept =
        spec.kind === 'http' &&
        signInOf(await store.records.get(SIGN_IN_RECORD, await signInId(spec)))
      if (!kept) return undefined
      const { scopes, by, at, lost, wanted, server } = kept
      return {
        ...{ scopes, by, at, issuer: server.issuer },
        ...(lost === undefined ? {} : { lost }),
        ...(wanted === undefined ? {} : { wanted }),
      }
    },
    async begin(spec, { home, by, client: made }) {
      try {
        const found = await discover(spec, await challengeOf(spec))
        const { server, resource } = found
        const place = placeOf(server.issuer)
        const redirect = redirectAt(home, place)
        if (made && made.issuer !== server.issuer) {
          throw new Error(`its users now sign in at ${server.issuer}, not at ${made.issuer}`)
        }
        const client: OAuthClient | undefined = made
          ? { how: 'given', id: made.id, ...(made.secret ? { secret: made.secret } : {}) }
          : await clientFor(found, home, place, spec)
        if (!client) return { needsClient: { issuer: server.issuer, redirect } }
        const id = await signInId(spec)
        const before = signInOf(await store.records.get(SIGN_IN_RECORD, id))
        const scopes = [...new Set([...found.scopes, ...(before?.wanted ?? [])])]
        const asked: Asked = {
          ...{ redirect, resource, scopes },
          state: randomBytes(32).toString('base64url'),
          verifier: randomBytes(32).toString('base64url'),
        }
        const parties = { server, client, allowHosts: issuerHosts(spec) }
        const url = await authorizationUrl(parties, asked)
        const { secret, ...known } = client
        const secrets = JSON.stringify({ verifier: asked.verifier, secret })
        const name = hashed(asked.state)
        const bound = { server: id, place, redirect, resource, issuedBy: server, client: known }
        const attempt: Attempt = {
          ...{ ...bound, alias: spec.alias, scopes, by },
          sealed: await box.seal(secrets, attemptAbout(name, bound)),
        }
        const expiresAt = (await store.now()) + LIFE_MS
        await store.records.put(ATTEMPT_RECORD, name, storable(attempt), {
          ...{ expect: 'absent', expiresAt },
        })
        return { url: url.href, issuer: server.issuer, scopes }
      } catch (error) {
        throw failed(spec.alias, error)
      }
    },
    async finish(specs, { place, query, by }) {
      const state = new URLSearchParams(query).getAll('state')
      const isOne = state.length === 1 && query.length <= MOST_QUERY
      const name = hashed(isOne ? (state[0] ?? '') : '')
      const found = await store.records.get(ATTEMPT_RECORD, name)
      const attempt = found?.value as unknown as Attempt | undefined
      // Left for the person it belongs to: what another one holds must not use it up.
      const isTheirs = attempt?.by.issuer === by.issuer && attempt.by.subject === by.subject
      if (!attempt || !isTheirs || !(await store.records.remove(ATTEMPT_RECORD, name))) {
        throw new CountersignError(
          'server_sign_in',
          'this sign-in was finished before, took too long, or was begun by another person',
          { hint: 'Begin again under Tools.' },
        )
      }
      const { alias, server: id, issuedBy: server, resource, redirect, scopes } = attempt
      const spec = await named(specs, id)
      if (!spec) throw failed(alias, new Error('it is not in the policy any more'))
      try {
        if (attempt.place !== place) throw new Error('the answer is from another issuer')
        const sealed = await box.open(attempt.sealed, attemptAbout(name, attempt)).catch(() => {
          throw new Error('what was kept of its beginning cannot be opened on this machine')
        })
        const { verifier = '', secret } = JSON.parse(sealed) as Record<string, string>
        const client = { ...attempt.client, ...(secret === undefined ? {} : { secret }) }
        const parties = { server, client, allowHosts: issuerHosts(spec) }
        const asked = { redirect, resource, scopes, verifier, state: state[0] ?? '' }
        const { access, refresh, life, scopes: given } = await exchange(parties, asked, query)
        const now = await store.now()
        const bound = { resource, server, client: attempt.client }
        const kept: KeptSignIn = {
          ...{ alias, ...bound, by, at: now },
          scopes: given === undefined ? scopes : readScopes(given),
          ...(life === undefined ? {} : { endsAt: now + life }),
          canRefresh: refresh !== undefined,
          sealed: await sealSecrets(box, id, bound, {
            access,
            ...(refresh === undefined ? {} : { refresh }),
            ...(secret === undefined ? {} : { clientSecret: secret }),
          }),
        }
        const before = await store.records.get(SIGN_IN_RECORD, id)
        const facts = { server: alias, issuer: server.issuer, scopes: kept.scopes.join(' ') }
        const isDone = await store.amend({
          commandId: crypto.randomUUID(),
          event: { type: 'server.signed_in', by: { person: by }, facts },
          changes: [
            {
              ...{ kind: SIGN_IN_RECORD, id, value: storable(kept) },
              expect: before?.revision ?? 'absent',
            },
          ],
        })
        if (!isDone) throw new Error('another person signed in at the same time')
        return alias
      } catch (error) {
        throw failed(alias, error)
      }
    },
    async end(spec, by) {
      const id = await signInId(spec)
      const found = await store.records.get(SIGN_IN_RECORD, id)
      const kept = signInOf(found)
      if (!found || !kept) return false
      const secrets = await openSecrets(box, id, kept).catch(() => undefined)
      const isDone = await store.amend({
        commandId: crypto.randomUUID(),
        event: {
          type: 'server.signed_out',
          by: { person: by },
          facts: { server: spec.alias, issuer: kept.server.issuer },
        },
        // A row without secrets in its place: a removed one would begin with the same revision again,
        // and what a process still has of the one before would pass for the next.
        changes: [{ kind: SIGN_IN_RECORD, id, value: { ended: true }, expect: found.revision }],
      })
      if (!isDone) throw new CountersignError('store_busy', 'this sign-in is being changed')
      const client = {
        ...kept.client,
        ...(secrets?.clientSecret ? { secret: secrets.clientSecret } : {}),
      }
      const parties = { server: kept.server, client, allowHosts: issuerHosts(spec) }
      // Gone from here in any case; whether the issuer can be told does not matter for that.
      for (const token of [secrets?.refresh, secrets?.access]) {
        if (token !== undefined) await revoke(parties, token).catch(() => {})
      }
      return true
    },
  }
}

/** Bound to where the code and the client's secret go, like what is kept of a sign-in. */
const attemptAbout = (
  name: string,
  of: Pick<Attempt, 'server' | 'place' | 'redirect' | 'resource' | 'issuedBy' | 'client'>,
) => {
  const { server, place, redirect, resource, issuedBy, client } = of
  return JSON.stringify([
    name,
    server,
    place,
    redirect,
    about('attempt', { resource, server: issuedBy, client }),
  ])
}

async function named(specs: readonly UpstreamSpec[], id: string): Promise<HttpSpec | undefined> {
  for (const spec of specs) {
    if (spec.kind === 'http' && (await signInId(spec)) === id) return spec
  }
  return undefined
}

const hashed = (state: string) =>
  createHash('sha256').update(`countersign server sign-in:${state}`).digest('hex')

/** What the server says to a request without credentials. */
async function challengeOf({ url, headers, allowHosts }: HttpSpec) {
  const response = await checkedFetch(
    url,
    {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(PROBE),
    },
    allowHosts,
  )
  if (response.status !== 401) {
    throw new Error(`it does not ask for one (it answered with status ${response.status})`)
  }
  return readChallenge(response.headers.get('www-authenticate') ?? undefined) ?? { scopes: [] }
}

function failed(alias: string, error: unknown): CountersignError {
  // Ours says it better: that there is no key to seal with, or that the store is away.
  if (isCountersignError(error)) return error
  return new CountersignError(
    'server_sign_in',
    `the sign-in at server ${alias} did not work: ${problemOf(error)}`,
    { hint: 'Its operator can say how its users sign in.' },
  )
}
