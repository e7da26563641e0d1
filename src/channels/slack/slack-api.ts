import { NotDelivered } from '../../gate/notify/channel.ts'

/** What Slack answered, when that is not `ok`. Its code is one of a documented list. */
export class SlackError extends Error {
  override readonly name = 'SlackError'
  readonly code: string

  constructor(method: string, code: string) {
    super(`Slack answered ${code} to ${method}`)
    this.code = code
  }
}

export interface SlackAnswer {
  readonly body: Readonly<Record<string, unknown>>
  /** What the token may do. */
  readonly scopes: readonly string[]
}

export type SlackCall = (
  method: string,
  fields: Readonly<Record<string, unknown>>,
  signal?: AbortSignal,
) => Promise<SlackAnswer>

const TIMEOUT = 10_000
const LONGEST_ANSWER = 4_000_000
const RETRY_AFTER_S = 30

/** Methods of Slack's web API. As form fields, which every one of them reads. */
export function createSlackCall(base: string, token: string): SlackCall {
  return async (method, fields, signal) => {
    const patience = AbortSignal.timeout(TIMEOUT)
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries(fields)) {
      if (value === undefined) continue
      form.set(name, typeof value === 'string' ? value : JSON.stringify(value))
    }
    const response = await fetch(`${base}/${method}`, {
      method: 'POST',
      redirect: 'error',
      headers: { authorization: `Bearer ${token}` },
      body: form,
      signal: signal ? AbortSignal.any([signal, patience]) : patience,
    }).catch((error: unknown) => {
      const isLate = patience.aborted || signal?.aborted
      const { code } = ((error as Error).cause ?? {}) as { code?: string }
      throw new NotDelivered(
        isLate ? 'Slack did not answer in time' : `Slack: ${code ?? 'no answer'}`,
      )
    })
    if (response.status === 429) {
      const seconds = Number(response.headers.get('retry-after') ?? RETRY_AFTER_S)
      const retryAfter = (Number.isFinite(seconds) ? seconds : RETRY_AFTER_S) * 1_000
      throw new NotDelivered('Slack wants fewer messages', { retryAfter })
    }
    const body = await readBody(response)
    if (body?.ok !== true) {
      const code = typeof body?.error === 'string' ? body.error.slice(0, 80) : `${response.status}`
      throw new SlackError(method, code)
    }
    const scopes = (response.headers.get('x-oauth-scopes') ?? '').split(/[\s,]+/).filter(Boolean)
    return { body, scopes }
  }
}

async function readBody(response: Response): Promise<SlackAnswer['body'] | undefined> {
  try {
    const text = await response.text()
    if (text.length > LONGEST_ANSWER) return undefined
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? (body as SlackAnswer['body']) : undefined
  } catch {
    return undefined
  }
}
