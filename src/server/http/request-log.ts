import { randomUUID } from 'node:crypto'
import type { Context, MiddlewareHandler } from 'hono'
import { matchedRoutes } from 'hono/route'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { answerHeaders } from './answer-header.ts'

const HEADER = 'x-request-id'
const ID = /^[A-Za-z0-9_-]{1,64}$/
const ids = new WeakMap<Request, string>()

/** The name of a request in the log: the proxy's where it gave one, else our own. */
export function requestId(c: Context): string {
  const known = ids.get(c.req.raw)
  if (known !== undefined) return known
  const given = c.req.header(HEADER) ?? ''
  const id = ID.test(given) ? given : randomUUID()
  ids.set(c.req.raw, id)
  return id
}

/**
 * Counts and logs every request. By pattern and not by address: what people ask for must become
 * neither the name of a counter nor a line of the log.
 */
export function observed(metrics: Metrics, log: Log): MiddlewareHandler {
  return async (c, next) => {
    const started = performance.now()
    await next()
    const route = routeOf(c)
    const { method } = c.req
    const { status } = c.res
    metrics.count(method, route, status)
    const request = requestId(c)
    answerHeaders(c, [[HEADER, request]])
    const ms = Math.round(performance.now() - started)
    log.write('info', 'request', { request, method, route, status, ms })
  }
}

/** What everything goes through, and what catches the rest, names nothing. */
function routeOf(c: Context): string {
  const named = matchedRoutes(c).findLast(({ path }) => path !== '/*' && path !== '*')
  return named?.path ?? '/*'
}
