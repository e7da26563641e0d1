import type { Client } from '../api/client.ts'
import { type Away, connect } from '../api/client-error.ts'
import { CountersignError, isCountersignError } from '../base/errors.ts'
import { milliseconds } from '../gate/options.ts'
import { repeated } from './away.ts'

/** How a gate reaches its server. */
export interface ConnectionOptions {
  /** As `countersign start` printed it: `http://127.0.0.1:4747`. */
  readonly url: string
  /** Made by `countersign token create`. */
  readonly token: string
  /** For tests and for runtimes with a fetch of their own. */
  readonly fetch?: typeof fetch
  /**
   * How long questions about calls are sent again while no server takes them: `'10s'` unless set,
   * or milliseconds. A call is asked about once, however often that is sent.
   */
  readonly retryFor?: string | number
}

/** Throws `CountersignError`s: what the server refused, or `server_unreachable`. */
export interface Connection extends Pick<Client<'agent'>, 'call' | 'send'> {
  /** Sends again what a server that is being replaced did not answer: only what may arrive twice. */
  readonly repeat: <T>(send: () => Promise<T>, signal?: AbortSignal) => Promise<T>
  /** Milliseconds. */
  readonly retryFor: number
}

/** Until a server is taken for gone. */
const TIMEOUT_MS = 15_000
/** Longer than a server needs to stop and another one to take over. */
const RETRY_MS = 10_000

const AWAY: Away = {
  message: 'the Countersign server does not answer',
  hint: 'Run `countersign start`, or correct COUNTERSIGN_URL.',
  movedHint: 'Set COUNTERSIGN_URL to the address it is really at: a token is not sent on.',
}

export function connectAgent({ url, token, fetch, retryFor }: ConnectionOptions): Connection {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CountersignError('usage', 'the address of the server is not understood', {
      hint: 'Use what `countersign start` printed, such as http://127.0.0.1:4747',
    })
  }
  const headers = () => ({ authorization: `Bearer ${token}` })
  const options = { url, headers, timeout: TIMEOUT_MS, ...(fetch ? { fetch } : {}) }
  const { call, send } = connect<'agent'>(options, AWAY)
  const within = milliseconds(retryFor, 'retryFor') ?? RETRY_MS
  let isKnown = false
  async function noting<T>(work: Promise<T>): Promise<T> {
    try {
      const answer = await work
      isKnown = true
      return answer
    } catch (error) {
      isKnown ||= isCountersignError(error) && error.code !== 'server_unreachable'
      throw error
    }
  }
  return {
    call: (...sent) => noting(call(...sent)),
    send: (...sent) => noting(send(...sent)),
    retryFor: within,
    repeat: (work, signal) => repeated(work, { within, hasAnswered: () => isKnown, signal }),
  }
}
