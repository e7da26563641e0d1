import type { Context } from 'hono'
import { refuse } from './refusal.ts'

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}

/** Orchestrators probe containers by their address. The answers reveal nothing to other callers. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

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
      return refuse(c, 'wrong_host', 'this server answers to localhost only')
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
