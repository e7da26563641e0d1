import { randomOf } from '../seeds.ts'
import { keeper } from './locks.ts'
import { SWITCHED } from './operations.ts'
import { carryOut, pause } from './retries.ts'
import type { Stage } from './workload.ts'

const ROUNDS = 3
const HOLD_MS = 25

/** Somebody who switches asking off and on again. Resolves when it is as the file says. */
export async function keepSwitches(
  stage: Stage,
  { cycle, isBusy }: { readonly cycle: number; readonly isBusy: boolean },
): Promise<void> {
  const random = randomOf(stage.seed, cycle, 'switches')
  for (let round = 0; isBusy && round < ROUNDS; round += 1) {
    await pause(random.below(HOLD_MS))
    await turn(stage, false)
    await pause(random.below(HOLD_MS))
    await turn(stage, random.chance(0.8) ? true : undefined)
    await pause(2 * HOLD_MS)
  }
  await turn(stage, undefined)
}

async function turn(stage: Stage, on: boolean | undefined): Promise<void> {
  const {
    admin: { switches },
  } = stage.gate
  await carryOut(stage, {
    name: 'switch',
    about: { kind: 'switch', ...(on === undefined ? {} : { on }) },
    async run() {
      const lowers = { lowers: true }
      if (on === undefined) await switches.clear(keeper, SWITCHED, lowers)
      else await switches.set(keeper, SWITCHED, on, lowers)
      return {}
    },
  })
}
