import { isOnCalls, type Lock, readLock } from '../../approval/locks/lock.ts'
import { readStandIn, type StandIn } from '../../approval/people/stand-in.ts'
import type { Call } from '../../base/call.ts'
import { CountersignError, isCountersignError } from '../../base/errors.ts'
import { sha256 } from '../../base/json/digest.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { Mode } from '../../policy/evaluate/mode.ts'
import { combinePolicy } from '../../policy/load/combine.ts'
import type { Policy } from '../../policy/policy.ts'
import { LOCK_RECORD } from '../../store/records/lock-record.ts'
import { STAND_IN_RECORD } from '../../store/records/stand-in-record.ts'
import { allRecords, type StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { policyName } from '../declared/policy-answer.ts'
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

/**
 * Which tools people were asked about, and under which rules. A call that the rules allow reaches no
 * store, and nearly all have nothing to find there: only where other rules asked about its tool
 * before can there be an answer to this very call, under its key.
 */
export interface AskedTools {
  /** What other rules asked about. Undefined: unknown without waiting. */
  others(policy: Policy, mode: Mode['kind']): Others | undefined
  /** Whether they asked about this tool, for callers that can wait. Throws when that is unknown. */
  byOthers(policy: Policy, mode: Mode['kind'], call: Tool): Promise<boolean>
  /** The tools they asked about: for gates elsewhere that judge by a copy of the policy. */
  namesByOthers(policy: Policy, mode: Mode['kind']): Promise<Others>
  /**
   * Written before any approver is asked. `byAgent`: code of an agent elsewhere declared the tool,
   * and may declare it otherwise next time.
   */
  note(policy: string, mode: Mode['kind'], call: Tool, byAgent?: boolean): Promise<void>
}

type Tool = Pick<Call, 'tool' | 'server'>

/** One tool that was asked about under one set of rules. */
interface AskedTool {
  readonly tool: string
  readonly under: string
}

const ASKED_RECORD = 'asked'
/** As long as a question lives at most, and its yes. */
const REMEMBERED_MS = 366 * 86_400_000
/** Names come from models. Rules that asked about more than this count as asking about all. */
const MOST_TOOLS = 500
const ANY_TOOL = '*'

/** Names of tools. */
type Others = ReadonlySet<string>

export function createAskedTools(store: Store, locks: LockCopy): AskedTools {
  const noted = new Set<string>()
  const found = new WeakMap<Policy, Map<string, { asked: readonly AskedTool[]; others: Others }>>()

  async function namesByOthers(policy: Policy, mode: Mode['kind']): Promise<Others> {
    await locks.current()
    const { asked } = locks
    const own = rulesName(await policyName(policy), mode)
    const others = new Set(asked.flatMap(({ tool, under }) => (under === own ? [] : [tool])))
    const byMode = found.get(policy) ?? new Map()
    found.set(policy, byMode.set(mode, { asked, others }))
    return others
  }

  return {
    others(policy, mode) {
      const known = found.get(policy)?.get(mode)
      return known && known.asked === locks.asked ? known.others : undefined
    },
    async byOthers(policy, mode, call) {
      return isAmong(await namesByOthers(policy, mode), call)
    },
    namesByOthers,
    async note(policy, mode, call, byAgent = false) {
      const under = byAgent ? `${rulesName(policy, mode)} declared` : rulesName(policy, mode)
      const tool = noted.size < MOST_TOOLS ? nameOf(call) : ANY_TOOL
      const id = await sha256(JSON.stringify([under, tool]))
      if (noted.has(id)) return
      const expiresAt = (await store.now()) + REMEMBERED_MS
      await store.records.put(ASKED_RECORD, id, { tool, under }, { expiresAt })
      noted.add(id)
      locks.renew()
    },
  }
}

/**
 * How a server names a tool to agents, who may only know the names of their own: so an agent can
 * tell whether its call was asked about, and is told nothing else.
 */
export async function disguised(name: string, salt: string): Promise<string> {
  return name === ANY_TOOL ? name : sha256(`${salt}\n${name}`)
}

export async function isDisguisedAmong(others: Others, call: Tool, salt: string): Promise<boolean> {
  return others.has(ANY_TOOL) || others.has(await disguised(nameOf(call), salt))
}

export function isAmong(others: Others, call: Tool): boolean {
  return others.has(nameOf(call)) || others.has(ANY_TOOL)
}

/** A mode may answer in the place of the owner, so it is part of the rules. */
function rulesName(policy: string, mode: Mode['kind']): string {
  return mode === 'annotated' ? policy : `${policy} ${mode}`
}

function nameOf({ server, tool }: Tool): string {
  return server === undefined ? tool : `${server}/${tool}`
}

/** An unreadable one stands for every tool under unknown rules. */
function askedTool({ value }: StoredRecord): AskedTool {
  const { tool, under } = isPlainObject(value) ? value : {}
  return typeof tool === 'string' && typeof under === 'string'
    ? { tool, under }
    : { tool: ANY_TOOL, under: '' }
}

function sameAsked(one: readonly AskedTool[], other: readonly AskedTool[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ tool, under }, at) => tool === other[at]?.tool && under === other[at]?.under)
  )
}

type Switched = { readonly switches: ReadonlyMap<string, boolean>; readonly policy: Policy }

const made = new WeakMap<Policy, Switched>()

/** The policy with what operators switched in the inbox. Combined again only when either changed. */
export function switchedPolicy(policy: Policy, switches: ReadonlyMap<string, boolean>): Policy {
  if (switches.size === 0) return policy
  const known = made.get(policy)
  if (known?.switches === switches) return known.policy
  const combined = combinePolicy({
    ...policy,
    governance: policy.outside,
    switches: new Map([...policy.switches, ...switches]),
  })
  made.set(policy, { switches, policy: combined })
  return combined
}
