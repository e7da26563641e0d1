import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { Person } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Account, Accounts } from './people.ts'
import type { Session, Sessions } from './sessions.ts'
import type { AgentToken, Tokens } from './tokens.ts'

/** Who sends a request. A cookie makes a person, a token makes an agent, and never the other way. */
export type Caller = Anonymous | AgentCaller | PersonCaller

interface Anonymous {
  readonly kind: 'anonymous'
}

export interface AgentCaller {
  readonly kind: 'agent'
  readonly token: AgentToken
}

export interface PersonCaller {
  readonly kind: 'person'
  readonly person: Person
  readonly account: Account
  readonly session: Session
}

export interface Credentials {
  readonly accounts: Accounts
  readonly sessions: Sessions
  readonly tokens: Tokens
  /** Whether people come over https, so that the cookie may be bound to that. */
  readonly isSecure: boolean
  /** Where the server is mounted; part of the cookie's name, so that two mounts keep apart. */
  readonly base: string
}

export const ANONYMOUS: Anonymous = { kind: 'anonymous' }

export async function callerOf(c: Context, credentials: Credentials): Promise<Caller> {
  const header = c.req.header('authorization')
  // A request with a token can only be an agent's: a cookie beside it counts for nothing.
  if (header !== undefined) {
    const [, token] = /^Bearer ([\x21-\x7e]+)$/i.exec(header) ?? []
    if (token === undefined) {
      throw new CountersignError('token_unknown', 'the authorization header holds no bearer token')
    }
    return { kind: 'agent', token: await credentials.tokens.verify(token) }
  }
  const secret = getCookie(c, cookieName(c, credentials))
  const session = secret === undefined ? undefined : await credentials.sessions.find(secret)
  if (!session) return ANONYMOUS
  return (await signedIn(session, credentials.accounts)) ?? ANONYMOUS
}

/** Undefined when the account is gone or locked: then the session is worth nothing. */
export async function signedIn(
  session: Session,
  accounts: Accounts,
): Promise<PersonCaller | undefined> {
  const account = await accounts.get(session.person)
  if (!account || account.locked) return undefined
  const person = accounts.person(account, session.assurance)
  return { kind: 'person', person, account, session }
}

// Without https there is no __Host-: browsers would refuse to keep it. Cookies know no ports, so two
// servers on one machine would take each other's place.
function cookieName(
  c: Context,
  { isSecure, base }: Credentials,
  use: CookieUse = 'session',
): string {
  const name = use === 'session' ? 'countersign' : `countersign-${use}`
  // In the name and not in Path: __Host- demands Path=/, and keeps subdomains from setting it.
  const mounted = base.replaceAll('/', '.')
  if (isSecure) return `__Host-${name}${mounted}`
  const [, port = '80'] = /:(\d+)$/.exec(c.req.header('host') ?? '') ?? []
  return `${name}-${port}${mounted}`
}

/** `signin`: ties a sign-in with a provider to the browser that began it. */
type CookieUse = 'session' | 'signin'

const KEPT_S: Readonly<Record<CookieUse, number>> = { session: 7 * 86_400, signin: 600 }

export function giveCookie(
  c: Context,
  credentials: Credentials,
  secret: string,
  use: CookieUse = 'session',
): void {
  setCookie(c, cookieName(c, credentials, use), secret, {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    secure: credentials.isSecure,
    maxAge: KEPT_S[use],
  })
}

export function takeCookie(
  c: Context,
  credentials: Credentials,
  use: CookieUse = 'session',
): string | undefined {
  const name = cookieName(c, credentials, use)
  return deleteCookie(c, name, { path: '/', secure: credentials.isSecure })
}
