import { NotDelivered } from '../../gate/notify/channel.ts'
import { parsedJson, textAt, valueAt } from '../chat/text-at.ts'

/** What Telegram answered, when that is not `ok`. */
export class TelegramError extends Error {
  override readonly name = 'TelegramError'
  readonly code: number
  /** In Telegram's words, which say what the code does not. */
  readonly description: string

  constructor(method: string, code: number, description: string) {
    super(`Telegram answered ${code} to ${method}`)
    this.code = code
    this.description = description
  }
}

/** Resolves to the `result` of the method. */
export type TelegramCall = (
  method: string,
  fields: Readonly<Record<string, unknown>>,
  options?: CallOptions,
) => Promise<unknown>

export interface CallOptions {
  readonly signal?: AbortSignal
  /** Milliseconds; ten seconds unless set. */
  readonly timeout?: number
}

const TIMEOUT = 10_000
const LONGEST_ANSWER = 8_000_000
const RETRY_AFTER_S = 30

/** Methods of the Bot API. The token stands in the address, so no error repeats that. */
export function createTelegramCall(base: string, token: string): TelegramCall {
  return async (method, fields, { signal, timeout = TIMEOUT } = {}) => {
    const patience = AbortSignal.timeout(timeout)
    const response = await fetch(`${base}/bot${token}/${method}`, {
      method: 'POST',
      redirect: 'error',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    }).catch((error: unknown) => {
      const { code } = ((error as Error).cause ?? {}) as { code?: unknown }
      throw new NotDelivered(
        patience.aborted || signal?.aborted
          ? 'Telegram did not answer in time'
          : `Telegram: ${typeof code === 'string' ? code : 'no answer'}`,
      )
    })
    const text = await response.text().catch(() => '')
    const body = text.length > LONGEST_ANSWER ? undefined : parsedJson(text)
    if (valueAt(body, 'ok') === true) return valueAt(body, 'result')
    if (response.status === 429) throw limited(body)
    throw new TelegramError(method, response.status, textAt(body, 'description').slice(0, 200))
  }
}

function limited(body: unknown): NotDelivered {
  const asked = valueAt(body, 'parameters', 'retry_after')
  const seconds = typeof asked === 'number' && asked > 0 ? asked : RETRY_AFTER_S
  return new NotDelivered('Telegram wants fewer messages', { retryAfter: seconds * 1_000 })
}
