import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'
import { isWritten, type Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { ownPagesOnly } from './origin.ts'
import { refuseError } from './refusal.ts'

export interface EveryRequest {
  readonly publicUrl: URL | undefined
  readonly metrics: Metrics
  readonly log: Log
}

export type Handler = (c: Context) => Response | Written | Promise<Response | Written>

/** A response that is JSON written already, with no header of its own: the cheapest there is. */
export class Written {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Puts a handler behind what holds for every request. `route`: its pattern. */
export type Around = (route: string, handle: Handler) => (c: Context) => Promise<Response>

/**
 * One function instead of a chain of middleware, because a chain costs a call more than judging it
 * does. Every address goes through here, those where there is nothing too.
 *
 * Requests are counted and logged by pattern and not by address: what people ask for must become
 * neither the name of a counter nor a line of the log.
 */
export function everyRequest({ publicUrl, metrics, log }: EveryRequest): Around {
  const foreign = ownPagesOnly(publicUrl)
  const isLogged = isWritten(log, 'info')
  return (route, handle) => {
    const count = metrics.counter(route)
    return async (c) => {
      const started = performance.now()
      const request = requestId(c)
      let response: Response
      try {
        const answer = foreign(c) ?? (await handle(c))
        response =
          answer instanceof Written ? responseOf(answer, request) : withHeaders(answer, c, request)
      } catch (error) {
        response = withHeaders(refuseError(error, c, { log, request }), c, request)
      }
      const { method } = c.req
      const { status } = response
      // Only the headers are sent: a stream that no one reads would stay open.
      if (method === 'HEAD') await response.body?.cancel().catch(() => {})
      const took = performance.now() - started
      count(method, status, took)
      if (isLogged) {
        const ms = Math.round(took)
        log.write('info', 'request', { request, method, route, status, ms })
      }
      return response
    }
  }
}

const REQUEST_ID = 'x-request-id'
// Any text on one line: AuthZEN wants the id back as it came, and the log quotes it.
const ID = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/

/** The name of a request in the log: the proxy's where it gave one, else our own. */
function requestId(c: Context): string {
  const given = c.req.header(REQUEST_ID)
  return given !== undefined && ID.test(given) ? given : randomUUID()
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
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // Made once, when the page starts; it names the service worker and nothing else.
    'trusted-types countersign-worker',
  ].join('; '),
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}

const FIXED = Object.entries(HEADERS)
const CACHE = 'cache-control'
const NO_STORE = 'no-store'
/** Data loads nothing, whatever the pages of the inbox may; and each byte is sent with every call. */
const WRITTEN = {
  'content-type': 'application/json',
  ...HEADERS,
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  [CACHE]: NO_STORE,
}

/** As a plain object the headers reach Node as they are. */
function responseOf({ text }: Written, request: string): Response {
  return new Response(text, { headers: { ...WRITTEN, [REQUEST_ID]: request } })
}

/**
 * Where Node sends the response, Node is told: going through the Headers of the response costs more
 * than everything else a small one needs. Headers that the response itself has win, in both ways:
 * routes set `cache-control`, and pages of the documentation their own `content-security-policy`.
 */
function withHeaders(response: Response, c: Context, request: string): Response {
  const outgoing = outgoingOf(c)
  if (outgoing) {
    for (const [name, value] of FIXED) outgoing.setHeader(name, value)
    outgoing.setHeader(CACHE, NO_STORE)
    outgoing.setHeader(REQUEST_ID, request)
    return response
  }
  const { headers } = response
  for (const [name, value] of FIXED) if (!headers.has(name)) headers.set(name, value)
  if (!headers.has(CACHE)) headers.set(CACHE, NO_STORE)
  headers.set(REQUEST_ID, request)
  return response
}

function outgoingOf(c: Context): ServerResponse | undefined {
  const { outgoing } = (c.env ?? {}) as { readonly outgoing?: ServerResponse }
  return outgoing?.headersSent === false ? outgoing : undefined
}
