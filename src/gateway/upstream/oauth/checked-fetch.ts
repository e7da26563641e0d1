import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Destination, destinationsOf, type Resolve } from '../../../base/net/egress.ts'
import { ALLOW_HINT } from '../upstream-spec.ts'

const LONGEST = 262_144
const TIMEOUT_MS = 10_000
const resolveAll: Resolve = (host) => lookup(host, { all: true })

export interface Sent {
  readonly method?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly body?: string | undefined
}

/**
 * A request to an address that a foreign server chose: within bounds of size and time, never inside a
 * private network that was not allowed, and never on by a redirect, which is an answer like any other.
 */
export async function checkedFetch(
  url: URL,
  { method = 'GET', headers = {}, body }: Sent,
  allowHosts: readonly string[],
): Promise<Response> {
  if (!/^https?:$/.test(url.protocol)) throw new Error('it names an address that is not of the web')
  const found = await destinationsOf(url, allowHosts, resolveAll)
  if (!found.ok) throw new Error(`${found.problem}. ${ALLOW_HINT}`)
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await send(url, found.value[0], { method, headers, body }, signal)
  const { statusCode: status = 502 } = response
  const text = [204, 205, 304].includes(status) ? null : await read(response, url)
  if (text === null) response.resume()
  const said = new Headers()
  for (const [name, value = ''] of Object.entries(response.headers)) {
    said.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return new Response(text, { status: Math.min(Math.max(status, 200), 599), headers: said })
}

function send(
  url: URL,
  { address, family }: Destination,
  { method, headers, body }: Required<Pick<Sent, 'method' | 'headers'>> & Pick<Sent, 'body'>,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const ask = url.protocol === 'https:' ? requestHttps : requestHttp
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const sent = ask(
      url,
      {
        ...{ method, agent: false, signal },
        headers: {
          'user-agent': 'countersign',
          ...headers,
          // What comes is read as it is.
          'accept-encoding': 'identity',
          ...length,
        },
        // The name was resolved once, and this is what was checked.
        lookup: (_host, options, done) => {
          if (options.all) done(null, [{ address, family }])
          else done(null, address, family)
        },
      },
      resolve,
    )
    sent.on('error', () => reject(new Error(`${url.host} did not answer`)))
    sent.end(body)
  })
}

async function read(response: IncomingMessage, { host }: URL): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > LONGEST) break
      chunks.push(chunk)
    }
  } catch {
    throw new Error(`the connection to ${host} broke`)
  }
  if (length > LONGEST) throw new Error(`${host} answered with more than ${LONGEST} bytes`)
  return Buffer.concat(chunks).toString('utf8')
}
