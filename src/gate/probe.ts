import type { Approval } from '../approval/approval.ts'

/**
 * Places between two durable steps, named for what has just happened. Tests of what a crash
 * leaves behind crash here.
 */
export type ProbePoint =
  /** The call is read and has its shape. */
  | 'call.read'
  /** The policy has answered; nothing is stored. */
  | 'verdict.known'
  /** The question is stored; no notice was delivered. */
  | 'question.stored'
  /** A notice is taken and about to be sent. */
  | 'notice.taken'
  /** It was sent; that is not written down. */
  | 'notice.sent'
  /** The question has its answer; nothing is claimed. */
  | 'answer.known'
  /** Claimed; the tool has not started. */
  | 'claim.committed'
  /** The tool has returned; nothing is recorded. */
  | 'tool.returned'
  /** The outcome is recorded; the caller has not heard. */
  | 'outcome.recorded'
  /** The sweeper is between two batches of rows. */
  | 'sweep.between_rows'

export type Probe = (point: ProbePoint, approval?: Approval) => void | Promise<void>
