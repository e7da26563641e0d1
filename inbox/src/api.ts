/** Everything the inbox asks of the server. Types of the answers are the shared wire contract. */
import type {
  ApprovalCard,
  ApprovalPage,
  DecisionBody,
  Me,
  WireCompleted,
  WireError,
  WireEvent,
} from '../../src/api/approval.ts'
import type { AuditPage, ChainState } from '../../src/api/audit.ts'
import type { GrantPage, GrantProposalAnswer, GrantWishBody } from '../../src/api/grant.ts'
import type { LockBody, LockList } from '../../src/api/locks.ts'
import type {
  PasskeyBody,
  PasskeyList,
  PasskeyOptions,
  PasskeyWish,
} from '../../src/api/passkeys.ts'
import type {
  EndedSessions,
  MadeToken,
  NewTokenBody,
  PeopleList,
  RemovedPerson,
  TokenList,
  WireAccount,
  WireRole,
} from '../../src/api/people.ts'
import type { PolicyDraft } from '../../src/api/policy.ts'
import type { ServerList } from '../../src/api/servers.ts'
import type { SignedIn, SignInMethods } from '../../src/api/session.ts'
import type { StandInBody, StandInList } from '../../src/api/stand-ins.ts'
import type { SwitchList } from '../../src/api/switches.ts'
import { noteAnswer, noteSilence } from './connection.ts'
import type { ExplainedCall, PolicyStatus } from './policy-wire.ts'
import { setServerTime } from './server-time.ts'
import type { Json } from './text/values.ts'

/** The server answered, and the answer is no. */
export class Refused extends Error {
  readonly status: number
  readonly code: string
  readonly hint: string | undefined
  /** Which argument is wrong, where it is one. */
  readonly at: readonly string[] | undefined
  /** What the tool's schema makes of an edit, where it adds something. */
  readonly completed: WireCompleted | undefined

  constructor(status: number, { code, message, hint, at, completed }: WireError['error']) {
    super(message)
    this.status = status
    this.code = code
    this.hint = hint
    this.at = at
    this.completed = completed
  }
}

/** The server did not answer. Whether a change was made is unknown. */
export class Unanswered extends Error {}

/** Something of this machine said no, and the sentence says what. */
export class Told extends Error {}

/** Kept by the page: a cookie alone travels to other programs of this machine as well. */
const KEY = 'countersign.key'

/** What proves that our page sends a request. */
export function ownHeaders(accept: string): Headers {
  return new Headers({ accept, 'x-countersign-csrf': localStorage.getItem(KEY) ?? '' })
}

async function ask<T>(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<T> {
  const headers = ownHeaders('application/json')
  if (body !== undefined) headers.set('content-type', 'application/json')
  let response: Response
  let text: string
  try {
    response = await fetch(path, {
      method,
      headers,
      credentials: 'same-origin',
      cache: 'no-store',
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    text = await response.text()
  } catch {
    noteSilence()
    throw new Unanswered('The server did not answer.')
  }
  noteAnswer()
  const parsed = readJson(text)
  if (response.ok) return parsed as T
  throw new Refused(response.status, refusalOf(parsed, response.status))
}

export function readJson(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

export function refusalOf(body: unknown, status: number): WireError['error'] {
  const error = (body as Partial<WireError> | undefined)?.error
  if (error !== undefined && typeof error.message === 'string') return error
  return { code: 'unexpected', message: `The server answered with ${status} and no reason.` }
}

const approval = (id: string) => `/v1/approvals/${encodeURIComponent(id)}`

export const getMe = () => ask<Me>('GET', '/v1/me')

async function keepKey(signedIn: Promise<SignedIn>): Promise<void> {
  localStorage.setItem(KEY, (await signedIn).csrf)
}

export const signIn = (token: string) => keepKey(ask<SignedIn>('POST', '/v1/session', { token }))
export const getSignInMethods = () => ask<SignInMethods>('GET', '/v1/sign-in')
export const beginOidc = () => ask<{ readonly url: string }>('POST', '/v1/sign-in/oidc')
export const finishOidc = (answer: string) =>
  keepKey(ask<SignedIn>('POST', '/v1/sign-in/callback', { answer }))

export const confirmLogin = (code: string) => ask<unknown>('POST', '/v1/login/confirm', { code })

export async function signOut(): Promise<void> {
  await ask<unknown>('DELETE', '/v1/session')
  localStorage.removeItem(KEY)
}

export interface ListRequest {
  readonly status: string
  readonly execution?: string
  readonly order: 'risk' | 'deadline' | 'newest'
  readonly q?: string
  readonly after?: string
  readonly limit?: number
}

export async function getPage(request: ListRequest): Promise<ApprovalPage> {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(request)) {
    if (value !== undefined && value !== '') query.set(name, String(value))
  }
  const page = await ask<ApprovalPage>('GET', `/v1/approvals?${query}`)
  setServerTime(page.now)
  return page
}

export const getCard = (id: string) => ask<ApprovalCard>('GET', approval(id))

export async function getEvents(id: string): Promise<readonly WireEvent[]> {
  const body = await ask<readonly WireEvent[] | { events: readonly WireEvent[] }>(
    'GET',
    `${approval(id)}/events`,
  )
  return 'events' in body ? body.events : body
}

export const decide = (id: string, body: DecisionBody) =>
  ask<unknown>('POST', `${approval(id)}/decisions`, body)
export const getPasskeys = () => ask<PasskeyList>('GET', '/v1/passkeys')
export const passkeyOptions = () => ask<PasskeyOptions>('POST', '/v1/passkey-options', {})
export const addPasskey = (body: PasskeyBody) => ask<unknown>('POST', '/v1/passkeys', body)
export const removePasskey = (id: string) =>
  ask<unknown>('DELETE', `/v1/passkeys/${encodeURIComponent(id)}`)
export const signingOptions = (id: string, wish: PasskeyWish) =>
  ask<PasskeyOptions>('POST', `${approval(id)}/passkey`, wish)

export const lift = (id: string) => ask<unknown>('POST', `${approval(id)}/lift`)
export const extend = (id: string, until: number) =>
  ask<unknown>('POST', `${approval(id)}/extend`, { until })
export const withdraw = (id: string) => ask<unknown>('POST', `${approval(id)}/withdraw`, {})
export const resolve = (id: string, outcome: 'succeeded' | 'failed', reason: string) =>
  ask<unknown>('POST', `${approval(id)}/resolve`, { outcome, reason })

export const reveal = (id: string, path: readonly string[], digest: string) =>
  ask<{ readonly value: Json }>('POST', `${approval(id)}/reveal`, { path, digest })

export const getGrants = (state: string) =>
  ask<GrantPage>('GET', `/v1/grants?${new URLSearchParams({ state, limit: '200' })}`)
export const revokeGrant = (id: string) =>
  ask<unknown>('DELETE', `/v1/grants/${encodeURIComponent(id)}`)
/** What would be written down. Makes nothing. */
export const proposeGrant = (id: string, wish: GrantWishBody) =>
  ask<GrantProposalAnswer>('POST', `${approval(id)}/grant-proposal`, wish)

export const getLocks = () => ask<LockList>('GET', '/v1/locks')
export const setLock = (body: LockBody) => ask<unknown>('POST', '/v1/locks', body)
export const liftLock = (id: string) =>
  ask<unknown>('DELETE', `/v1/locks/${encodeURIComponent(id)}`)

/** `held`: only tools that are held back. */
export const getServers = (held = false) =>
  ask<ServerList>('GET', `/v1/servers${held ? '?held=true' : ''}`)
/** Connects to all of them; takes as long as the slowest. */
export const lookAtServers = () => ask<ServerList>('POST', '/v1/servers/look')
export const acceptTool = (id: string, digest: string) =>
  ask<unknown>('POST', `/v1/mcp/tools/${encodeURIComponent(id)}/accept`, { digest })

export const getSwitches = () => ask<SwitchList>('GET', '/v1/switches')

const switchOf = ({ server, tool }: SwitchTarget) =>
  `/v1/servers/${encodeURIComponent(server)}${tool === undefined ? '' : `/tools/${encodeURIComponent(tool)}`}/switch`

export interface SwitchTarget {
  readonly server: string
  readonly tool?: string | undefined
}

/** `on` undefined: back to what the files say. `lowers`: the person was told, and wants it. */
export const setSwitch = (target: SwitchTarget, on: boolean | undefined, lowers: boolean) =>
  on === undefined
    ? ask<unknown>('DELETE', `${switchOf(target)}${lowers ? '?lowers=true' : ''}`)
    : ask<unknown>('PUT', switchOf(target), { on, ...(lowers ? { lowers } : {}) })

const member = (id: string) => `/v1/people/${encodeURIComponent(id)}`
export const getPeople = () => ask<PeopleList>('GET', '/v1/people')
export const addPerson = (body: { email: string; name?: string; roles: readonly WireRole[] }) =>
  ask<WireAccount>('POST', '/v1/people', body)
export const setRoles = (id: string, roles: readonly WireRole[]) =>
  ask<WireAccount>('POST', member(id), { roles })
export const removePerson = (id: string) => ask<RemovedPerson>('DELETE', member(id))
export const endSessions = (id: string) => ask<EndedSessions>('DELETE', `${member(id)}/sessions`)

const standIn = (id: string) => `/v1/people/stand-ins/${encodeURIComponent(id)}`
export const getStandIns = () => ask<StandInList>('GET', '/v1/people/stand-ins')
export const setStandIn = (body: StandInBody) => ask<unknown>('POST', '/v1/people/stand-ins', body)
export const endStandIn = (id: string) => ask<unknown>('DELETE', standIn(id))
export const takeBackStandIn = (id: string) => ask<unknown>('POST', `${standIn(id)}/take-back`)

export const getTokens = () => ask<TokenList>('GET', '/v1/tokens')
export const makeToken = (body: NewTokenBody) => ask<MadeToken>('POST', '/v1/tokens', body)
export const revokeToken = (prefix: string) =>
  ask<unknown>('DELETE', `/v1/tokens/${encodeURIComponent(prefix)}`)

export function getAudit(request: Readonly<Record<string, string>>): Promise<AuditPage> {
  const query = new URLSearchParams({ order: 'newest', limit: '100' })
  for (const [name, value] of Object.entries(request)) if (value !== '') query.set(name, value)
  return ask<AuditPage>('GET', `/v1/audit?${query}`)
}
export const getChain = () => ask<ChainState>('GET', '/v1/audit/chain')
export const checkChain = () => ask<ChainState>('POST', '/v1/audit/chain')

/** As a file. By hand, because a link would not carry the key of this page. */
export async function exportAudit(): Promise<void> {
  const headers = { 'x-countersign-csrf': localStorage.getItem(KEY) ?? '' }
  const response = await fetch('/v1/audit/export', { headers, cache: 'no-store' }).catch(() => {
    noteSilence()
    throw new Unanswered('The server did not answer.')
  })
  if (!response.ok) {
    const refusal = refusalOf(readJson(await response.text()), response.status)
    throw new Refused(response.status, refusal)
  }
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = 'audit.jsonl'
  link.click()
  URL.revokeObjectURL(url)
}

export const getDraft = () => ask<PolicyDraft>('GET', '/v1/policy/draft')
/** Exactly what was looked at: another draft by now is refused. */
export const applyPolicy = (name: string) => ask<unknown>('POST', '/v1/policy/apply', { name })

export const getStatus = () => ask<PolicyStatus>('GET', '/status.json')
/** As it was typed: a key written twice or a number too large is the server's to refuse. */
export const explainCall = (json: string) => ask<ExplainedCall>('POST', '/v1/policy/explain', json)
export const startDemo = () => ask<unknown>('POST', '/v1/demo', {})

/** One sentence for a person, whatever went wrong. */
export function sentenceOf(error: unknown): string {
  if (error instanceof Refused) return [error.message, error.hint].filter(Boolean).join(' ')
  if (error instanceof Unanswered || error instanceof Told) return error.message
  return 'Something broke in this page. Reload it; nothing was decided.'
}
