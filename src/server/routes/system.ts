import type { Context } from 'hono'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { storeGauges } from '../../gate/metrics/store-gauges.ts'
import { publishedKeys } from '../../gate/proof/keys.ts'
import { whenSent } from '../http/direct-stream.ts'
import { isFromHere, isLoopback } from '../http/origin.ts'
import { notFound } from '../http/refusal.ts'
import { personOf, type Route, route } from '../http/route.ts'
import { callerOf } from '../identity/caller.ts'
import { hashSecret, sameText } from '../identity/secret.ts'
import { processReadings } from '../metrics/gauges.ts'
import type { Services } from '../services.ts'

/** Events, health, numbers and keys. */
export function systemRoutes(services: Services): Route[] {
  const { store, observing, hub, metrics, gauges, approvalCounters, stopping } = services
  const inStore = storeGauges(store)
  const isWritable = atMostEvery(PROBE_MS, () => store.assertWritable())
  return [
    route('GET /v1/events', async ({ c, caller, raw }) => {
      const { session } = personOf(caller)
      const { body, writeTo } = await hub.open(c.req.header('last-event-id'), session.id)
      const response = new Response(body, {
        headers: {
          'content-type': 'text/event-stream; charset=utf-8',
          'cache-control': 'no-store',
          // Proxies that collect answers would hold events back.
          'x-accel-buffering': 'no',
        },
      })
      whenSent(response, writeTo)
      return raw(response)
    }),
    route('GET /healthz', ({ reply }) => reply(200, { status: 'ok' })),
    route('GET /readyz', async ({ reply }) => {
      if (stopping.aborted) {
        throw new CountersignError('store_unavailable', 'this server is about to stop')
      }
      try {
        const looking = store.list({ status: ['pending'] }, { limit: 1 })
        await inTime(Promise.all([looking, isWritable()]))
      } catch (cause) {
        // Its own words are for the log: the caller here is not signed in.
        const isReplaced = isCountersignError(cause, 'store_replaced')
        const message = isReplaced
          ? 'the database is not the one that was opened; this server stops'
          : cause instanceof LateError
            ? 'the database did not answer within three seconds'
            : 'the database does not take writes'
        throw new CountersignError('store_unavailable', message, { cause })
      }
      return reply(200, { status: 'ok', ...(observing ? { mode: 'observe' } : {}) })
    }),
    route('GET /metrics', async ({ c, raw }) => {
      await assertMayScrape(c, services)
      const read = await Promise.all([gauges.read(), inStore.read()])
      const now = [...read.flat(), ...processReadings()]
      const text = metrics.text(now, await approvalCounters.text())
      return raw(c.text(text, 200, { 'content-type': EXPOSITION }))
    }),
    route('GET /.well-known/jwks.json', async ({ reply }) => {
      const keys = await publishedKeys(store)
      return reply(200, { keys: keys.map((key) => ({ ...key })) })
    }),
  ]
}

const EXPOSITION = 'text/plain; version=0.0.4; charset=utf-8'

/**
 * With the token from anywhere, by any name: Prometheus asks pods by their address. Without it from
 * this machine alone; a name says nothing about who is asking where the server listens more widely.
 */
async function assertMayScrape(c: Context, services: Services): Promise<void> {
  const { metricsToken, credentials } = services
  const sent = hashSecret('metrics', c.req.header('authorization') ?? '')
  const isTheirs =
    metricsToken !== undefined && sameText(sent, hashSecret('metrics', `Bearer ${metricsToken}`))
  if (isTheirs) return
  // Another credential opens nothing here, and one that is not known is refused as everywhere.
  await callerOf(c, credentials)
  if (!isLoopback(c.req.header('host') ?? '') || !isFromHere(c, services)) throw notFound()
}

const READY_MS = 3_000
/** Every caller may ask whether a server is ready, and each answer costs a write. */
const PROBE_MS = 1_000

function atMostEvery(ms: number, work: () => Promise<void>): () => Promise<void> {
  let last: { readonly at: number; readonly done: Promise<void> } | undefined
  return () => {
    if (last === undefined || performance.now() - last.at >= ms) {
      last = { at: performance.now(), done: work() }
      // The caller hears of it.
      last.done.catch(() => {})
    }
    return last.done
  }
}

class LateError extends Error {}

/** A database that answers late is as good as none to a load balancer that chooses a server. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new LateError('no answer in time')), READY_MS)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
