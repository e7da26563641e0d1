import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Destination, destinationsOf, type Resolve } from '../../base/net/egress.ts'
import { assertMayReach, assertMaySend, type Capabilities } from './capabilities.ts'
import { type Secret, withSecrets } from './secrets.ts'

export interface FetchOptions {
  readonly capabilities: Capabilities
  readonly secrets: readonly Secret[]
  /** Stands in the marks of secrets; known to one run. */
  readonly word: string
  /** Hosts of the operator's own network that tools may reach. */
  readonly allowHosts: readonly string[]
  readonly resolve?: Resolve
}

export interface Fetched {
  readonly status: number
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const TIMEOUT_MS = 8_000
const LONGEST_ANSWER = 1_048_576
const LONGEST_BODY = 262_144
const MOST_REDIRECTS = 3
const REDIRECTS = [301, 302, 303, 307, 308]
const METHOD = /^[A-Z]{1,16}$/
const resolveAll: Resolve = (host) => lookup(host, { all: true })

/** A request of a tool. Every hop is checked as the first one is. */
export async function guardedFetch(
  asked: unknown,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<Fetched> {
  const wanted = readRequest(asked)
  const patience = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
  let { method, body } = wanted
  let url = readUrl(wanted.url)
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const response = await once(url, { method, headers: wanted.headers, body }, options, patience)
    const { location } = response.headers
    const { statusCode = 0 } = response
    if (!REDIRECTS.includes(statusCode) || location === undefined) {
      return {
        status: statusCode,
        url: url.href,
        headers: flat(response),
        text: await read(response),
      }
    }
    response.destroy()
    url = readUrl(URL.canParse(location, url) ? new URL(location, url).href : location)
    if (statusCode === 303 || (statusCode <= 302 && method === 'POST')) {
      method = 'GET'
      body = undefined
    }
  }
  throw new Error(`more than ${MOST_REDIRECTS} redirects`)
}

interface Wanted {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

async function once(
  url: URL,
  { method, headers, body }: Wanted,
  { capabilities, secrets, word, allowHosts, resolve = resolveAll }: FetchOptions,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  assertMayReach(capabilities, url)
  assertMaySend(capabilities, method)
  const found = await destinationsOf(url, allowHosts, resolve)
  if (!found.ok) throw new Error(found.problem)
  // After the host was checked, and for this hop alone.
  const fill = (text: string) => withSecrets(text, { secrets, word }, url)
  const filled = new URL(url)
  filled.search = fill(decodedMarks(url.search))
  const sent = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, fill(text)]))
  return send(filled, found.value[0], { method, headers: sent, body: body && fill(body) }, signal)
}

/** Braces are written as percent codes in an address. */
function decodedMarks(search: string): string {
  return search.replaceAll(
    /%7B%7Bsecret(?::|%3A)([A-Za-z0-9_]+)(?::|%3A)([0-9a-f]+)%7D%7D/gi,
    '{{secret:$1:$2}}',
  )
}

function send(
  url: URL,
  { address, family }: Destination,
  { method, headers, body }: Wanted,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const ask = url.protocol === 'https:' ? requestHttps : requestHttp
    const request = ask(
      url,
      {
        method,
        agent: false,
        signal,
        // The name was resolved once, and this is what was checked.
        lookup: (_host, options, done) => {
          if (options.all) done(null, [{ address, family }])
          else done(null, address, family)
        },
        headers: {
          'user-agent': 'countersign-studio',
          ...headers,
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
        },
      },
      resolve,
    )
    request.on('error', (error) => {
      const code = 'code' in error ? String(error.code) : error.name
      reject(
        new Error(signal.aborted ? `${url.host} did not answer in time` : `${url.host}: ${code}`),
      )
    })
    request.end(body)
  })
}

async function read(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > LONGEST_ANSWER) {
      response.destroy()
      throw new Error(`the answer is larger than ${LONGEST_ANSWER} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function flat({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  )
}

// Decided by the request itself: a tool that sets them could speak for another host or connection.
const OURS =
  /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|proxy-.*|expect)$/i

function readRequest(asked: unknown) {
  const { url, method = 'GET', headers = {}, body } = (asked ?? {}) as Record<string, unknown>
  if (typeof url !== 'string') throw new Error('fetch needs an address')
  const verb = String(method).toUpperCase()
  if (!METHOD.test(verb) || verb === 'CONNECT' || verb === 'TRACE')
    throw new Error('no such method')
  if (typeof headers !== 'object' || headers === null) throw new Error('headers is not an object')
  const named = Object.entries(headers).map(([name, value]) => {
    if (OURS.test(name)) throw new Error(`a tool cannot set the header ${name}`)
    return [name, String(value)] as const
  })
  const text = body === undefined || body === null ? undefined : String(body)
  if (text !== undefined && Buffer.byteLength(text) > LONGEST_BODY) {
    throw new Error(`a body has at most ${LONGEST_BODY} bytes`)
  }
  return { url, method: verb, headers: Object.fromEntries(named), body: text }
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isHttp = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url && isHttp && url.username === '' && url.password === '') return url
  throw new Error('fetch takes https:// addresses without a name or password in them')
}
