import type { ErrorCode } from '../../base/errors.ts'
import type { Outcome, Refused, Undecided } from '../../gate/outcome.ts'

/**
 * Thrown in place of a result, so that the SDK ends the call as a tool error: a text in the place of
 * the tool's typed output would break pages that read the output and schemas that validate it.
 */
export class CallBlocked extends Error {
  override readonly name = 'CallBlocked'
  readonly status: Exclude<Outcome['status'], 'failed'>
  readonly ran: Outcome['ran']
  readonly code: ErrorCode | undefined

  constructor(outcome: Refused | Undecided | Lost) {
    super(outcome.message)
    this.status = outcome.status
    this.ran = outcome.ran
    this.code = 'code' in outcome ? outcome.code : undefined
  }

  /** The SDK shows the model what this returns: the sentence, without the name of a class. */
  override toString(): string {
    return this.message
  }
}

/** It ran before, and its result is not stored any more. */
interface Lost {
  readonly status: 'succeeded'
  readonly ran: true
  readonly message: string
}

/**
 * For `onError` of `toUIMessageStreamResponse`: the sentence for a call that did not run, and the
 * SDK's own text for everything else. Without it a page, and the model in later turns, would read
 * "An error occurred." instead.
 */
export function blockedText(error: unknown): string {
  return error instanceof CallBlocked ? error.message : 'An error occurred.'
}
