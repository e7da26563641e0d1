import { NotDelivered } from '../../gate/notify/channel.ts'
import { parsedJson, textAt, valueAt } from '../chat/text-at.ts'

/** What Microsoft answered, when that is a refusal. */
export class TeamsError extends Error {
  override readonly name = 'TeamsError'
  readonly status: number
  readonly code: string

  constructor(what: string, status: number, code: string) {
    super(`Teams answered ${status}${code === '' ? '' : ` (${code})`} to ${what}`)
    this.status = status
    this.code = code
  }
}

export interface TeamsRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** Where the connector is answered. */
  readonly serviceUrl: string
  readonly path: string
  readonly body?: object
  readonly signal?: AbortSignal
  readonly timeout?: number
}

export type TeamsConnector = (request: TeamsRequest) => Promise<unknown>

export interface ConnectorOptions {
  readonly appId: string
  readonly appPassword: string
  readonly tenant: string
  readonly loginUrl: string
}

export const TEAMS_LOGIN = 'https://login.microsoftonline.com'
const SCOPE = 'https://api.botframework.com/.default'
const TIMEOUT = 10_000
const LONGEST_ANSWER = 1_000_000
const RETRY_AFTER_S = 30
/** A token is renewed so long before it ends. */
const EARLY_MS = 300_000

export function createConnector(options: ConnectorOptions): TeamsConnector {
  const token = createToken(options)
  return async ({ method, serviceUrl, path, body, signal, timeout = TIMEOUT }) => {
    const bearer = await token(timeout)
    return request(`${serviceUrl.replace(/\/$/, '')}/${path}`, what(method, path), {
      ...{ method, signal, timeout, headers: { authorization: `Bearer ${bearer}` } },
      ...(body === undefined ? {} : { body: JSON.stringify(body), type: 'application/json' }),
    })
  }
}

/** The bot's own credential at Microsoft. Asked for when it is needed, and again while it fails. */
export function createToken({ appId, appPassword, tenant, loginUrl }: ConnectorOptions) {
  let known: { readonly token: string; readonly until: number } | undefined
  return async (timeout = TIMEOUT): Promise<string> => {
    if (known && performance.now() < known.until) return known.token
    const answer = await request(`${loginUrl}/${tenant}/oauth2/v2.0/token`, 'the sign-in', {
      ...{ method: 'POST', timeout, type: 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        ...{ grant_type: 'client_credentials', scope: SCOPE },
        ...{ client_id: appId, client_secret: appPassword },
      }).toString(),
    })
    const [token, seconds] = [textAt(answer, 'access_token'), valueAt(answer, 'expires_in')]
    if (token === '') throw new NotDelivered('Microsoft gave no token')
    const lasts = typeof seconds === 'number' ? seconds * 1_000 - EARLY_MS : 0
    known = { token, until: performance.now() + lasts }
    return token
  }
}

interface Sending {
  readonly method: string
  readonly headers?: Readonly<Record<string, string>>
  readonly type?: string
  readonly body?: string
  readonly signal?: AbortSignal | undefined
  readonly timeout: number
}

async function request(
  url: string,
  name: string,
  { method, headers = {}, type, body, signal, timeout }: Sending,
): Promise<unknown> {
  const patience = AbortSignal.timeout(timeout)
  const response = await fetch(url, {
    ...{ method, redirect: 'error' },
    headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
    ...(body === undefined ? {} : { body }),
    signal: signal ? AbortSignal.any([signal, patience]) : patience,
  }).catch((error: unknown) => {
    const { code } = ((error as Error).cause ?? {}) as { code?: unknown }
    throw new NotDelivered(
      patience.aborted || signal?.aborted
        ? 'Teams did not answer in time'
        : `Teams: ${typeof code === 'string' ? code : 'no answer'}`,
    )
  })
  const text = await response.text().catch(() => '')
  if (response.status === 429) {
    const seconds = Number(response.headers.get('retry-after') ?? RETRY_AFTER_S)
    const retryAfter = (Number.isFinite(seconds) ? seconds : RETRY_AFTER_S) * 1_000
    throw new NotDelivered('Teams wants fewer messages', { retryAfter })
  }
  const answer = text.length > LONGEST_ANSWER ? undefined : parsedJson(text)
  // A change is answered with nothing.
  if (response.ok) return answer ?? {}
  const code = textAt(answer, 'error', 'code') || textAt(answer, 'error')
  throw new TeamsError(name, response.status, code.replaceAll(/[^\w.-]/g, '').slice(0, 60))
}

/** Without the ids of conversations, which are long and say nothing. */
function what(method: string, path: string): string {
  return `${method} ${path
    .split('/')
    .filter((_, at) => at % 2 === 1)
    .join('/')}`
}
