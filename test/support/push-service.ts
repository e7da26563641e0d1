/// <reference path="./http-ece.d.ts" />
import { createECDH, randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decrypt } from 'http_ece'
import { importJWK, jwtVerify } from 'jose'
import { onTestFinished } from 'vitest'

export interface Pushed {
  readonly headers: IncomingHttpHeaders
  /** What the browser reads. */
  readonly payload: PushedPayload
  /** As it came, before the browser opened it. */
  readonly body: Buffer
}

export interface PushedPayload {
  readonly web_push: number
  readonly closed?: boolean
  readonly notification: Readonly<Record<string, unknown>> & {
    readonly title: string
    readonly body: string
    readonly navigate: string
    readonly tag: string
  }
}

export interface FakeBrowser {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  readonly got: Pushed[]
  /** What stands on its screen: titles by tag. */
  readonly shown: Map<string, string>
}

/**
 * A push service that checks what it is sent, as those of browsers do, and browsers behind it that
 * open it with an independent library. `answer` makes it slow, busy or gone.
 */
export async function pushService() {
  const browsers = new Map<string, { browser: FakeBrowser; read: (body: Buffer) => string }>()
  const service = {
    asked: 0,
    refused: [] as string[],
    /** True: the answer was given, and the message is not delivered. */
    answer: (_: ServerResponse, __: string): boolean | Promise<boolean> => false,
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', async () => {
      service.asked += 1
      const place = request.url ?? ''
      if (await service.answer(response, place)) return
      const known = browsers.get(place)
      const problem = known ? await problemOf(request.headers, origin) : 'no such device'
      if (!known || problem !== undefined) {
        service.refused.push(problem ?? '')
        response.writeHead(known ? 403 : 404).end()
        return
      }
      const body = Buffer.concat(chunks)
      const payload = JSON.parse(known.read(body)) as PushedPayload
      known.browser.got.push({ headers: request.headers, payload, body })
      const { tag, title } = payload.notification
      if (payload.closed) known.browser.shown.delete(tag)
      else known.browser.shown.set(tag, title)
      response.writeHead(201).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const origin = `http://127.0.0.1:${port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })

  function browser(): FakeBrowser {
    const pair = createECDH('prime256v1')
    const p256dh = pair.generateKeys('base64url')
    const auth = randomBytes(16).toString('base64url')
    const place = `/device/${randomBytes(8).toString('hex')}`
    const made = { endpoint: `${origin}${place}`, p256dh, auth, got: [], shown: new Map() }
    const options = { version: 'aes128gcm', privateKey: pair, authSecret: auth } as const
    browsers.set(place, { browser: made, read: (body) => decrypt(body, options).toString() })
    return made
  }

  return {
    service,
    browser,
    allowHosts: [`127.0.0.1:${port}`],
    forget: ({ endpoint }: FakeBrowser) => browsers.delete(new URL(endpoint).pathname),
  }
}

/** RFC 8030 and 8292, as a push service reads them. */
async function problemOf(headers: IncomingHttpHeaders, origin: string) {
  const [, token = '', key = ''] =
    /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? []
  const point = Buffer.from(key, 'base64url')
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url')
  try {
    const jwk = { kty: 'EC', crv: 'P-256', x: part(1), y: part(33) }
    await jwtVerify(token, await importJWK(jwk, 'ES256'), { audience: origin })
  } catch (error) {
    return `token: ${String(error)}`
  }
  if (headers['content-encoding'] !== 'aes128gcm') return 'encoding'
  if (!/^\d{1,7}$/.test(String(headers.ttl))) return 'ttl'
  if (!/^[\w-]{1,32}$/.test(String(headers.topic))) return 'topic'
  if (!['very-low', 'low', 'normal', 'high'].includes(String(headers.urgency))) return 'urgency'
  return undefined
}
