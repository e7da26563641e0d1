import { type Family, familyText, labelsText, sample } from './exposition.ts'

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
  text(more: Iterable<string>): string
}

const REQUESTS: Family = {
  name: 'countersign_http_requests_total',
  type: 'counter',
  help: 'Requests that were answered, by route pattern and status.',
}
const DURATIONS: Family = {
  name: 'countersign_http_request_duration_seconds',
  type: 'histogram',
  help: 'Time until a request was answered. Routes that wait for people take as long as they wait.',
}
const ACCESSES: Family = {
  name: 'countersign_mcp_accesses_total',
  type: 'counter',
  help: 'Resources and prompts of MCP servers that agents asked for.',
}
const REJECTIONS: Family = {
  name: 'countersign_unhandled_rejections_total',
  type: 'counter',
  help: 'Promises that were rejected without a handler.',
}
const JUDGED: Family = {
  name: 'countersign_calls_judged_total',
  type: 'counter',
  help: 'Calls that the policy let through or denied.',
}
const REFUSED: Family = {
  name: 'countersign_refused_attempts_total',
  type: 'counter',
  help: 'Attempts to decide, sign in or act without the right, by code.',
}
const INFO: Family = { name: 'countersign_info', type: 'gauge', help: 'The version that runs.' }
const UPTIME: Family = {
  name: 'countersign_uptime_seconds',
  type: 'gauge',
  help: 'Time since this server was made.',
}

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60]

export function createMetrics(version: string): Metrics {
  const requests = new Map<string, number>()
  const durations = new Map<string, Histogram>()
  const accesses = new Map<string, number>()
  const refusals = new Map<string, number>()
  const judged = { allow: 0, deny: 0 }
  let rejections = 0
  const startedAt = performance.now()
  return {
    counter(route) {
      // The labels of most requests of a route are the same, and are written once.
      let last = { method: '', status: 0, labels: '' }
      const histogram = durations.get(route) ?? new Histogram(SECONDS)
      return (method, status, ms) => {
        if (last.status !== status || last.method !== method) {
          last = { method, status, labels: labelsText({ method, route, status }) }
        }
        add(requests, last.labels)
        durations.set(route, histogram)
        histogram.observe(ms / 1_000)
      }
    },
    access: (server, method, outcome) => add(accesses, labelsText({ server, method, outcome })),
    rejected() {
      rejections += 1
    },
    judged(verdict) {
      judged[verdict] += 1
    },
    refused: (code) => add(refusals, labelsText({ code })),
    text(more) {
      const uptime = Number(((performance.now() - startedAt) / 1_000).toFixed(3))
      return [
        ...familyText(INFO, [[labelsText({ version }), 1]]),
        ...familyText(UPTIME, [['', uptime]]),
        ...more,
        ...familyText(JUDGED, [
          ['verdict="allow"', judged.allow],
          ['verdict="deny"', judged.deny],
        ]),
        ...familyText(REFUSED, refusals),
        ...familyText(ACCESSES, accesses),
        ...familyText(REJECTIONS, [['', rejections]]),
        ...familyText(REQUESTS, requests),
        ...familyText(DURATIONS, []),
        ...[...durations].flatMap(([route, histogram]) =>
          histogram.lines(DURATIONS.name, labelsText({ route })),
        ),
        '',
      ].join('\n')
    },
  }
}

function add(counts: Map<string, number>, labels: string): void {
  counts.set(labels, (counts.get(labels) ?? 0) + 1)
}

/** Observed values in buckets, each counted once; they are summed up when they are read. */
export class Histogram {
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0)
  }

  observe(value: number): void {
    let at = 0
    while (at < this.#bounds.length && value > (this.#bounds[at] ?? 0)) at += 1
    this.#counts[at] = (this.#counts[at] ?? 0) + 1
    this.#sum += value
  }

  lines(name: string, labels: string): string[] {
    const before = labels === '' ? '' : `${labels},`
    let total = 0
    const buckets = this.#counts.map((count, at) => {
      total += count
      return sample(`${name}_bucket`, `${before}le="${this.#bounds[at] ?? '+Inf'}"`, total)
    })
    return [
      ...buckets,
      sample(`${name}_sum`, labels, Number(this.#sum.toFixed(6))),
      sample(`${name}_count`, labels, total),
    ]
  }
}
