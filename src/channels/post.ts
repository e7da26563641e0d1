import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Destination, destinationsOf, type Resolve } from '../base/net/egress.ts'
import { NotDelivered } from '../gate/notify/channel.ts'

/** Where a channel may send to, and for how long it tries. */
export interface Reach {
  /**
   * Hosts inside your own network that may be reached, exactly as they stand in the address:
   * `hooks.internal`, or with a port, `127.0.0.1:9000`.
   */
  readonly allowHosts?: readonly string[] | undefined
  /** Milliseconds one attempt may take; ten seconds unless set. */
  readonly timeout?: number | undefined
  /** For networks with a resolver of their own. */
  readonly resolve?: Resolve | undefined
}

export interface Posting {
  readonly body: string | Uint8Array
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

const TIMEOUT = 10_000
const resolveAll: Resolve = (host) => lookup(host, { all: true })
/** An answer is only counted; more than this of it is not even read. */
const LONGEST_ANSWER = 16_384

/**
 * Sends once, to an address that was checked. Resolves when the other side has it. A status that
 * means that the receiver is gone is named by the channel: `410` unless set.
 */
export async function post(
  url: URL,
  { body, headers, signal }: Posting,
  { allowHosts = [], timeout = TIMEOUT, resolve = resolveAll }: Reach,
  gone: readonly number[] = [410],
): Promise<void> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(timeout)])
  const found = await destinationsOf(url, allowHosts, resolve)
  if (!found.ok) throw new NotDelivered(found.problem)
  if (patience.aborted) throw new NotDelivered('it took too long to find its address')
  judge(await request(url, found.value[0], { body, headers, signal: patience }), gone)
}

/** Redirects are not followed: where they lead was not checked. */
function request(
  url: URL,
  { address, family }: Destination,
  { body, headers, signal }: Posting,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = send(
      url,
      {
        method: 'POST',
        agent: false,
        signal,
        // The name was resolved once, and this is what was checked.
        lookup: (_host, options, done) => {
          if (options.all) done(null, [{ address, family }])
          else done(null, address, family)
        },
        headers: {
          ...headers,
          'content-length': Buffer.byteLength(body),
          'user-agent': 'countersign',
        },
      },
      (response) => {
        let read = 0
        response.on('data', (chunk: Buffer) => {
          read += chunk.length
          if (read > LONGEST_ANSWER) response.destroy()
        })
        response.on('error', () => {})
        resolve(response)
      },
    )
    sent.on('error', (error) => {
      const code = 'code' in error ? String(error.code) : error.name
      reject(new NotDelivered(signal.aborted ? 'it did not answer in time' : `it failed: ${code}`))
    })
    sent.end(body)
  })
}

function judge({ statusCode = 0, headers }: IncomingMessage, gone: readonly number[]): void {
  if (statusCode >= 200 && statusCode < 300) return
  if (gone.includes(statusCode)) {
    throw new NotDelivered(`it answered ${statusCode}: gone`, { gone: true })
  }
  const retryAfter = millisecondsUntil(headers['retry-after'])
  const more = statusCode >= 300 && statusCode < 400 ? ', and redirects are not followed' : ''
  throw new NotDelivered(
    `it answered ${statusCode}${more}`,
    retryAfter === undefined ? {} : { retryAfter },
  )
}

/** Seconds, or a date. */
function millisecondsUntil(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1_000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}
