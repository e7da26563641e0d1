import { NotDelivered } from '../../gate/notify/channel.ts'
import { parsedJson, textAt, valueAt } from '../chat/text-at.ts'

/** What Discord answered, when that is a refusal. Its code is one of a documented list; 0: none. */
export class DiscordError extends Error {
  override readonly name = 'DiscordError'
  readonly status: number
  readonly code: number

  constructor(route: string, status: number, code: number) {
    // Routes hold ids of accounts and channels, which operators may read. No token stands in them.
    super(`Discord answered ${status}${code === 0 ? '' : ` (${code})`} to ${route}`)
    this.status = status
    this.code = code
  }
}

export type DiscordRoute = `${'GET' | 'POST' | 'PATCH'} /${string}`

/** Resolves to what Discord answered. */
export type DiscordCall = (
  route: DiscordRoute,
  body?: object,
  options?: CallOptions,
) => Promise<unknown>

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Milliseconds; ten seconds unless set. */
  readonly timeout?: number
}

export const DISCORD_API = 'https://discord.com/api/v10'
const TIMEOUT = 10_000
const LONGEST_ANSWER = 8_000_000
const RETRY_AFTER_S = 30
/** Discord refuses clients that do not name themselves in this form. */
const USER_AGENT = 'DiscordBot (https://www.npmjs.com/package/countersign, 1)'

export function createDiscordCall(base: string, token: string): DiscordCall {
  return async (route, body, { signal, timeout = TIMEOUT } = {}) => {
    const [method = '', path = ''] = route.split(' ')
    const patience = AbortSignal.timeout(timeout)
    const response = await fetch(`${base}${path}`, {
      method,
      redirect: 'error',
      headers: {
        authorization: `Bot ${token}`,
        'user-agent': USER_AGENT,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    }).catch((error: unknown) => {
      const { code } = ((error as Error).cause ?? {}) as { code?: unknown }
      throw new NotDelivered(
        patience.aborted || signal?.aborted
          ? 'Discord did not answer in time'
          : `Discord: ${typeof code === 'string' ? code : 'no answer'}`,
      )
    })
    const text = await response.text().catch(() => '')
    const answer = text.length > LONGEST_ANSWER ? undefined : parsedJson(text)
    if (response.status === 429) throw limited(answer, response.headers)
    if (response.ok && answer !== undefined) return answer
    const code = valueAt(answer, 'code')
    throw new DiscordError(route, response.status, typeof code === 'number' ? code : 0)
  }
}

/** Seconds with a fraction in the body, whole seconds in the header. */
function limited(answer: unknown, headers: Headers): NotDelivered {
  const asked = valueAt(answer, 'retry_after') ?? Number(headers.get('retry-after') ?? Number.NaN)
  const isTime = typeof asked === 'number' && Number.isFinite(asked) && asked >= 0
  const retryAfter = Math.ceil((isTime ? asked : RETRY_AFTER_S) * 1_000)
  return new NotDelivered('Discord wants fewer messages', { retryAfter })
}

/** An id of Discord: digits in a text, because they do not fit into a number. Empty when there is none. */
export function idAt(value: unknown, ...keys: readonly string[]): string {
  const found = textAt(value, ...keys)
  return isId(found) ? found : ''
}

export function isId(text: string): boolean {
  return /^[1-9]\d{4,19}$/.test(text)
}
