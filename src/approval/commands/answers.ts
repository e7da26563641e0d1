import type { Approval, Decision } from '../approval.ts'
import type { Decide } from '../command.ts'
import { samePerson } from '../people/person.ts'
import { type Outcome, refuse } from '../transition.ts'

/** A yes to a call with a form has to fill it in. That the form accepts it was checked by the gate. */
export function refuseUnanswered(
  { id, call }: Approval,
  { verdict, payload, answers }: Decide,
): Outcome | undefined {
  if (verdict === 'deny' || call.form === undefined) return undefined
  if (payload !== undefined && answers !== undefined) return undefined
  return refuse('payload_required', `approval ${id} has a form that a yes must fill in`)
}

/**
 * Several approvers approve one set of answers. A yes with other answers starts the count anew, like an
 * edit of the call: the last of them must not decide alone what the others were never shown.
 */
export function voidOtherAnswers(
  { call, decisions }: Approval,
  { by, answers }: Decide,
): { readonly decisions: readonly Decision[]; readonly voided: number } {
  if (call.form === undefined) return { decisions, voided: 0 }
  let voided = 0
  const kept = decisions.map((one) => {
    if (one.void || one.answers === answers) return one
    if (!samePerson(one.by, by)) voided += 1
    return { ...one, void: true as const }
  })
  return { decisions: kept, voided }
}
