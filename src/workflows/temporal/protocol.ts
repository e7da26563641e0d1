/** What workflow code and activities agree on. Part of stored histories: it only ever grows. */
import type { Looking } from '../gates.ts'
import type { Question } from '../question.ts'

export const NAME = 'temporal'

/** The signal that wakes. Its argument is the id of an approval; it never holds an answer. */
export const WAKE_UP = 'countersign'

/** The type of failures that carry an error of ours: its `code` is in the details. */
export const REFUSED = 'CountersignError'

/** A question on its way to an activity. The tool of a step, and what code says of it, is there. */
export interface Sent {
  readonly kind: 'question' | 'step'
  readonly call: Question['call']
  /** Of a question. What is sent with a step does not count. */
  readonly declared?: Question['declared']
}

/** Names and types of the activities. */
export interface Activities<Look, Ran> {
  countersignAsk(sent: Sent, looking: Looking): Promise<Look>
  countersignRun(sent: Sent, looking: Looking): Promise<Ran>
  countersignWithdraw(sent: Sent): Promise<void>
}
