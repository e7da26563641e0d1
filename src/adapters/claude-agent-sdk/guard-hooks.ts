import { isCountersignError } from '../../base/errors.ts'
import { isPlainObject, type Json, type JsonObject } from '../../base/json/json.ts'
import { milliseconds } from '../../gate/options.ts'
import { blocked } from '../../gate/outcome.ts'
import { NotStarted } from '../../gate/tool.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { type Asking, checkAsking, type ParentInput } from '../asking.ts'
import { type HookInput, hookInput } from '../claude-code/hook-input.ts'
import { allowed, approvedSentence, deferred, denied } from '../claude-code/hook-output.ts'
import { callOf, type Delegating, isSameAgent } from './call-of.ts'
import { type RunningCalls, runningCalls } from './running-calls.ts'
import type { HookCallback, HookMatcher } from './sdk-types.ts'
import { messageOf, toldOf } from './told.ts'

export interface SessionAsking extends Omit<Asking, 'run'> {
  /** The id of the session unless set: it stays the same when the session is resumed. */
  readonly run?: string
  /**
   * `block`, the default: the call waits in its hook. `suspend`: the run ends with the call
   * deferred, and goes on when its session is resumed, anywhere.
   */
  readonly mode?: 'suspend' | 'block'
  /** What the agent that hands work to a sub-agent was given itself. */
  readonly parent?: ParentInput<Delegating>
}

/** Seconds that Claude Code waits for an answer. A timer of Node holds no more than 24 days. */
const TIMEOUT = 7 * 86_400
/** People are no longer waited for when Claude Code is about to stop waiting, in milliseconds. */
const LONGEST_WAIT = (TIMEOUT - 60) * 1_000
/** Seconds for hooks that only write down what happened. */
const AFTERWARDS = 60

export interface GuardHooks {
  readonly hooks: Readonly<Record<string, HookMatcher>>
  /** What still runs is written down as unknown. */
  lose: RunningCalls['lose']
}

/** Hooks for every tool of a session: asked before it runs, written down afterwards. */
export function guardHooks(gate: ToolGate, asking: SessionAsking): GuardHooks {
  checkAsking(gate, { ...asking, run: asking.run ?? 'the session' })
  const { mode = 'block' } = asking
  const waitFor = Math.min(milliseconds(asking.waitFor) ?? LONGEST_WAIT, LONGEST_WAIT)
  const running = runningCalls()
  const pauses = onePause()

  async function before(input: HookInput, signal: AbortSignal): Promise<object> {
    const call = callOf(input, asking)
    const now = await gate.check(call)
    if (now.status === 'allowed') return {}
    if (now.status === 'blocked') return denied(now.modelMessage)
    if (now.status === 'pending' && mode === 'suspend' && pauses.take(input)) return deferred()
    pauses.leave(input)
    const { promise: answer, resolve: say } = Promise.withResolvers<object>()
    function run(args: JsonObject, { edited }: { readonly edited: boolean }): Promise<Json> {
      if (!isSameAgent(call, args)) {
        throw new NotStarted('it would go to another agent than people were asked about')
      }
      const ended = running.start(input, args, () => outcome)
      say(allowed(approvedSentence(edited), args))
      return ended
    }
    const outcome = gate.run(call, { name: call.tool, run }, { signal, waitFor })
    // After `allowed` was said this changes nothing: then the call runs, or has run.
    void outcome.then(
      (ended) => say(denied(messageOf(ended, call.tool))),
      (error: unknown) => say(refused(error, call.tool)),
    )
    return answer
  }

  async function after(input: HookInput): Promise<object> {
    const outcome = await running.end(input)
    const additionalContext = outcome && toldOf(outcome)
    if (additionalContext === undefined) return {}
    return { hookSpecificOutput: { hookEventName: input.event, additionalContext } }
  }

  return {
    lose: running.lose,
    hooks: {
      PreToolUse: {
        timeout: TIMEOUT,
        onFailure: 'block',
        hooks: [
          guarded(async (told, _id, { signal }) => {
            let tool = ''
            try {
              const input = hookInput(told)
              tool = input.tool
              return await before(input, signal)
            } catch (error) {
              return refused(error, tool)
            }
          }),
        ],
      },
      PostToolUse: afterwards(async (told) => after(hookInput(told))),
      PostToolUseFailure: afterwards(async (told) => after(hookInput(told))),
      // When these come, whatever their agent had called is over.
      PostToolBatch: afterwards(lost),
      Stop: afterwards(lost),
      SubagentStop: afterwards(lost),
    },
  }

  async function lost(told: unknown): Promise<object> {
    const { session_id: session, agent_id: subAgent } = isPlainObject(told) ? told : {}
    running.lose((call) => call.session === session && call.subAgent === subAgent)
    return {}
  }
}

type AnyCallback = (
  told: unknown,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => Promise<object>

function guarded(callback: AnyCallback): HookCallback {
  return callback
}

function afterwards(callback: AnyCallback): HookMatcher {
  return { hooks: [callback], timeout: AFTERWARDS }
}

/** Whatever went wrong, the call does not run; nothing is thrown through the SDK. */
function refused(error: unknown, tool: string): object {
  return denied(
    isCountersignError(error, 'invalid_call')
      ? blocked(error.code, { tool, reason: error.message }).modelMessage
      : blocked('store_unavailable', { tool }).modelMessage,
  )
}

/**
 * Claude Code keeps one deferred call of a turn and drops the others, and pauses of sub-agents get
 * lost: a call that cannot have the one place there is waits in the hook.
 */
function onePause() {
  const paused = new Map<string, string>()
  return {
    take({ session, attempt, subAgent }: HookInput): boolean {
      if (subAgent || (paused.get(session) ?? attempt) !== attempt) return false
      paused.set(session, attempt)
      return true
    },
    leave({ session, attempt }: HookInput): void {
      if (paused.get(session) === attempt) paused.delete(session)
    },
  }
}
