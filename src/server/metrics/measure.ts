import type { Meter, Source } from '../../gate/metrics/family.ts'
import type { Gauges } from './gauges.ts'

/** Sends to a meter what a server knows besides its gate, which sends its own. */
export function measureServer(meter: Meter | undefined, counters: Source, gauges: Gauges) {
  const forget = [counters, gauges].map((source) => meter?.observe(source))
  return {
    close(): void {
      for (const one of forget) one?.()
      gauges.close()
    },
  }
}
