import { CountersignError, ERRORS, type ErrorCode } from '../base/errors.ts'
import { urlBelow } from '../base/net/url-below.ts'
import type { Invited } from '../server/identity/invite.ts'
import type { ApprovalPage, WireError } from '../wire/approval.ts'
import type { PeopleList, WireAccount } from '../wire/people.ts'
import type { SignedIn } from '../wire/session.ts'
import { usage } from './failure.ts'
import type { Shell } from './shell.ts'
import { assertThere, databasePlace } from './state/database.ts'
import { readLogin } from './state/kept-login.ts'
import { type DatabaseOptions, openStore } from './state/open-store.ts'
import { readServerFile } from './state/server-file.ts'

/** The server, as the person at this terminal sees it. */
export interface Api {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: object): Promise<T>
  put<T>(path: string, body: object): Promise<T>
  delete<T>(path: string): Promise<T>
  /** Hints that something changed, until the signal or the server ends them. */
  events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>>
}

export interface Session {
  readonly api: Api
  end(): Promise<void>
}

/** Signs in for one command, and out again. */
export async function withSession<T>(
  options: DatabaseOptions,
  shell: Shell,
  work: (api: Api) => Promise<T>,
): Promise<T> {
  const { api, end } = await signIn(options, shell)
  try {
    return await work(api)
  } finally {
    await end()
  }
}

/**
 * A user who may open the database may make a link and use it at once; from there on everything
 * works as it does for the inbox. Agent tokens play no part.
 */
export async function signIn(options: DatabaseOptions, shell: Shell): Promise<Session> {
  const kept = keptSession(options, shell)
  if (kept) return kept
  const { at: url, token } = await newLink(options, shell)
  const response = await reach(url, '/v1/session', {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ token }),
  })
  const { csrf } = await readAnswer<SignedIn>(response)
  const headers = { cookie: cookieOf(response), 'x-countersign-csrf': csrf }
  return {
    api: apiOf(url, headers),
    end: async () => {
      // A session that cannot be ended now ends by itself.
      await reach(url, '/v1/session', { method: 'DELETE', headers }).catch(() => {})
    },
  }
}

/** What only a person may do needs one, at a terminal. */
export function assertPerson({ stdin, out }: Shell, doing: string): void {
  if ('isTTY' in stdin && stdin.isTTY === true && out.terminal) return
  throw usage(
    `${doing} needs a terminal with a person at it`,
    'Run it in a terminal, or open the inbox with `countersign open`.',
  )
}

/** From `countersign login`: it outlives the command. A database that is named comes first. */
function keptSession({ db }: DatabaseOptions, shell: Shell): Session | undefined {
  const { COUNTERSIGN_URL: url, COUNTERSIGN_DB: place } = shell.env
  if (db !== undefined || place || url === undefined || !URL.canParse(url)) return undefined
  const kept = readLogin(url, shell)
  if (!kept) return undefined
  const headers = { cookie: kept.cookie, 'x-countersign-csrf': kept.csrf }
  return { api: apiOf(kept.url, headers), end: async () => {} }
}

/** Name and value of the session's cookie; what else was set or taken does not matter here. */
export function cookieOf(response: Response): string {
  const all = response.headers.getSetCookie().map((one) => one.split(';')[0] ?? '')
  return all.find((one) => /^(?:__Host-)?countersign(?:-\d+)?(?:\.[\w.-]+)?=./.test(one)) ?? ''
}

function apiOf(url: string, headers: Readonly<Record<string, string>>): Api {
  const sending =
    (method: string) =>
    async <T>(path: string, body: object) =>
      readAnswer<T>(
        await reach(url, path, {
          method,
          headers: { ...headers, ...JSON_TYPE },
          body: JSON.stringify(body),
        }),
      )
  return {
    get: async (path) => readAnswer(await reach(url, path, { headers })),
    post: sending('POST'),
    put: sending('PUT'),
    delete: async (path) => readAnswer(await reach(url, path, { method: 'DELETE', headers })),
    events: async (signal) => {
      const stream = await reach(url, '/v1/events', { headers, signal })
      return stream.ok && stream.body ? stream.body : readAnswer(stream)
    },
  }
}

export const JSON_TYPE = { 'content-type': 'application/json' }

/** The server that runs on the database, and a new secret to sign in to it with. */
export async function newLink(options: DatabaseOptions, shell: Shell, invited?: Invited) {
  const place = databasePlace(options.db, shell)
  assertThere(place)
  const server = readServerFile(place, options.tenant)
  const url = shell.env.COUNTERSIGN_URL ?? server?.url
  // Commands on the server's own machine, `lock` among them, must not depend on name, TLS and proxy.
  const at = shell.env.COUNTERSIGN_URL ?? server?.local ?? server?.url
  if (url === undefined || at === undefined) throw unreachable()
  await reach(at, '/healthz', {})
  const store = await openStore(place, options)
  try {
    const { signInSecret } = await import('../server/identity/invite.ts')
    return { url, at, token: await signInSecret(store, invited) }
  } finally {
    await store.close()
  }
}

export async function reach(url: string, path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(urlBelow(url, path), { signal: AbortSignal.timeout(10_000), ...init })
  } catch (cause) {
    throw unreachable(cause)
  }
}

function unreachable(cause?: unknown): CountersignError {
  return new CountersignError('server_unreachable', 'no Countersign runs on this database', {
    hint: 'Run `countersign start`; it prints a link as well.',
    cause,
  })
}

export async function readAnswer<T>(response: Response): Promise<T> {
  if (response.status === 204) return undefined as T
  const body: unknown = await response.json()
  if (response.ok) return body as T
  const { code, message, hint } = (body as WireError).error
  const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'internal'
  throw new CountersignError(known, message, hint === undefined ? {} : { hint })
}

/** Finds the person that the text names: by address, or by the name they sign in under. */
export async function findPerson({ get }: Api, given: string): Promise<WireAccount> {
  const { people } = await get<PeopleList>('/v1/people')
  const word = given.toLowerCase()
  const found = people.filter(
    ({ email, subject }) => email?.toLowerCase() === word || subject.toLowerCase() === word,
  )
  const [only] = found
  if (only && found.length === 1) return only
  throw usage(
    `${found.length === 0 ? 'no person' : 'more than one person'} is called ${given}`,
    'Use the address they sign in with; `countersign people list` lists all people.',
  )
}

/** Finds the id that the text names: whole, or its end where only one pending id ends so. */
export async function findId(
  { get }: Api,
  given: string,
  status: 'pending' | 'denied' = 'pending',
): Promise<string> {
  if (given.length > 20) return given
  const { approvals } = await get<ApprovalPage>(`/v1/approvals?status=${status}&limit=500`)
  const found = approvals.filter(({ id }) => given.length >= 4 && id.endsWith(given))
  const [only] = found
  if (only && found.length === 1) return only.id
  throw usage(
    `${found.length === 0 ? 'no' : 'more than one'} ${status} approval ends with ${given}`,
    'Use what `countersign list` shows, or a whole id; `countersign list --status all --json` has all.',
  )
}
