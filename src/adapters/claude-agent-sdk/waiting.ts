import { isPlainObject } from '../../base/json/json.ts'

/** The call that a run has ended with, because it waits for people. */
export interface Waiting {
  readonly session: string
  readonly callId: string
  readonly name: string
  readonly args: unknown
}

/**
 * What a message of the SDK says is waiting, if it says so. A resumed run first repeats, as
 * unavailable, what it was deferred with, and then goes on: that is no answer, and not the end.
 */
export function waitingIn(message: unknown): Waiting | undefined {
  if (!isPlainObject(message) || message.type !== 'result') return undefined
  const { deferred_tool_use: call, session_id: session } = message
  if (message.stop_reason !== 'tool_deferred' || !isPlainObject(call)) return undefined
  return {
    session: String(session),
    callId: String(call.id),
    name: String(call.name),
    args: call.input,
  }
}
