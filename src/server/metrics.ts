/** What this process counted, as Prometheus reads it. Names and numbers only. */
export interface Metrics {
  /** Counts the requests of one route. */
  counter(route: string): (method: string, status: number) => void
  /** A request to an MCP server that runs no tool; `outcome` is `allowed` or why not. */
  access(server: string, method: string, outcome: string): void
  /** A promise was rejected and the rejection was not handled. */
  rejected(): void
  text(gauges: Readonly<Record<string, number>>): string
}

export function createMetrics(version: string): Metrics {
  const requests = new Map<string, number>()
  const accesses = new Map<string, number>()
  let rejections = 0
  const startedAt = performance.now()
  return {
    counter(route) {
      // The labels of most requests of a route are the same, and are written once.
      let last = { method: '', status: 0, labels: '' }
      return (method, status) => {
        if (last.status !== status || last.method !== method) {
          last = { method, status, labels: labelsOf({ method, route, status }) }
        }
        requests.set(last.labels, (requests.get(last.labels) ?? 0) + 1)
      }
    },
    access(server, method, outcome) {
      const labels = labelsOf({ server, method, outcome })
      accesses.set(labels, (accesses.get(labels) ?? 0) + 1)
    },
    rejected() {
      rejections += 1
    },
    text(gauges) {
      const uptime = ((performance.now() - startedAt) / 1_000).toFixed(3)
      return [
        '# TYPE countersign_info gauge',
        `countersign_info{version="${version}"} 1`,
        '# TYPE countersign_uptime_seconds gauge',
        `countersign_uptime_seconds ${uptime}`,
        ...Object.entries(gauges).flatMap(([name, value]) => [
          `# TYPE countersign_${name} gauge`,
          `countersign_${name} ${value}`,
        ]),
        '# TYPE countersign_mcp_accesses_total counter',
        ...[...accesses].map(
          ([labels, count]) => `countersign_mcp_accesses_total{${labels}} ${count}`,
        ),
        '# TYPE countersign_unhandled_rejections_total counter',
        `countersign_unhandled_rejections_total ${rejections}`,
        '# TYPE countersign_http_requests_total counter',
        ...[...requests].map(
          ([labels, count]) => `countersign_http_requests_total{${labels}} ${count}`,
        ),
        '',
      ].join('\n')
    },
  }
}

function labelsOf(labels: Readonly<Record<string, string | number>>): string {
  return Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(',')
}
