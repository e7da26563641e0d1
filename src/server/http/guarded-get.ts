import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Destination, destinationsOf } from '../../base/net/egress.ts'

export interface GetOptions {
  /** Hosts of the own network that may be reached. */
  readonly allowHosts: readonly string[]
  readonly accept: string
  /** Bytes. */
  readonly longest: number
  readonly timeoutMs: number
}

export interface Got {
  /** As the server says it. */
  readonly type: string
  readonly bytes: Uint8Array
}

/**
 * What is at an address that a person or a foreign party chose: within bounds of size and time, never
 * by a redirect, and never inside a private network. What it throws repeats no part of the address.
 */
export async function guardedGet(url: URL, options: GetOptions): Promise<Got> {
  const { allowHosts, accept, longest, timeoutMs } = options
  const signal = AbortSignal.timeout(timeoutMs)
  const found = await destinationsOf(url, allowHosts, (host) => lookup(host, { all: true }))
  if (!found.ok) throw new Error(found.problem.replace(url.hostname, 'its host'))
  const answer = await get(url, found.value[0], { accept, signal })
  const { statusCode = 0, headers } = answer
  if (statusCode !== 200) {
    answer.destroy()
    const more = statusCode >= 300 && statusCode < 400 ? ', and redirects are not followed' : ''
    throw new Error(`its server answered ${statusCode}${more}`)
  }
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > longest) break
      chunks.push(chunk)
    }
  } catch {
    throw new Error('the connection to its server broke')
  }
  if (length > longest) throw new Error(`it is larger than ${sizeOf(longest)}`)
  return { type: headers['content-type'] ?? '', bytes: Buffer.concat(chunks) }
}

function sizeOf(bytes: number): string {
  return bytes >= 1_000_000 ? `${bytes / 1_000_000} MB` : `${bytes / 1_000} kB`
}

/** Goes to the address that was checked. */
function get(
  url: URL,
  { address, family }: Destination,
  { accept, signal }: { readonly accept: string; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = send(
      url,
      {
        agent: false,
        signal,
        headers: { accept, 'accept-encoding': 'identity', 'user-agent': 'countersign' },
        lookup: (_host, options, done) => {
          if (options.all) done(null, [{ address, family }])
          else done(null, address, family)
        },
      },
      resolve,
    )
    sent.on('error', () => reject(new Error('its server did not answer')))
    sent.end()
  })
}
