import { AsyncLocalStorage } from 'node:async_hooks'
import { CountersignError } from '../base/errors.ts'
import type { Validate } from '../gate/context.ts'

/*
 * One check of arguments ends by itself, but an agent may send many, each with a schema made to cost
 * as much as one can. So the time that schemas of its own take is counted by agent.
 */

/** Milliseconds of this process that one agent's schemas may take at once, and for each second. */
const AT_ONCE = 2_000
const PER_SECOND = 100
const MOST_AGENTS = 10_000

export interface ValidationMeter {
  /** What runs inside is on this agent's account. */
  on<T>(agent: string, work: () => Promise<T>): Promise<T>
  /** Does this now, on this agent's account. */
  charge<T>(agent: string, work: () => T): T
  /** The same checks, refused with `too_many_requests` while the account is empty. */
  over(validate: Validate): Validate
}

interface Account {
  left: number
  at: number
}

export function createValidationMeter(
  now: () => number = () => performance.now(),
): ValidationMeter {
  const current = new AsyncLocalStorage<string>()
  const accounts = new Map<string, Account>()

  function accountOf(agent: string): Account {
    const known = accounts.get(agent) ?? { left: AT_ONCE, at: now() }
    const earned = ((now() - known.at) / 1_000) * PER_SECOND
    const account = { left: Math.min(AT_ONCE, known.left + earned), at: now() }
    accounts.delete(agent)
    accounts.set(agent, account)
    const [oldest] = accounts.size > MOST_AGENTS ? accounts.keys() : []
    if (oldest !== undefined) accounts.delete(oldest)
    return account
  }

  function metered<T>(check: () => T): T {
    const agent = current.getStore()
    return agent === undefined ? check() : charge(agent, check)
  }

  function charge<T>(agent: string, check: () => T): T {
    const account = accountOf(agent)
    if (account.left <= 0) {
      const wait = Math.ceil((1 - account.left) / PER_SECOND)
      throw new CountersignError('too_many_requests', 'the schemas of this agent take too long', {
        hint: `Wait ${wait} ${wait === 1 ? 'second' : 'seconds'}, and simplify the JSON Schema of the tool.`,
        details: { retryAfter: wait },
      })
    }
    const began = now()
    try {
      return check()
    } finally {
      account.left -= now() - began
    }
  }

  return {
    on: (agent, work) => current.run(agent, work),
    charge,
    over: (validate) =>
      Object.assign(
        ((schema, args) => metered(() => validate(schema, args))) as Validate,
        validate.fill
          ? { fill: (schema: never, args: never) => metered(() => validate.fill?.(schema, args)) }
          : {},
      ),
  }
}
