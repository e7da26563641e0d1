import type { MiddlewareHandler } from 'hono'
import { answerHeaders, defaultHeader } from './answer-header.ts'
import { refuse } from './refusal.ts'

const LOOPBACK = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/i

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}

/** Orchestrators probe containers by their address. The answers reveal nothing to other callers. */
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz'])

/**
 * A foreign web page can point its own name at 127.0.0.1, or post here directly. The first shows in
 * Host, the second in Origin. `publicUrl` is what people type where a proxy stands in front.
 */
export function onlyOwnPages(publicUrl: URL | undefined): MiddlewareHandler {
  const publicHost = publicUrl?.host.toLowerCase()
  return async (c, next) => {
    const host = (c.req.header('host') ?? '').toLowerCase()
    if (!LOOPBACK.test(host) && host !== publicHost && !PROBES.has(c.req.path)) {
      return refuse(c, 'wrong_host', 'this server answers to localhost only')
    }
    const origin = c.req.header('origin')?.toLowerCase()
    const own = [publicUrl?.origin, LOOPBACK.test(host) ? `http://${host}` : undefined]
    const foreign = origin !== undefined && !own.includes(origin)
    // Following a link to the start page is fine; reading or posting from another page is not.
    const site = c.req.header('sec-fetch-site')
    const crossSite = site === 'cross-site' && c.req.header('sec-fetch-mode') !== 'navigate'
    if (foreign || crossSite) {
      return refuse(c, 'wrong_origin', 'this request comes from another web page')
    }
    return next()
  }
}

const HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

const FIXED = Object.entries(HEADERS)

export const securityHeaders: MiddlewareHandler = async (c, next) => {
  await next()
  answerHeaders(c, FIXED)
  defaultHeader(c, 'cache-control', 'no-store')
}
