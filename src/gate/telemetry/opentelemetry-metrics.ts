import type {
  BatchObservableCallback,
  Counter,
  Histogram,
  Observable,
  Meter as OtelMeter,
} from '@opentelemetry/api'
import { contain } from '../listeners.ts'
import type { Family, Labels, Meter, Reading, Source } from '../metrics/family.ts'

type Api = Pick<typeof import('@opentelemetry/api'), 'metrics' | 'createNoopMeter'>

/** The instruments of one provider. */
interface Bound {
  readonly provider: unknown
  /** Undefined: no SDK is set up. */
  readonly meter: OtelMeter | undefined
  readonly counters: Map<Family, Counter>
  readonly histograms: Map<Family, Histogram>
  readonly observables: Map<Family, Observable>
}

/** Of all gates and servers of this process: the provider is one for the process as well. */
const SOURCES = new Set<Source>()

/** Metrics for whatever provider is registered now; the API has none that could be waited for. */
export function openTelemetryMeter({ metrics, createNoopMeter }: Api): Meter {
  let bound = bind()

  function bind(): Bound {
    const provider = metrics.getMeterProvider()
    const meter = provider.getMeter('countersign')
    return {
      provider,
      meter: meter === createNoopMeter() ? undefined : meter,
      counters: new Map(),
      histograms: new Map(),
      observables: new Map(),
    }
  }

  function now(): Bound {
    if (bound.provider === metrics.getMeterProvider()) return bound
    bound = bind()
    for (const source of SOURCES) addObservables(bound, source)
    return bound
  }

  return {
    get isHeard() {
      return now().meter !== undefined
    },
    count(family, labels) {
      const { meter, counters } = now()
      if (!meter) return
      contain(() => made(counters, family, () => counter(meter, family)).add(1, labels))
    },
    record(family, labels, value) {
      const { meter, histograms } = now()
      if (!meter) return
      contain(() => made(histograms, family, () => histogram(meter, family)).record(value, labels))
    },
    observe(source) {
      SOURCES.add(source)
      contain(() => addObservables(now(), source))
      return () => void SOURCES.delete(source)
    },
  }
}

function made<T>(all: Map<Family, T>, family: Family, make: () => T): T {
  const known = all.get(family) ?? make()
  all.set(family, known)
  return known
}

function described({ help, unit }: Family) {
  return { description: help, unit }
}

function counter(meter: OtelMeter, family: Family): Counter {
  return meter.createCounter(family.name, described(family))
}

function histogram(meter: OtelMeter, family: Family): Histogram {
  const advice = family.bounds ? { explicitBucketBoundaries: [...family.bounds] } : {}
  return meter.createHistogram(family.name, { ...described(family), advice })
}

/** One callback for all families of a provider, added when the first of them is. */
function addObservables({ meter, observables }: Bound, { families }: Source): void {
  if (!meter) return
  const before = [...observables.values()]
  for (const family of families) {
    made(observables, family, () =>
      family.type === 'counter'
        ? meter.createObservableCounter(family.name, described(family))
        : meter.createObservableGauge(family.name, described(family)),
    )
  }
  if (observables.size === before.length) return
  const callback = observing(observables)
  const last = CALLBACKS.get(observables)
  if (last) meter.removeBatchObservableCallback(last, before)
  CALLBACKS.set(observables, callback)
  meter.addBatchObservableCallback(callback, [...observables.values()])
}

const CALLBACKS = new WeakMap<Bound['observables'], BatchObservableCallback>()

function observing(observables: Bound['observables']): BatchObservableCallback {
  return async (result) => {
    // A store that cannot be read takes only its own numbers away.
    const all = await Promise.all([...SOURCES].map((source) => source.read().catch(() => [])))
    for (const { family, samples } of merged(all.flat())) {
      const observable = observables.get(family)
      if (observable)
        for (const [labels, value] of samples) result.observe(observable, value, labels)
    }
  }
}

/**
 * One number for each name and labels, as collectors want it: of several stores in one process
 * counts are added up, and of times the longest counts.
 */
function merged(readings: readonly Reading[]): Reading[] {
  const families = new Map<Family, Map<string, [Labels, number]>>()
  for (const { family, samples } of readings) {
    const known = made(families, family, () => new Map())
    for (const [labels, value] of samples) {
      const key = JSON.stringify(labels)
      const other = known.get(key)?.[1]
      known.set(key, [labels, other === undefined ? value : both(family, other, value)])
    }
  }
  return [...families].map(([family, known]) => ({ family, samples: [...known.values()] }))
}

function both({ type, unit }: Family, one: number, other: number): number {
  return type === 'gauge' && unit === 's' ? Math.max(one, other) : one + other
}
