import { isOnCalls, type Lock, readLock } from '../../approval/locks/lock.ts'
import { readStandIn, type StandIn } from '../../approval/people/stand-in.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { LOCK_RECORD } from '../../store/records/lock-record.ts'
import { STAND_IN_RECORD } from '../../store/records/stand-in-record.ts'
import { allRecords } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { ASKED_RECORD, type AskedTool, askedTool, sameAsked } from '../pipeline/previously-gated.ts'
import { readSwitches, sameSwitches } from './switch-record.ts'

/**
 * The locks and switches as this process knows them, for calls that the policy allows: those never
 * reach the store. Calls that need a person are checked for locks again in the store's transaction.
 */
export interface LockCopy {
  /** Nothing that concerns calls is locked, and this was confirmed lately. */
  readonly isClear: boolean
  /** Throws when the store has not confirmed them for too long: unknown locks fail closed. */
  current(): Promise<readonly Lock[]>
  /** What operators switched, as of the last look; await `current` first for a confirmed value. */
  readonly switches: ReadonlyMap<string, boolean>
  /** Which tools people were asked about, as of the last look. The same list while it says the same. */
  readonly asked: readonly AskedTool[]
  /** Who stands in for whom, in the past and to come as well; await `current` first. */
  readonly standIns: readonly StandIn[]
  /** What this process just wrote: it counts from the next call on. */
  renew(): void
  /** The store's clock, as far as it can be told from here. */
  now(): number
}

/** How long a copy counts while the store cannot be reached. */
export const LOCKS_VALID_MS = 60_000
const CONFIRM_EVERY_MS = 15_000

const copies = new WeakMap<Store, LockCopy>()

/** One for all gates on a store. Looks at nothing before the first call. */
export function lockCopy(store: Store): LockCopy {
  const known = copies.get(store)
  if (known) return known
  const copy = createLockCopy(store)
  copies.set(store, copy)
  return copy
}

function createLockCopy(store: Store): LockCopy {
  let locks: readonly Lock[] = []
  let switches: ReadonlyMap<string, boolean> = new Map()
  let asked: readonly AskedTool[] = []
  let standIns: readonly StandIn[] = []
  let isClear = false
  let confirmedAt = Number.NEGATIVE_INFINITY
  let clock = { at: 0, now: 0 }
  let reading: Promise<void> | undefined
  /** Something was amended since what we know was read. */
  let isBehind = false
  let timer: ReturnType<typeof setInterval> | undefined
  let isStarted = false
  /** A timer turns `isClear` off when the store falls silent. Some runtimes do not keep timers. */
  let isWatched = false

  /** A change that comes while reading is read again: what was read may be older. */
  async function readAll(): Promise<void> {
    let amended: boolean
    do {
      amended = isBehind
      isBehind = false
      try {
        await readOnce()
      } catch (error) {
        isBehind ||= amended
        throw error
      }
    } while (isBehind)
    isClear = isWatched && !locks.some(isOnCalls)
  }

  async function readOnce(): Promise<void> {
    const began = performance.now()
    const [found, switched, tools, standing, now] = await Promise.all([
      lockRecords(store),
      readSwitches(store.records),
      allRecords(store.records, ASKED_RECORD),
      allRecords(store.records, STAND_IN_RECORD),
      store.now(),
    ])
    locks = found
    // The same map as long as it says the same: a policy is combined with it once.
    if (!sameSwitches(switches, switched)) switches = switched
    standIns = standing.map(({ id, value }) => readStandIn(id, value))
    const told = tools.map(askedTool)
    if (!sameAsked(asked, told)) asked = told
    confirmedAt = began
    clock = { at: began, now }
  }

  function read(): Promise<void> {
    reading ??= readAll().finally(() => {
      reading = undefined
    })
    return reading
  }

  function amended(): void {
    isBehind = true
    isClear = false
    read().catch(() => {})
  }

  function confirm(): void {
    // Before the next look it would be too old: from now on calls ask, and wait for the answer.
    if (age() >= LOCKS_VALID_MS - CONFIRM_EVERY_MS) isClear = false
    read().catch((error: unknown) => {
      if (isCountersignError(error, 'store_closed')) stop()
    })
  }

  function age(): number {
    return performance.now() - confirmedAt
  }

  function isTooOld(): boolean {
    return age() >= LOCKS_VALID_MS
  }

  function start(): void {
    isStarted = true
    // Listening first and reading second: a lock in between is heard of either way.
    store.onAmended(amended)
    timer = setInterval(confirm, CONFIRM_EVERY_MS)
    const { unref } = timer as { unref?: () => void }
    isWatched = typeof unref === 'function'
    unref?.call(timer)
  }

  function stop(): void {
    clearInterval(timer)
    isClear = false
    isWatched = false
  }

  return {
    get isClear() {
      return isClear
    },
    get switches() {
      return switches
    },
    get asked() {
      return asked
    },
    get standIns() {
      return standIns
    },
    renew() {
      if (isStarted) amended()
    },
    async current() {
      if (!isStarted) start()
      // What is being read is waited for. Without a timer there is no polling: so every call reads.
      if (reading || isBehind || isTooOld() || !isWatched) {
        await read().catch((error: unknown) => {
          if (isBehind || isTooOld()) throw unknown(error)
        })
      }
      return locks
    },
    now: () => clock.now + Math.round(performance.now() - clock.at),
  }
}

async function lockRecords(store: Store): Promise<Lock[]> {
  return (await allRecords(store.records, LOCK_RECORD)).map(({ value }) => readLock(value))
}

function unknown(cause: unknown): CountersignError {
  if (isCountersignError(cause)) return cause
  return new CountersignError('store_unavailable', 'the locks cannot be read', { cause })
}
