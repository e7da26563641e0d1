import { CountersignError } from '../../base/errors.ts'
import { canonicalJson } from '../../base/json/canonical.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { Outcome } from '../../gate/outcome.ts'
import type { HookInput } from '../claude-code/hook-input.ts'

/** A call that Claude Code was let run, and has not told the end of. */
interface Running {
  readonly session: string
  /** Undefined for what the main agent calls. */
  readonly subAgent: string | undefined
  /** What people approved. */
  readonly args: string
  readonly end: (ended: Promise<Json>) => void
  readonly outcome: () => Promise<Outcome>
}

/**
 * Claude Code runs its tools by itself. For the gate a call runs from the moment Claude Code was
 * let run it until one of its hooks tells how that ended.
 */
export interface RunningCalls {
  /** Resolves or rejects as the call ends. */
  start(input: HookInput, args: JsonObject, outcome: () => Promise<Outcome>): Promise<Json>
  /** Tells the gate how a call ended. Undefined where the gate does not wait to hear that. */
  end(input: HookInput): Promise<Outcome> | undefined
  /** How these ended will not be reported any more. */
  lose(which: (call: Pick<Running, 'session' | 'subAgent'>) => boolean): void
}

export function runningCalls(): RunningCalls {
  const running = new Map<string, Running>()
  return {
    start(input, args, outcome) {
      const { promise, resolve: end } = Promise.withResolvers<Json>()
      const { session, subAgent } = input
      const call = { session, subAgent: subAgent?.id, args: canonicalJson(args), end, outcome }
      running.set(nameOf(input), call)
      return promise
    },
    end(input) {
      const found = running.get(nameOf(input))
      running.delete(nameOf(input))
      found?.end(endOf(input, found.args))
      return found?.outcome()
    },
    lose(which) {
      for (const [name, call] of running) {
        if (!which(call)) continue
        running.delete(name)
        const problem = 'Claude Code went on, or away, without saying how it ended'
        call.end(Promise.reject(new CountersignError('outcome_unknown', problem)))
      }
    },
  }
}

/** How it ended, as Claude Code tells it. A tool that was cut off may have done part of its work. */
async function endOf(input: HookInput, approved: string): Promise<Json> {
  const { event, args, response = null, error = 'it failed', wasInterrupted } = input
  if (canonicalJson(args) !== approved) {
    const problem = 'it ran with other arguments than were approved, which another hook put there'
    throw new CountersignError('outcome_unknown', problem)
  }
  if (event === 'PostToolUse') return response
  if (wasInterrupted) throw new CountersignError('outcome_unknown', `it was interrupted: ${error}`)
  throw new Error(error)
}

function nameOf({ session, attempt }: HookInput): string {
  return JSON.stringify([session, attempt])
}
