import {
  type Family,
  type Labels,
  type Reading,
  type Source,
  single,
} from '../../gate/metrics/family.ts'
import { JUDGED } from '../../gate/metrics/measure.ts'
import { headText, labelsText, readingText } from './exposition.ts'
import { Histogram } from './histogram.ts'

/** What this process counted, as Prometheus reads it. Names and numbers only. */
export interface Metrics {
  /** Counts and times the requests of one route. */
  counter(route: string): (method: string, status: number, ms: number) => void
  /** A request to an MCP server that runs no tool; `outcome` is `allowed` or why not. */
  access(server: string, method: string, outcome: string): void
  /** A promise was rejected and the rejection was not handled. */
  rejected(): void
  /** The policy let a call through or denied it. */
  judged(verdict: 'allow' | 'deny'): void
  /** Something was tried without the right. */
  refused(code: string): void
  /** What the server alone counts, for other collectors. Requests are counted by instrumentation of HTTP there. */
  readonly source: Source
  text(now: readonly Reading[], more: readonly string[]): string
}

const counter = (name: string, unit: Family['unit'], help: string): Family => ({
  ...{ name: `countersign.${name}`, type: 'counter', unit, help },
})

const REQUESTS = counter(
  'http.requests',
  '{request}',
  'Requests that were answered, by route pattern and status.',
)
const DURATIONS: Family = {
  name: 'countersign.http.request_duration',
  type: 'histogram',
  unit: 's',
  help: 'Time until a request was answered. Routes that wait for people take as long as they wait.',
  bounds: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60],
}
const ACCESSES = counter(
  'mcp.accesses',
  '{access}',
  'Resources and prompts of MCP servers that agents asked for.',
)
const REJECTIONS = counter(
  'unhandled_rejections',
  '{rejection}',
  'Promises that were rejected without a handler.',
)
const REFUSED = counter(
  'refused_attempts',
  '{attempt}',
  'Attempts to decide, sign in or act without the right, by code.',
)
const INFO: Family = {
  name: 'countersign.info',
  type: 'gauge',
  unit: '{server}',
  help: 'The version that runs.',
}
const UPTIME: Family = {
  name: 'countersign.uptime',
  type: 'gauge',
  unit: 's',
  help: 'Time since this server was made.',
}

export function createMetrics(version: string): Metrics {
  const requests = new Counts()
  const durations = new Map<string, Histogram>()
  const accesses = new Counts()
  const refusals = new Counts()
  const judged = { allow: 0, deny: 0 }
  let rejections = 0
  const startedAt = performance.now()

  function counted(): Reading[] {
    return [
      { family: REFUSED, samples: refusals.samples() },
      { family: ACCESSES, samples: accesses.samples() },
      single(REJECTIONS, rejections),
    ]
  }

  return {
    counter(route) {
      // The labels of most requests of a route are the same, and are written once.
      let last = { method: '', status: 0, count: () => {} }
      const histogram = durations.get(route) ?? new Histogram(DURATIONS)
      return (method, status, ms) => {
        if (last.status !== status || last.method !== method) {
          last = { method, status, count: requests.of({ method, route, status }) }
        }
        last.count()
        durations.set(route, histogram)
        histogram.observe(ms / 1_000)
      }
    },
    access: (server, method, outcome) => accesses.of({ server, method, outcome })(),
    rejected() {
      rejections += 1
    },
    judged(verdict) {
      judged[verdict] += 1
    },
    refused: (code) => refusals.of({ code })(),
    source: { families: [REFUSED, ACCESSES, REJECTIONS], read: async () => counted() },
    text(now, more) {
      const uptime = Number(((performance.now() - startedAt) / 1_000).toFixed(3))
      const verdicts = Object.entries(judged)
      return [
        ...readingText({ family: INFO, samples: [[{ version }, 1]] }),
        ...readingText(single(UPTIME, uptime)),
        ...now.flatMap(readingText),
        ...more,
        ...readingText({
          family: JUDGED,
          samples: verdicts.map(([verdict, count]) => [{ verdict }, count]),
        }),
        ...counted().flatMap(readingText),
        ...readingText({ family: REQUESTS, samples: requests.samples() }),
        ...headText(DURATIONS),
        ...[...durations].flatMap(([route, histogram]) => histogram.lines({ route })),
        '',
      ].join('\n')
    },
  }
}

/** Counts by labels. */
class Counts {
  readonly #all = new Map<string, { readonly labels: Labels; count: number }>()

  /** Adds one to what has these labels. */
  of(labels: Labels): () => void {
    const key = labelsText(labels)
    const counted = this.#all.get(key) ?? { labels, count: 0 }
    return () => {
      this.#all.set(key, counted)
      counted.count += 1
    }
  }

  samples(): Reading['samples'] {
    return [...this.#all.values()].map(({ labels, count }) => [labels, count] as const)
  }
}
