import { setTimeout as sleep } from 'node:timers/promises'
import { jump } from '../workload/open-store.ts'
import { PAST_EVERYTHING } from '../workload/operations.ts'
import { begin, finishes, holdAt, type Nemesis, settleAndCheck, worldOf } from './episode.ts'

/** Longer than a claimer has to start. */
const PAST_START = 10_600

/** Claimed, then frozen until it is too late to start: it must not start. */
const frozenAfterClaim: Nemesis = {
  name: 'stopped past the time to start',
  stores: ['sqlite', 'postgres'],
  async run(scene) {
    const world = await worldOf(scene)
    // By itself and right there: a signal from outside can come after the gate's last look at the
    // clock, and what is frozen between that look and the tool's first step starts late.
    const stop = holdAt('gate claim.committed', 'freeze')
    const worker = await begin(world, { cycle: 0, stop })
    worker.go()
    await worker.until('at', 'done')
    await sleep(PAST_START)
    worker.signal('SIGCONT')
    return settleAndCheck(world, await finishes(worker), { isClockSteady: true })
  },
}

/** A person's answer is on its way, and frozen until the question has died: it must not count. */
const frozenBeforeAnswer: Nemesis = {
  name: 'stopped past the deadline',
  stores: ['sqlite', 'postgres'],
  async run(scene) {
    const world = await worldOf(scene)
    const stop = holdAt(
      scene.random.pick(['people before', 'gate answer.known', 'decide committed']),
      'race',
    )
    const worker = await begin(world, { cycle: 0, stop })
    worker.go()
    await worker.until('at', 'done')
    worker.signal('SIGSTOP')
    await jump(world, PAST_EVERYTHING)
    await sleep(scene.random.below(200))
    worker.signal('SIGCONT')
    return settleAndCheck(world, await finishes(worker))
  },
}

/** The clock runs away, comes back, falls behind what was recorded, and is set right. */
const jumps: Nemesis = {
  name: 'clock jumps',
  stores: ['sqlite', 'postgres'],
  async run(scene) {
    const { random } = scene
    const world = await worldOf(scene)
    const worker = await begin(world, { cycle: 0 })
    worker.go()
    let total = 0
    for (let count = 0; count < 4; count += 1) {
      await sleep(random.below(60))
      const ms = random.pick([-180_000, -50_000, -5_000, -1, 1, 5_000, 50_000, 180_000, 660_000])
      total += ms
      await jump(world, ms)
    }
    await sleep(200)
    // Set right at last: never behind where it began.
    await jump(world, total < 0 ? -total : 0)
    return settleAndCheck(world, await finishes(worker))
  },
}

export const CLOCK_NEMESES = [frozenAfterClaim, frozenBeforeAnswer, jumps]
