import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'
import { refuse } from './refusal.ts'

/**
 * Where a request comes from, as the program that mounts this server knows it. Undefined: look at
 * the socket.
 */
export type ClientAddress = (request: Request, env: unknown) => string | undefined

/** What the server knows of where requests come from. */
interface Origins {
  readonly publicUrl: URL | undefined
  readonly clientAddress: ClientAddress | undefined
}

/**
 * Where a request comes from. A proxy on this machine says so in X-Forwarded-For, where its own
 * entry is the last one; from anywhere else that header is untrusted input.
 */
export function addressOf(c: Context, { publicUrl, clientAddress }: Origins): string {
  const told = clientAddress?.(c.req.raw, c.env)
  if (told !== undefined) return told
  const peer = peerOf(c)
  if (publicUrl === undefined || !isThisMachine(peer)) return peer ?? 'unknown'
  const last = c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim()
  return last || (peer ?? 'unknown')
}

/** Whether the connection itself comes from this machine. Without one, as in tests, it does. */
export function isFromHere(c: Context, { clientAddress }: Origins): boolean {
  return isThisMachine(clientAddress?.(c.req.raw, c.env) ?? peerOf(c))
}

function peerOf(c: Context): string | undefined {
  const { incoming } = (c.env ?? {}) as { readonly incoming?: IncomingMessage }
  return incoming?.socket.remoteAddress
}

function isThisMachine(peer: string | undefined): boolean {
  return peer === undefined || peer === '::1' || /^(?:::ffff:)?127\./.test(peer)
}

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}

/**
 * Orchestrators probe containers by their address. The answers reveal nothing to other callers, and
 * /metrics looks at the name itself unless a token is sent.
 */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

/**
 * A foreign web page can point its own name at 127.0.0.1, or post here directly. The first shows in
 * Host, the second in Origin. `publicUrl` is what people type where a proxy stands in front. Gives
 * the refusal, where there is one.
 */
export function ownPagesOnly(publicUrl: URL | undefined): (c: Context) => Response | undefined {
  const publicHost = publicUrl?.host.toLowerCase()
  return (c) => {
    const host = (c.req.header('host') ?? '').toLowerCase()
    if (!LOOPBACK.test(host) && host !== publicHost && !PROBES.has(c.req.path)) {
      const names = publicHost === undefined ? 'localhost' : `localhost and ${publicHost}`
      return refuse(c, 'wrong_host', `this server answers to ${names} only`)
    }
    const origin = c.req.header('origin')?.toLowerCase()
    const isOwn =
      origin === undefined ||
      origin === publicUrl?.origin ||
      (LOOPBACK.test(host) && origin === `http://${host}`)
    // Following a link to the start page is fine; reading or posting from another page is not.
    const site = c.req.header('sec-fetch-site')
    const crossSite = site === 'cross-site' && c.req.header('sec-fetch-mode') !== 'navigate'
    if (!isOwn || crossSite) {
      return refuse(c, 'wrong_origin', 'this request comes from another web page')
    }
    return undefined
  }
}
