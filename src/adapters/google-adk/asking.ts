import type { JsonObject } from '../../base/json/json.ts'
import type { ToolGate } from '../../gate/tool-gate.ts'
import { type Asking, checkAsking, type ParentInput } from '../asking.ts'
import { defaultHint } from './confirmation.ts'

/** What names a session. Its id alone does not: it is unique for one user of one application. */
export interface SessionName {
  readonly appName: string
  readonly userId: string
  readonly sessionId: string
}

export interface AdkAsking extends Omit<Asking, 'run'> {
  /** The run that calls belong to. One for each session unless set. */
  readonly run?: string | ((session: SessionName) => string)
  /** What the agent that hands work over was given itself: a value, or a function of the session. */
  readonly parent?: ParentInput<SessionName>
  /** What people are asked in the conversation, by tool. */
  readonly hints?: Readonly<Record<string, string | ((args: JsonObject) => string)>>
}

export function checkAdkAsking(gate: ToolGate, { run, ...asking }: AdkAsking): void {
  checkAsking(gate, { ...asking, run: typeof run === 'string' ? run : 'of the session' })
}

export function runOf({ run }: AdkAsking, { appName, userId, sessionId }: SessionName): string {
  if (typeof run === 'string') return run
  if (run) return run({ appName, userId, sessionId })
  return [appName, userId, sessionId].map(encodeURIComponent).join('/')
}

/** A hint that fails is the usual one: the call is asked about all the same. */
export function hintFor({ hints = {} }: AdkAsking, name: string, args: JsonObject): string {
  const own = Object.hasOwn(hints, name) ? hints[name] : undefined
  if (own === undefined) return defaultHint(name)
  try {
    return typeof own === 'string' ? own : String(own(args))
  } catch {
    return defaultHint(name)
  }
}
