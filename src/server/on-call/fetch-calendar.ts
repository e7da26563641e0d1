import { lookup } from 'node:dns/promises'
import { readFile, stat } from 'node:fs/promises'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { type Destination, destinationsOf } from '../../base/net/egress.ts'

const LONGEST = 5_000_000
const TIMEOUT_MS = 10_000

/** The text of a calendar. What it throws says why, and repeats no part of the address. */
export async function fetchCalendar(
  place: string,
  { allowHosts }: { readonly allowHosts: readonly string[] },
): Promise<string> {
  return /^https?:\/\//i.test(place) ? fetched(new URL(place), allowHosts) : ofFile(place)
}

async function ofFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined)
  // A pipe or a device could keep this waiting for ever.
  if (!found?.isFile()) throw new Error('its file is not there')
  if (found.size > LONGEST) throw new Error('its file is larger than 5 MB')
  return readFile(path, 'utf8').catch(() => {
    throw new Error('its file cannot be read')
  })
}

async function fetched(url: URL, allowHosts: readonly string[]): Promise<string> {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const found = await destinationsOf(url, allowHosts, (host) => lookup(host, { all: true }))
  if (!found.ok) throw new Error(found.problem.replace(url.hostname, 'its host'))
  const answer = await get(url, found.value[0], signal)
  const { statusCode = 0 } = answer
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
      if (length > LONGEST) break
      chunks.push(chunk)
    }
  } catch {
    throw new Error('the connection to its server broke')
  }
  if (length > LONGEST) throw new Error('it is larger than 5 MB')
  return Buffer.concat(chunks).toString('utf8')
}

/** Goes to the address that was checked. */
function get(
  url: URL,
  { address, family }: Destination,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const sent = send(
      url,
      {
        agent: false,
        signal,
        headers: {
          accept: 'text/calendar',
          'accept-encoding': 'identity',
          'user-agent': 'countersign',
        },
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
