import type { WireError } from '../api/approval.ts'
import { CountersignError, ERRORS, type ErrorCode } from '../base/errors.ts'

/** How a client reaches its server. */
export interface ConnectionOptions {
  /** As `countersign start` printed it: `http://127.0.0.1:4747`. */
  readonly url: string
  /** Made by `countersign token create`. */
  readonly token: string
  /** For tests and for runtimes with a fetch of their own. */
  readonly fetch?: typeof fetch
}

export interface Sending {
  readonly method?: 'GET' | 'POST'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Milliseconds until the server is taken for gone. */
  readonly patience?: number
}

export interface Connection {
  /** Throws what the server refused, or `server_unreachable`. */
  send(path: string, sending?: Sending): Promise<Received>
}

export interface Received {
  readonly status: number
  readonly etag: string | undefined
  readonly body: unknown
}

const PATIENCE = 15_000

export function connect(options: ConnectionOptions): Connection {
  const { url, token, fetch: send = fetch } = options
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CountersignError('usage', 'the address of the server is not understood', {
      hint: 'Use what `countersign start` printed, such as http://127.0.0.1:4747',
    })
  }
  return {
    async send(path, { method = 'GET', body, headers = {}, signal, patience = PATIENCE } = {}) {
      const lapse = AbortSignal.timeout(patience)
      const response = await reach(() =>
        send(new URL(path, url), {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          // A token must not travel to wherever an answer points. Workers know no `error` here.
          redirect: 'manual',
          signal: signal ? AbortSignal.any([signal, lapse]) : lapse,
        }),
      )
      const etag = response.headers.get('etag') ?? undefined
      if (response.status === 304) return { status: 304, etag, body: undefined }
      if (isElsewhere(response)) throw movedAway()
      const read: unknown = await reach(() => response.json())
      if (!response.ok) throw refusalOf(response, read)
      return { status: response.status, etag, body: read }
    },
  }
}

async function reach<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    throw new CountersignError('server_unreachable', 'the Countersign server does not answer', {
      hint: 'Run `countersign start`, or correct COUNTERSIGN_URL.',
      cause,
    })
  }
}

/** Browsers hide where an answer points; all other runtimes show it. */
function isElsewhere({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400)
}

function movedAway(): CountersignError {
  return new CountersignError('server_unreachable', 'the server points somewhere else', {
    hint: 'Set COUNTERSIGN_URL to the address it is really at: a token is not sent on.',
  })
}

function refusalOf({ status, headers }: Response, body: unknown): CountersignError {
  const { error } = (body ?? {}) as {
    readonly error?: Partial<WireError['error']>
  }
  const { code = '', message = `the server answered ${status}`, hint, sentence } = error ?? {}
  const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'server_unreachable'
  const seconds = headers.get('retry-after') ?? ''
  const details = {
    ...(/^\d{1,5}$/.test(seconds) ? { retryAfter: Number(seconds) } : {}),
    ...(sentence === true ? { isSentence: true } : {}),
  }
  return new CountersignError(known, message, { details, ...(hint === undefined ? {} : { hint }) })
}
