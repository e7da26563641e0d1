import { CountersignError, type ErrorCode } from '../base/errors.ts'
import type { Json, JsonObject } from '../base/json/json.ts'

/** What people answered, or why none did. Plain JSON: the engine keeps it. */
export interface Decision<P = Json> {
  /**
   * `denied`: by a person, or by a rule (`code` tells). `expired`: not answered in time, or not used
   * in time. `withdrawn`: taken back, or no longer valid.
   */
  readonly status: 'approved' | 'denied' | 'expired' | 'withdrawn'
  /** Who gave the answer. Empty over HTTP: a server does not tell agents who decides. */
  readonly by: readonly string[]
  /** What a person wrote with a denial. */
  readonly reason?: string
  /** What an approver attached. */
  readonly payload?: P
  /** As approved: with the changes of a person, where they made any. */
  readonly args: JsonObject
  /** The id of the approval; absent where none was needed, or none could be asked for. */
  readonly approval?: string
  /** Why it is not approved. */
  readonly code?: ErrorCode
  /** The same as a sentence. */
  readonly message?: string
}

/** Thrown by `requireApproval`, within the engine's own error where it has one. */
export class NotApproved extends CountersignError {
  override readonly name = 'NotApproved'
  readonly decision: Decision

  constructor(decision: Decision) {
    const { code = 'denied', message = 'The workflow was not approved.' } = decision
    super(code, message)
    this.decision = decision
  }
}

const STATUS: Readonly<Partial<Record<ErrorCode, Exclude<Decision['status'], 'approved'>>>> = {
  denied: 'denied',
  denied_by_policy: 'denied',
  denied_by_mode: 'denied',
  locked: 'denied',
  quarantined: 'denied',
  no_eligible_approver: 'denied',
  expired: 'expired',
  withdrawn: 'withdrawn',
  invalidated: 'withdrawn',
  not_started: 'withdrawn',
}

/** Undefined for a mistake of the program, which is an error and not an answer. */
export function refusalOf(code: ErrorCode): Exclude<Decision['status'], 'approved'> | undefined {
  return STATUS[code]
}
