import type { LockTarget } from '../../src/approval/locks/lock.ts'
import type { Person } from '../../src/approval/people/person.ts'
import type { Store } from '../../src/store/store.ts'
import { randomOf } from '../seeds.ts'
import type { Ambush } from './ambush.ts'
import { person, TOOLS } from './operations.ts'
import { carryOut, patiently, pause } from './retries.ts'
import type { Stage } from './workload.ts'

/** Locks and lifts; asks for nothing and answers nothing, so no lock of a person holds them back. */
export const keeper: Person = { ...person('kay'), roles: ['admin'] }

const ROUNDS = 6
/** Long enough for a call to run into it, short enough for everybody to be patient. */
const HOLD_MS = 25

/**
 * Somebody who stops one thing after another and lets it go on again, and at last whatever earlier
 * lives left locked. Half of the locks are set in the last moment before a claim. Resolves when
 * nothing is locked any more.
 */
export async function keepLocks(
  stage: Stage,
  store: Store,
  ambush: Ambush,
  { cycle, isBusy }: { readonly cycle: number; readonly isBusy: boolean },
): Promise<void> {
  const random = randomOf(stage.seed, cycle, 'locks')

  async function moment(): Promise<string | undefined> {
    const soon = random.below(HOLD_MS)
    if (random.chance(0.5)) return ambush.wait(4 * HOLD_MS)
    await pause(soon)
    return undefined
  }

  async function target(claimed: string | undefined): Promise<LockTarget> {
    const kind = random.pick(['everything', 'agent', 'tool', 'person', 'approval'])
    const name = random.pick(TOOLS)
    const subject = random.pick(['ana', 'bo', 'cy', 'dee', 'gus'])
    const nth = random.below(1_000)
    switch (kind) {
      case 'agent':
        return { agent: 'clerk' }
      case 'tool':
        return { tool: name }
      case 'person': {
        // Whoever said yes to what is about to be claimed, where anybody did.
        const approval = claimed === undefined ? undefined : await store.get(claimed)
        const [by] = approval?.decisions.map((one) => one.by) ?? []
        return { person: { issuer: keeper.issuer, subject: by?.subject ?? subject } }
      }
      case 'approval': {
        if (claimed !== undefined) return { approval: claimed }
        const { approvals } = await store.list({ status: ['pending', 'approved'] })
        const open = approvals.filter(({ execution }) => execution === undefined)
        const one = open[nth % Math.max(1, open.length)]
        return one ? { approval: one.id } : { everything: true }
      }
      default:
        return { everything: true }
    }
  }

  const left = await patiently(() => stage.gate.admin.locks.list())
  for (let round = 0; isBusy && round < ROUNDS; round += 1) {
    const claimed = await moment()
    const lock = await setLock(stage, await patiently(() => target(claimed)))
    ambush.letGo()
    await pause(random.below(HOLD_MS))
    // Some are left to the end, over others.
    if (lock !== undefined && random.chance(0.7)) await liftLock(stage, lock)
    const old = left[round]
    if (old) await liftLock(stage, old.id)
  }
  for (const { id } of await patiently(() => stage.gate.admin.locks.list()))
    await liftLock(stage, id)
}

/** The lock's id once it was acknowledged; undefined when it never was. */
async function setLock(stage: Stage, target: LockTarget): Promise<string | undefined> {
  const done = await carryOut(stage, {
    name: 'lock',
    about: { kind: 'lock', target },
    async run() {
      const { id } = await stage.gate.admin.locks.set(keeper, { target, reason: 'stock-taking' })
      return { lock: id }
    },
  })
  return done?.lock
}

async function liftLock(stage: Stage, lock: string): Promise<void> {
  await carryOut(stage, {
    name: 'lift',
    about: { kind: 'lift', lock },
    async run() {
      await stage.gate.admin.locks.lift(keeper, lock)
      return { lock }
    },
  })
}
