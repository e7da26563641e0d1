import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { Readable } from 'node:stream'
import { type Destination, destinationsOf, type Resolve } from '../base/net/egress.ts'
import { ModelUnreachable } from './model-connection.ts'

const resolveAll: Resolve = (host) => lookup(host, { all: true })

/**
 * For addresses that were entered in the inbox: the name is resolved once, and only what was checked is
 * connected to. Redirects are answers like any other, so none is followed.
 */
export function checkedFetch(allowHosts: readonly string[]): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const found = await destinationsOf(url, allowHosts, resolveAll)
    if (!found.ok)
      throw new ModelUnreachable(`The model's server is not reached: ${found.problem}.`)
    const body = request.body === null ? undefined : Buffer.from(await request.arrayBuffer())
    const response = await send(request, found.value[0], body)
    const headers = new Headers()
    for (const [name, value = ''] of Object.entries(response.headers)) {
      headers.set(name, Array.isArray(value) ? value.join(', ') : value)
    }
    const { statusCode: status = 502 } = response
    const isEmpty = [204, 205, 304].includes(status)
    const stream = isEmpty ? null : (Readable.toWeb(response) as ReadableStream<Uint8Array>)
    return new Response(stream as BodyInit | null, { status, headers })
  }
}

function send(
  { url, method, headers, signal }: Request,
  { address, family }: Destination,
  body: Buffer | undefined,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const ask = url.startsWith('https:') ? requestHttps : requestHttp
    const sent = {
      ...Object.fromEntries(headers),
      // What comes is read as it is.
      'accept-encoding': 'identity',
      ...(body ? { 'content-length': String(body.length) } : {}),
    }
    const request = ask(
      url,
      {
        method,
        agent: false,
        signal,
        headers: sent,
        lookup: (_host, options, done) => {
          if (options.all) done(null, [{ address, family }])
          else done(null, address, family)
        },
      },
      resolve,
    )
    request.on('error', (error) => reject(new TypeError('fetch failed', { cause: error })))
    request.end(body)
  })
}

/** Why this address is refused before it is kept; undefined where it may be reached. */
export async function refusedModelAddress(
  url: URL,
  allowHosts: readonly string[],
): Promise<string | undefined> {
  const found = await destinationsOf(url, allowHosts, resolveAll)
  return found.ok ? undefined : found.problem
}
