import type { Client } from '../api/client.ts'
import { type Away, connect } from '../api/client-error.ts'
import { CountersignError } from '../base/errors.ts'

/** How a gate reaches its server. */
export interface ConnectionOptions {
  /** As `countersign start` printed it: `http://127.0.0.1:4747`. */
  readonly url: string
  /** Made by `countersign token create`. */
  readonly token: string
  /** For tests and for runtimes with a fetch of their own. */
  readonly fetch?: typeof fetch
}

/** Throws `CountersignError`s: what the server refused, or `server_unreachable`. */
export type Connection = Pick<Client<'agent'>, 'call' | 'send'>

/** Until a server is taken for gone. */
const TIMEOUT_MS = 15_000

const AWAY: Away = {
  message: 'the Countersign server does not answer',
  hint: 'Run `countersign start`, or correct COUNTERSIGN_URL.',
  movedHint: 'Set COUNTERSIGN_URL to the address it is really at: a token is not sent on.',
}

export function connectAgent({ url, token, fetch }: ConnectionOptions): Connection {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new CountersignError('usage', 'the address of the server is not understood', {
      hint: 'Use what `countersign start` printed, such as http://127.0.0.1:4747',
    })
  }
  const headers = () => ({ authorization: `Bearer ${token}` })
  return connect<'agent'>({ url, headers, timeout: TIMEOUT_MS, ...(fetch ? { fetch } : {}) }, AWAY)
}
