import { createHash } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { CountersignError } from '../base/errors.ts'
import { type Destination, destinationsOf, type Resolve } from '../base/net/egress.ts'
import { type Channel, NotDelivered, type Notice, type Share } from '../gate/notify/channel.ts'
import { readSecret, signedHeaders } from './signature.ts'

export interface WebhookOptions {
  readonly url: string
  /** `whsec_…`, one or several: each notice is signed with all of them. */
  readonly secrets: string | readonly string[]
  /** What operators see; made of the host unless set. */
  readonly name?: string
  /**
   * Hosts inside your own network that may be told, exactly as they stand in the address:
   * `hooks.internal`, or with a port, `127.0.0.1:9000`.
   */
  readonly allowHosts?: readonly string[]
  /** Milliseconds one attempt may take; ten seconds unless set. */
  readonly timeout?: number
  /** `message`: also what a `message_template` says. The name of the tool alone unless set. */
  readonly share?: Share
  /** For networks with a resolver of their own. */
  readonly resolve?: Resolve
}

const TIMEOUT = 10_000
const resolveAll: Resolve = (host) => lookup(host, { all: true })
/** An answer is only counted; more than this of it is not even read. */
const LONGEST_ANSWER = 16_384

/** Notices as signed HTTP requests, after Standard Webhooks. */
export function webhook(options: WebhookOptions): Channel {
  const { secrets, allowHosts = [], timeout = TIMEOUT, resolve = resolveAll } = options
  const url = readUrl(options.url)
  const keys = [secrets].flat().map(readSecret)
  if (keys.length === 0) throw new CountersignError('usage', 'a webhook needs a secret')
  return {
    name: options.name ?? nameOf(url),
    share: options.share ?? 'name',
    async send(notice, signal) {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(timeout)])
      const found = await destinationsOf(url, allowHosts, resolve)
      if (!found.ok) throw new NotDelivered(found.problem)
      if (patience.aborted) throw new NotDelivered('it took too long to find its address')
      const body = JSON.stringify(payloadOf(notice))
      const seconds = Math.floor(Date.now() / 1_000)
      const headers = signedHeaders(keys, { id: notice.id, seconds, body })
      judge(await post(url, found.value[0], { body, headers, signal: patience }))
    },
  }
}

/** `type` and `data` as Standard Webhooks suggests. Nothing in here can decide anything. */
export function payloadOf({ id, kind, at, ...data }: Notice) {
  return { type: `approval.${kind}`, timestamp: new Date(at).toISOString(), data: { id, ...data } }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url && isHttp && url.username === '' && url.password === '') return url
  throw new CountersignError('usage', 'the address of a webhook is not an https:// address', {
    hint: 'Use https://HOST/PATH, without a name or password in it.',
  })
}

/** Paths of webhooks are often secrets, so people see the host and a fingerprint. */
function nameOf(url: URL): string {
  const host = url.host.replace(/[^A-Za-z0-9._:-]/g, '').slice(0, 80)
  return `webhook:${host}:${createHash('sha256').update(url.href).digest('hex').slice(0, 8)}`
}

interface Posted {
  readonly body: string
  readonly headers: Record<string, string>
  readonly signal: AbortSignal
}

/** Redirects are not followed: where they lead was not checked. */
function post(
  url: URL,
  { address, family }: Destination,
  { body, headers, signal }: Posted,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = send(
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
          'content-type': 'application/json',
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
    request.on('error', (error) => {
      const code = 'code' in error ? String(error.code) : error.name
      reject(new NotDelivered(signal.aborted ? 'it did not answer in time' : `it failed: ${code}`))
    })
    request.end(body)
  })
}

function judge({ statusCode = 0, headers }: IncomingMessage): void {
  if (statusCode >= 200 && statusCode < 300) return
  if (statusCode === 410) throw new NotDelivered('it answered 410: gone', { gone: true })
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
