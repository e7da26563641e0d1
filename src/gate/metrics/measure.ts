import type { Store } from '../../store/store.ts'
import { contain, type Listeners } from '../listeners.ts'
import { createApprovalReader, DECISION, EVENTS } from './approval-events.ts'
import type { Family, Meter } from './family.ts'
import { storeGauges } from './store-gauges.ts'

export const JUDGED: Family = {
  name: 'countersign.calls.judged',
  type: 'counter',
  unit: '{call}',
  help: 'Calls that the policy let through or denied.',
}
export const CALLS: Family = {
  name: 'countersign.call.duration',
  type: 'histogram',
  unit: 's',
  help: 'Time from a call until its outcome, with the time that people took.',
  bounds: [0.005, 0.025, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400],
}

export interface Measuring {
  /** Counts what was recorded since the last collection, then stops. */
  stop(): Promise<void>
}

/** Sends what a gate does, and what waits in its store, to a meter. */
export function measureGate(meter: Meter, store: Store, listeners: Listeners): Measuring {
  const deaf = listeners.on('judged', ({ verdict }) => meter.count(JUDGED, { verdict }))
  const measured = measureStore(meter, store)
  return {
    async stop() {
      deaf()
      await measured.stop()
    },
  }
}

interface MeasuredStore {
  users: number
  readonly readEvents: () => Promise<void>
  readonly forget: () => void
}

/** Gates that share a store record with one name: reading for each would count everything twice. */
const MEASURED = new WeakMap<Store, MeasuredStore>()

function measureStore(meter: Meter, store: Store): Measuring {
  const measured = MEASURED.get(store) ?? startMeasuring(meter, store)
  measured.users += 1
  let isStopped = false
  return {
    async stop() {
      if (isStopped) return
      isStopped = true
      if (meter.isHeard) await measured.readEvents().catch(() => {})
      measured.users -= 1
      if (measured.users > 0) return
      MEASURED.delete(store)
      measured.forget()
    },
  }
}

function startMeasuring(meter: Meter, store: Store): MeasuredStore {
  const readEvents = createApprovalReader(store, {
    event: (type) => meter.count(EVENTS, { type }),
    ended: (outcome, seconds) => meter.record(DECISION, { outcome }, seconds),
  })
  const { families, read } = storeGauges(store)
  const forget = meter.observe({
    families,
    async read() {
      await readEvents()
      return read()
    },
  })
  // Events count from now on, and not from the first collection.
  if (meter.isHeard) contain(readEvents)
  const measured = { users: 0, readEvents, forget }
  MEASURED.set(store, measured)
  return measured
}
