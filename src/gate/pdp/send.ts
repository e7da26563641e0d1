import { destinationsOf, refusedAddress } from '../../base/net/egress.ts'
import { type NodeResponse, nodeModule, variable } from './node-modules.ts'

export interface Sending {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

export interface Received {
  readonly status: number
  readonly type: string
  /** As they came: they may be no text. */
  readonly bytes: Uint8Array
}

/** An answer is a word and its reason. More than this is none. */
const LONGEST_ANSWER = 65_536

const TOO_LONG = 'it answered with more than 64 kB'

/**
 * Sends once. In Node the name is resolved once, and only an address that was checked is connected to.
 * Redirects are answers like any other, so none is followed. Rejects with an error whose message
 * says what went wrong and repeats nothing of the answer.
 */
export async function send(url: URL, sending: Sending): Promise<Received> {
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  const allowed = (variable('COUNTERSIGN_PDP_ALLOW') ?? '').split(/\s+/).filter(Boolean)
  const allowHosts = isLocal ? [url.host, ...allowed] : allowed
  const dns = isWorker() ? undefined : nodeModule('node:dns/promises')
  if (!dns) return sendByFetch(url, sending, allowHosts)
  const found = await destinationsOf(url, allowHosts, (host) => dns.lookup(host, { all: true }))
  if (!found.ok) throw new Error(nameless(found.problem, url))
  const [{ address, family }] = found.value
  return sendByNode(url, sending, { address, family })
}

/** Workers have modules of Node by name, and neither its resolver nor its sockets. */
function isWorker(): boolean {
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } }
  return navigator?.userAgent === 'Cloudflare-Workers'
}

/** What went wrong is told to agents, and its address is not theirs to know. */
function nameless(problem: string, { hostname }: URL): string {
  return problem.replaceAll(hostname, 'it')
}

function sendByNode(
  url: URL,
  { body, headers, signal }: Sending,
  { address, family }: { readonly address: string; readonly family: number },
): Promise<Received> {
  const http = nodeModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  return new Promise((resolve, reject) => {
    if (!http) throw new Error('this runtime cannot reach it')
    const length = String(new TextEncoder().encode(body).length)
    const request = http.request(
      url,
      {
        method: 'POST',
        agent: false,
        signal,
        headers: { ...headers, 'accept-encoding': 'identity', 'content-length': length },
        lookup: (_host, { all }, done) => {
          if (all) done(null, [{ address, family }])
          else done(null, address, family)
        },
      },
      (response) => void readAll(response).then(resolve, reject),
    )
    request.on('error', () => reject(new Error('the connection failed')))
    request.end(body)
  })
}

function readAll(response: NodeResponse): Promise<Received> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    response.on('data', (chunk) => {
      length += chunk.length
      if (length <= LONGEST_ANSWER) chunks.push(chunk)
      else {
        response.destroy()
        reject(new Error(TOO_LONG))
      }
    })
    response.on('error', () => reject(new Error('the connection broke')))
    // After the end this changes nothing; before it, the answer is not whole.
    response.on('close', () => reject(new Error('the connection broke')))
    response.on('end', () => {
      const { statusCode = 0, headers } = response
      const type = String(headers['content-type'] ?? '')
      resolve({ status: statusCode, type, bytes: joined(chunks, length) })
    })
  })
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

async function sendByFetch(
  url: URL,
  { body, headers, signal }: Sending,
  allowHosts: readonly string[],
): Promise<Received> {
  const refused = refusedAddress(url, allowHosts)
  if (refused !== undefined) throw new Error(nameless(refused, url))
  const response = await fetch(url, { method: 'POST', redirect: 'manual', body, headers, signal })
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    if (length > LONGEST_ANSWER) throw new Error(TOO_LONG)
    chunks.push(chunk)
  }
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, bytes: joined(chunks, length) }
}
