import type { monitorEventLoopDelay } from 'node:perf_hooks'
import { type Family, type Reading, type Source, single } from '../../gate/metrics/family.ts'

/** What the server and its process are like now. */
export interface Gauges extends Source {
  close(): void
}

const gauge = (name: string, unit: Family['unit'], help: string): Family => ({
  ...{ name: `countersign.${name}`, type: 'gauge', unit, help },
})

const OBSERVING = gauge(
  'observing',
  '{server}',
  'Whether the rules of the owner are recorded and not enforced.',
)
const STREAMS = gauge('event_streams', '{stream}', 'Open streams of live events.')
const TOOLS = gauge('registered_tools', '{tool}', 'Tools that are guarded.')
const LOOP = gauge('event_loop.delay', 's', 'How late the event loop was since it was last read.')

const QUANTILES = [50, 99, 100] as const

interface Known {
  readonly observing: boolean
  readonly streams: number
  readonly tools: number
}

/** Each reader has its own: the delay of the event loop is the one since its last reading. */
export function createGauges(known: () => Known): Gauges {
  let delay: ReturnType<typeof monitorEventLoopDelay> | undefined

  /** From the first reading on: a server that is not read measures nothing. */
  function loop(): Reading[] {
    if (delay === undefined) {
      // Looked up and not imported: runtimes other than Node.js may lack it.
      const hooks = process.getBuiltinModule?.('node:perf_hooks')
      delay = hooks?.monitorEventLoopDelay?.({ resolution: 20 })
      delay?.enable()
    }
    if (delay === undefined) return []
    const measured = delay
    const samples = QUANTILES.map((quantile) => {
      const nanoseconds = measured.count === 0 ? 0 : measured.percentile(quantile)
      return [{ quantile: quantile / 100 }, Number((nanoseconds / 1e9).toFixed(6))] as const
    })
    measured.reset()
    return [{ family: LOOP, samples }]
  }

  return {
    families: [OBSERVING, STREAMS, TOOLS, LOOP],
    async read() {
      const { observing, streams, tools } = known()
      return [
        single(OBSERVING, observing ? 1 : 0),
        single(STREAMS, streams),
        single(TOOLS, tools),
        ...loop(),
      ]
    },
    close: () => void delay?.disable(),
  }
}

const MEMORY: Family = {
  name: 'process.resident_memory',
  type: 'gauge',
  unit: 'By',
  help: 'Memory of this process.',
}
const CPU: Family = {
  name: 'process.cpu',
  type: 'counter',
  unit: 's',
  help: 'Time on a processor.',
}

/** As Prometheus names them in every process; OpenTelemetry has instrumentation of its own for them. */
export function processReadings(): Reading[] {
  const { rss } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return [single(MEMORY, rss), single(CPU, (user + system) / 1e6)]
}
