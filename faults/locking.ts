import type { LockTarget } from '../src/approval/lock.ts'
import type { Person } from '../src/approval/person.ts'
import { isCountersignError } from '../src/base/errors.ts'
import type { Store } from '../src/store/store.ts'
import { person, TOOLS } from './operations.ts'
import { randomOf } from './seeds.ts'
import { NOT_THROUGH, type Stage } from './workload.ts'

/** Locks and lifts; asks for nothing and answers nothing, so no lock of a person holds them back. */
const keeper: Person = { ...person('kay'), roles: ['admin'] }

const ROUNDS = 6
/** Long enough for a call to run into it, short enough for everybody to be patient. */
const HOLD_MS = 25

/** A place between the last look at what is locked and the transaction that spends the yes. */
export interface Ambush {
  /** The same store; a claim on its way to it waits for whoever lies there. */
  watch(store: Store): Store
  /** The approval whose claim came by, which waits until it is let go; undefined: none that is known. */
  wait(ms: number): Promise<string | undefined>
  letGo(): void
}

export function createAmbush(): Ambush {
  let caught: ((id: string | undefined) => void) | undefined
  let letGo = () => {}
  return {
    watch: (store) => ({
      ...store,
      async apply(id, command) {
        const spends = command.type === 'claim' || (command.type === 'request' && command.grant)
        if (spends && caught) {
          const free = Promise.withResolvers<void>()
          letGo = free.resolve
          // Nobody can name an approval that is not written yet.
          caught(command.type === 'claim' ? id : undefined)
          caught = undefined
          await free.promise
        }
        return store.apply(id, command)
      },
    }),
    async wait(ms) {
      const next = Promise.withResolvers<string | undefined>()
      caught = next.resolve
      const id = await Promise.race([next.promise, pause(ms).then(() => undefined)])
      caught = undefined
      return id
    },
    letGo: () => letGo(),
  }
}

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
    const subject = random.pick(['ana', 'bo', 'cy'])
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

  const left = await patiently(() => stage.gate.locks.list())
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
  for (const { id } of await patiently(() => stage.gate.locks.list())) await liftLock(stage, id)
}

/** The lock's id once it was acknowledged; undefined when it never was. */
async function setLock(stage: Stage, target: LockTarget): Promise<string | undefined> {
  const { gate, log, reach } = stage
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const op = crypto.randomUUID()
    log.write({ phase: 'invoke', op, kind: 'lock', key: '', target })
    reach('lock before')
    try {
      const { id } = await gate.locks.set(keeper, { target, reason: 'stock-taking' })
      log.write({ phase: 'ok', op, lock: id })
      reach('lock after')
      return id
    } catch (error) {
      const code = codeOf(error)
      log.write({ phase: 'fail', op, code })
      if (!NOT_THROUGH.test(code)) return undefined
    }
    await pause(100)
  }
  return undefined
}

async function liftLock(stage: Stage, lock: string): Promise<void> {
  const { gate, log, reach } = stage
  for (let attempt = 1; attempt <= 100; attempt += 1) {
    const op = crypto.randomUUID()
    log.write({ phase: 'invoke', op, kind: 'lift', key: '', lock })
    reach('lift before')
    try {
      await gate.locks.lift(keeper, lock)
      log.write({ phase: 'ok', op, lock })
      reach('lift after')
      return
    } catch (error) {
      const code = codeOf(error)
      log.write({ phase: 'fail', op, code })
      if (!NOT_THROUGH.test(code)) return
    }
    await pause(100)
  }
}

/** A store that is away comes back. */
async function patiently<T>(read: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      if (attempt > 100) throw error
    }
    await pause(100)
  }
}

function codeOf(error: unknown): string {
  return isCountersignError(error) ? error.code : 'store_unavailable'
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
