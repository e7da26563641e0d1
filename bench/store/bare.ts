import type { Approval } from '../../src/approval/approval.ts'
import type { Command } from '../../src/approval/command.ts'
import { newTip, sha256, type Tip } from '../../src/store/audit/chain.ts'
import { type Plan, plan } from '../../src/store/engine/plan.ts'
import { aRequest, STEPS } from './cycle.ts'
import { type Measured, measured } from './sample.ts'

export const TENANT = 'default'

/** Makes, ahead of time, exactly the rows that a store would write for so many cycles at once. */
export function createRows(): (cycles: number) => Plan[] {
  let tip: Tip = newTip(crypto.randomUUID())
  return (cycles) => {
    const requests = Array.from({ length: cycles }, (_, caller) => aRequest(`run-${caller}`))
    let approvals: Approval[] = []
    const rows: Plan[] = []
    const run = (commands: readonly Command[]) => {
      const entries = requests.map(({ id }, index) => ({
        id,
        command: commands[index] as Command,
        resolve() {},
        reject() {},
      }))
      const planned = plan(
        entries,
        { approvals, now: Date.now(), locks: [], standIns: [], holds: [] },
        { tenant: TENANT, tip, newest: 0 },
      )
      tip = planned.tip
      approvals = planned.outcomes.map((outcome) => {
        if ('error' in outcome) throw outcome.error
        if (!('approval' in outcome.applied)) throw new Error('a grant was not asked for')
        return outcome.applied.approval
      })
      rows.push(planned)
    }
    run(requests)
    for (const next of STEPS) run(approvals.map(next))
    return rows
  }
}

/** Several plans as one, so that each table is written once. */
export function together(plans: readonly Plan[]): Plan {
  const [first] = plans
  if (first === undefined) throw new Error('there is nothing to write')
  return {
    ...first,
    writes: plans.flatMap(({ writes }) => writes),
    entries: plans.flatMap(({ entries }) => entries),
    content: plans.flatMap(({ content }) => content),
  }
}

type CommitRows = (plans: readonly Plan[]) => void | Promise<void>

/** The hard limit: rows that are ready, in full batches, one after the other. */
export async function runReady(
  rows: (cycles: number) => Plan[],
  commit: CommitRows,
  batch: number,
  ms: number,
): Promise<Measured> {
  const latencies: number[] = []
  let elapsed = 0
  while (elapsed < ms) {
    const plans = rows(batch)
    const started = performance.now()
    for (const one of plans) await commit([one])
    const took = performance.now() - started
    elapsed += took
    for (let cycle = 0; cycle < batch; cycle += 1) latencies.push(took)
  }
  return measured(latencies, elapsed)
}

/**
 * The bare loop: as many callers as the store has, who write their rows as JSON, hash them as those
 * rows are hashed, and wait for the sync they share. No rules, no locks, no triggers, no reading.
 */
export async function runCallers(
  rows: (cycles: number) => Plan[],
  commit: CommitRows,
  callers: number,
  cycles: number,
): Promise<Measured> {
  const ready = Array.from({ length: callers * cycles }, () => rows(1))
  const latencies: number[] = []
  let queue: { plan: Plan; done: () => void }[] = []

  function submit(plan: Plan): Promise<void> {
    return new Promise((done) => {
      if (queue.length === 0) setImmediate(flush)
      queue.push({ plan: written(plan), done })
    })
  }

  async function flush(): Promise<void> {
    const batch = queue
    queue = []
    await commit(batch.map(({ plan }) => plan))
    for (const { done } of batch) done()
  }

  const started = performance.now()
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (const cycle of ready.slice(caller * cycles, (caller + 1) * cycles)) {
        const begun = performance.now()
        for (const one of cycle) await submit(one)
        latencies.push(performance.now() - begun)
      }
    }),
  )
  return measured(latencies, performance.now() - started)
}

function written(plan: Plan): Plan {
  return {
    ...plan,
    writes: plan.writes.map((write) => {
      const body = JSON.stringify(write.after)
      return { ...write, row: { ...write.row, body, seal: sha256(body) } }
    }),
    entries: plan.entries.map(({ entry }) => {
      const body = JSON.stringify(entry)
      return { entry: { ...entry, hash: sha256(body) }, body }
    }),
  }
}
