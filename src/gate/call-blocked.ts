import type { Approval } from '../approval/approval.ts'
import { CountersignError, type ErrorCode } from '../base/errors.ts'
import type { Outcome } from './outcome.ts'

// Symbol.for, so a second copy of the package in node_modules still recognises the error.
const brand = Symbol.for('countersign.call-blocked')

/** Everything that leaves a guarded call without a result, besides what the tool itself throws. */
export type WithoutResult = Exclude<Outcome, { readonly status: 'failed' }>

/**
 * Thrown in place of a result, so that a guarded function keeps the type of the tool. The message is
 * the sentence for the model.
 */
export class CallBlocked extends CountersignError {
  readonly [brand] = true
  override readonly name = 'CallBlocked'
  readonly status: WithoutResult['status']
  readonly ran: WithoutResult['ran']
  readonly modelMessage: string
  /** Names the approval it rests on, where there is one: what `resume` takes. */
  readonly approvalId: string | undefined
  readonly approval: Approval | undefined

  constructor(outcome: WithoutResult) {
    const { modelMessage = 'The call ran; its result is not kept.' } = outcome
    super(codeOf(outcome), modelMessage)
    this.status = outcome.status
    this.ran = outcome.ran
    this.modelMessage = modelMessage
    this.approvalId = outcome.approvalId
    this.approval = outcome.approval
  }

  /** Some SDKs show the model what this returns: the sentence, without the name of a class. */
  override toString(): string {
    return this.message
  }
}

export function isCallBlocked(value: unknown, code?: ErrorCode): value is CallBlocked {
  if (typeof value !== 'object' || value === null || !(brand in value)) return false
  return code === undefined || (value as CallBlocked).code === code
}

function codeOf(outcome: WithoutResult): ErrorCode {
  switch (outcome.status) {
    case 'succeeded':
      return 'content_gone'
    case 'pending':
      return 'pending'
    default:
      return outcome.code
  }
}
