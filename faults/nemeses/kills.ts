import { setTimeout as sleep } from 'node:timers/promises'
import type { Violation } from '../checks/check.ts'
import { randomOf } from '../seeds.ts'
import { pointsFor, type Stop, stopAt } from '../workload/crash-points.ts'
import { clockNow, jump } from '../workload/open-store.ts'
import { PAST_EVERYTHING, PAST_SILENCE } from '../workload/operations.ts'
import { untilForgotten } from '../workload/query.ts'
import { inspect, Worker, type World } from '../workload/world.ts'

export interface CycleReport {
  readonly cycle: number
  readonly what: string
  readonly wasKilled: boolean
  readonly violations: readonly Violation[]
}

const CALLS = 6

/**
 * One life after another on the same database. Each begins with recovery and the invariants, then
 * works, and is killed at a place of the seed's choice.
 */
export async function killCycles(
  world: World,
  cycles: readonly number[],
  report: (cycle: CycleReport) => void,
): Promise<void> {
  /** Lives that are over and not yet judged: a life can end before it has recovered. */
  let before: { cycle: number; what: string; wasKilled: boolean }[] = []
  const points = pointsFor(world.store)

  async function live(cycle: number | undefined): Promise<void> {
    const random = randomOf(world.seed, cycle ?? 'last', 'kill')
    const isRandom = cycle !== undefined && random.chance(0.12)
    // A database is made once: only the first life can die while it is made.
    const isMaking = cycle === cycles[0] && random.chance(0.3)
    const point = isMaking
      ? points.find(({ place }) => place === 'opening')
      : points[(cycle ?? 0) % points.length]
    const stop: Stop | undefined =
      cycle === undefined || isRandom || !point ? undefined : stopAt(point, random)
    const worker = new Worker({
      ...world,
      cycle: cycle ?? -1,
      calls: cycle === undefined ? 0 : CALLS,
      resumesAll: random.chance(0.3),
      ...(stop ? { stop } : {}),
    })
    const killed = stop ? killAt(worker, stop) : undefined
    // Awaited below; until then it must not end the harness, which has more to report.
    killed?.catch(() => {})
    await worker.until('recovered')
    const recovered = worker.heard('recovered')
    if (recovered) {
      const about = { now: recovered.now, alive: recovered.instance }
      const violations = before.length > 0 ? await inspect(world, about) : []
      before.forEach((life, index) => {
        report({ ...life, violations: index === before.length - 1 ? violations : [] })
      })
      before = []
      worker.go()
      if (isRandom) {
        await sleep(random.below(120))
        await worker.kill()
      }
    }
    await worker.until('done')
    await killed
    await worker.exited
    if (world.store === 'postgres') await untilForgotten(world.database)
    await jump(world, PAST_SILENCE)
    const failure = worker.wasKilled ? [] : failuresOf(worker)
    const what = stop
      ? `${stop.place} (${stop.how}, ${stop.nth})`
      : isRandom
        ? 'any time'
        : 'the end'
    if (failure.length > 0)
      report({ cycle: cycle ?? -1, what, wasKilled: false, violations: failure })
    else before = [...before, { cycle: cycle ?? -1, what, wasKilled: worker.wasKilled }]
  }

  for (const cycle of cycles) await live(cycle)
  // Everything that is left is brought to its end; after that, nothing may be open.
  await live(undefined)
  await jump(world, PAST_EVERYTHING)
  await live(undefined)
  const about = { now: clockNow(world.clock) }
  report({ cycle: -1, what: 'the end', wasKilled: false, violations: await inspect(world, about) })
}

async function killAt(worker: Worker, stop: Stop): Promise<void> {
  await worker.until('at', 'done')
  if (worker.heard('at') === undefined) return
  if (stop.how === 'race' && stop.delay > 0) await sleep(stop.delay / 1_000)
  await worker.kill()
}

/** A life that was not cut short must end well, with every caller answered. */
function failuresOf(worker: Worker): Violation[] {
  const done = worker.heard('done')
  if (done && worker.exitCode === 0) {
    return done.unsettled.map((key) => ({
      invariant: 'INV-6',
      kind: 'stuck',
      says: `the caller of ${key} was never answered`,
    }))
  }
  const says = `the process ended with ${worker.exitCode}: ${worker.errors.slice(0, 600)}`
  return [{ invariant: 'INV-6', kind: 'stuck', says }]
}
