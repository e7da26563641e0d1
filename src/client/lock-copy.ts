import type { AgentLocks } from '../api/locks.ts'
import { isOnCalls, type Lock, lockedBecause, lockOn, readLock } from '../approval/locks/lock.ts'
import type { Call } from '../base/call.ts'
import { isCountersignError } from '../base/errors.ts'
import { isDisguisedAmong } from '../gate/admin/operator-state.ts'
import { lockable } from '../gate/identity.ts'
import type { Connection } from './connection.ts'

/** What the server says is locked, for calls that the policy allows without asking it. */
export interface RemoteLocks {
  /** Resolves when the server has answered. */
  ready(): Promise<void>
  /**
   * Why this call is held back, if it is. Throws when the server has not confirmed that for too
   * long: then nothing runs.
   */
  on(call: Call): Promise<string | undefined>
  /** Whether other rules asked about this tool, as of the last look: there may be an answer. */
  wasAsked(call: Call): Promise<boolean>
  /** The name of the policy that was in force there at the last look. */
  policy(): string | undefined
}

/** A call is held back at most this long after it was locked. */
const FRESH_MS = 1_000
/** How long the last answer counts while the server cannot be reached. As for the policy. */
const VALID_MS = 60_000
const TIMEOUT_MS = 2_000

export function followLocks({ call: send, repeat }: Connection): RemoteLocks {
  let locks: readonly Lock[] = []
  let policy: string | undefined
  let asked: { readonly salt: string; readonly tools: ReadonlySet<string> } | undefined
  let clock = { at: 0, now: 0 }
  let confirmedAt = Number.NEGATIVE_INFINITY
  let triedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  async function confirm(): Promise<void> {
    // Counted from before asking: the answer may have been on its way for a while.
    const sent = performance.now()
    triedAt = sent
    const answer = await send('GET /v1/locks', { timeout: TIMEOUT_MS })
    locks = answer.locks.map(lockOf).filter(isOnCalls)
    policy = answer.policy
    asked = askedOf(answer)
    clock = { at: sent, now: answer.now }
    confirmedAt = sent
  }

  function confirmOnce(): Promise<void> {
    asking ??= confirm().finally(() => {
      asking = undefined
    })
    return asking
  }

  async function confirmed(): Promise<void> {
    const now = performance.now()
    const isValid = now - confirmedAt < VALID_MS
    // A server that did not answer a moment ago is not waited for again by every call.
    if (now - confirmedAt < FRESH_MS || (isValid && now - triedAt < FRESH_MS && !asking)) return
    await repeat(() =>
      confirmOnce().catch((error: unknown) => {
        const isAway = isCountersignError(error, 'server_unreachable')
        if (!isAway || performance.now() - confirmedAt >= VALID_MS) throw error
      }),
    )
  }

  return {
    ready: confirmed,
    policy: () => policy,
    wasAsked: async (call) => !asked || isDisguisedAmong(asked.tools, call, asked.salt),
    async on(call) {
      await confirmed()
      // The server sends locks on this very agent, by the name of its token.
      const [agent] = locks.flatMap(({ target }) => ('agent' in target ? [target.agent] : []))
      const what = { ...lockable(call), ...(agent === undefined ? {} : { agent }) }
      const lock = lockOn(locks, what, clock.now + Math.round(performance.now() - clock.at))
      return lock && lockedBecause(lock)
    },
  }
}

/** Undefined where it is not as we know it: then any tool may have been asked about. */
function askedOf({ asked }: AgentLocks) {
  const { salt, tools } = asked ?? {}
  const isKnown = typeof salt === 'string' && Array.isArray(tools)
  return isKnown ? { salt, tools: new Set<string>(tools) } : undefined
}

/** What cannot be read holds back everything. Who locked it is not for agents to know. */
function lockOf(sent: AgentLocks['locks'][number]): Lock {
  return readLock({ ...sent, by: { issuer: 'server', subject: 'withheld' } })
}
