import * as v from 'valibot'
import { ExecutionState, WirePerson } from '../common.ts'
import { type Infer, object, optional, whole } from '../schema.ts'

/** What became of a call that was claimed. */
export const WireOutcome = object({
  state: ExecutionState,
  claimedAt: whole(),
  endedAt: optional(whole()),
  result: optional(v.unknown()),
  noResult: optional(v.string()),
  resolvedBy: optional(WirePerson),
})
export type WireOutcome = Infer<typeof WireOutcome>
