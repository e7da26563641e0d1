import type { Client } from '../api/client.ts'
import { type Away, connect } from '../api/client-error.ts'
import type { WireAccount } from '../api/people.ts'
import { CountersignError } from '../base/errors.ts'
import type { Invited } from '../server/identity/invite.ts'
import { usage } from './failure.ts'
import { printable } from './print/printable.ts'
import type { Shell } from './shell.ts'
import { assertThere, databasePlace } from './state/database.ts'
import { readLogin } from './state/kept-login.ts'
import { type DatabaseOptions, openStore } from './state/open-store.ts'
import { readServerFile } from './state/server-file.ts'

/** The server, as the person at this terminal sees it. Throws `CountersignError`s. */
export interface Api extends Pick<Client, 'call' | 'send'> {
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
  const { body, headers } = await apiAt(url).send('POST /v1/session', { body: { token } })
  const api = apiAt(url, { cookie: cookieOf(headers), csrf: body.csrf })
  return {
    api,
    end: async () => {
      // A session that cannot be ended now ends by itself.
      await api.call('DELETE /v1/session').catch(() => {})
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
function keptLogin({ db }: DatabaseOptions, shell: Shell) {
  const { COUNTERSIGN_URL: url, COUNTERSIGN_DB: place } = shell.env
  if (db !== undefined || place || url === undefined || !URL.canParse(url)) return undefined
  return readLogin(url, shell)
}

/** The server that `countersign login` signed in to, where that is the one to be used. */
export function keptAt(options: DatabaseOptions, shell: Shell): string | undefined {
  return keptLogin(options, shell)?.url
}

function keptSession(options: DatabaseOptions, shell: Shell): Session | undefined {
  const kept = keptLogin(options, shell)
  if (!kept) return undefined
  return { api: apiAt(kept.url, kept, awayAt(kept.url)), end: async () => {} }
}

/** Name and value of the session's cookie; what else was set or taken does not matter here. */
export function cookieOf(headers: Headers): string {
  const all = headers.getSetCookie().map((one) => one.split(';')[0] ?? '')
  return all.find((one) => /^(?:__Host-)?countersign(?:-\d+)?(?:\.[\w.-]+)?=./.test(one)) ?? ''
}

/** Without a session: for what every caller may do. */
export function apiAt(
  url: string,
  session?: { cookie: string; csrf: string },
  away: Away = AWAY,
): Api {
  const headers = (): Record<string, string> =>
    session ? { cookie: session.cookie, 'x-countersign-csrf': session.csrf } : {}
  const { call, send, open } = connect<'person'>({ url, headers, timeout: 10_000 }, away)
  return {
    call,
    send,
    events: async (signal) => {
      const { body } = await open('GET /v1/events', { signal, timeout: false })
      if (body) return body
      throw unreachable(away)
    },
  }
}

/** The server that runs on the database, and a new secret to sign in to it with. */
export async function newLink(options: DatabaseOptions, shell: Shell, invited?: Invited) {
  const place = databasePlace(options.db, shell)
  assertThere(place)
  const server = readServerFile(place, options.tenant)
  const url = shell.env.COUNTERSIGN_URL ?? server?.url
  // Commands on the server's own machine, `lock` among them, must not depend on name, TLS and proxy.
  const at = shell.env.COUNTERSIGN_URL ?? server?.local ?? server?.url
  if (url === undefined || at === undefined) throw unreachable()
  const isNamed = shell.env.COUNTERSIGN_URL !== undefined
  await apiAt(at, undefined, isNamed ? awayAt(at) : AWAY).call('GET /healthz')
  const store = await openStore(place, options)
  try {
    const { signInSecret } = await import('../server/identity/invite.ts')
    return { url, at, token: await signInSecret(store, invited) }
  } finally {
    await store.close()
  }
}

const AWAY: Away = {
  message: 'no Countersign runs on this database',
  hint: 'Run `countersign start`; it prints a link as well.',
  movedHint: 'Set COUNTERSIGN_URL to the address it is really at.',
}

/** Of a server that the user named: starting one here would not be an answer. */
export function awayAt(url: string): Away {
  return {
    message: `no Countersign answers at ${printable(url)}`,
    hint: 'Check the address, that the server runs, and that this machine may reach it.',
    movedHint: 'Use the address that it is really at.',
  }
}

function unreachable({ message, hint }: Away = AWAY): CountersignError {
  return new CountersignError('server_unreachable', message, { hint })
}

/** Finds the person that the text names: by address, or by the name they sign in under. */
export async function findPerson(api: Api, given: string): Promise<WireAccount> {
  const { people } = await api.call('GET /v1/people')
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
  api: Api,
  given: string,
  status: 'pending' | 'denied' = 'pending',
): Promise<string> {
  if (given.length > 20) return given
  const { approvals } = await api.call('GET /v1/approvals', {
    query: { status: [status], limit: 500 },
  })
  const found = approvals.filter(({ id }) => given.length >= 4 && id.endsWith(given))
  const [only] = found
  if (only && found.length === 1) return only.id
  throw usage(
    `${found.length === 0 ? 'no' : 'more than one'} ${status} approval ends with ${given}`,
    'Use what `countersign list` shows, or a whole id; `countersign list --status all --json` has all.',
  )
}
