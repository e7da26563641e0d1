import type {
  Attributes as OtelAttributes,
  Span as OtelSpan,
  ProxyTracerProvider,
} from '@opentelemetry/api'
import { CountersignError } from '../../base/errors.ts'
import { contain } from '../listeners.ts'
import { openTelemetryMeter } from './opentelemetry-metrics.ts'
import type { Attributes, Span, Telemetry } from './telemetry.ts'

/**
 * Spans and metrics for whatever OpenTelemetry SDK the program has set up; without one they cost next
 * to nothing and go nowhere. Throws `peer_missing` where not even the API package is installed.
 */
export async function openTelemetry(): Promise<Telemetry> {
  const api = await loadApi()
  const { trace, ProxyTracerProvider, TraceFlags, SpanStatusCode } = api
  const tracer = trace.getTracer('countersign')
  const meter = openTelemetryMeter(api)

  function linkTo(traceparent: string | undefined) {
    const [, traceId = '', spanId = '', flags = ''] = PARENT.exec(traceparent ?? '') ?? []
    if (traceId === '') return []
    const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
    return [{ context: { traceId, spanId, traceFlags, isRemote: true } }]
  }

  function spanOf(span: OtelSpan): Span {
    return {
      get traceparent() {
        const { traceId, spanId, traceFlags } = span.spanContext()
        const flags = traceFlags.toString(16).padStart(2, '0')
        return /^0+$/.test(traceId) ? undefined : `00-${traceId}-${spanId}-${flags}`
      },
      set: (attributes) => contain(() => span.setAttributes(given(attributes))),
      fail(type) {
        contain(() => {
          span.setAttribute('error.type', type)
          span.setStatus({ code: SpanStatusCode.ERROR })
        })
      },
    }
  }

  return {
    meter,
    get isHeard() {
      if (meter.isHeard) return true
      const provider = trace.getTracerProvider()
      // Until a provider is registered there is a proxy without a delegate.
      return !(provider instanceof ProxyTracerProvider) || hasDelegate(provider)
    },
    span({ name, attributes, about }, work) {
      const options = { attributes: given(attributes), links: linkTo(about) }
      return tracer.startActiveSpan(name, options, async (span) => {
        try {
          return await work(spanOf(span))
        } catch (error) {
          // The code and not the words: words quote what they are about.
          spanOf(span).fail(error instanceof CountersignError ? error.code : 'error')
          throw error
        } finally {
          // A broken exporter must not cost the caller a result.
          contain(() => span.end())
        }
      })
    },
  }
}

function hasDelegate(provider: ProxyTracerProvider): boolean {
  return provider.getDelegateTracer('countersign') !== undefined
}

const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

function given(attributes: Attributes): OtelAttributes {
  const known = Object.entries(attributes).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as OtelAttributes
}

async function loadApi(): Promise<typeof import('@opentelemetry/api')> {
  try {
    return await import('@opentelemetry/api')
  } catch (cause) {
    throw new CountersignError(
      'peer_missing',
      'traces and metrics need the package @opentelemetry/api',
      {
        hint: 'Run: npm install @opentelemetry/api',
        cause,
      },
    )
  }
}
