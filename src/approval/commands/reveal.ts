import type { Approval } from '../approval.ts'
import type { Reveal } from '../command.ts'
import { byPerson, type Outcome, refuse } from '../outcome.ts'
import { isEligible } from '../people/eligibility.ts'
import type { Person } from '../people/person.ts'
import { isSureEnough } from './decide.ts'

/**
 * A person reveals one masked value. Changes no state and is recorded all the same: the value is
 * shown only after this record is written.
 */
export function reveal(approval: Approval, { by, seen, path }: Reveal): Outcome {
  if (!mayReveal(approval, by)) {
    return refuse('not_permitted', 'only an approver who may decide this sees its secrets')
  }
  if (seen !== approval.digest) {
    return refuse('call_changed', `approval ${approval.id} is about another call now; look again`)
  }
  return {
    ok: true,
    drafts: [{ type: 'revealed', ...byPerson(by), digest: seen, facts: { path } }],
  }
}

/** Those who decide, and of them only people with a role who signed in to us themselves. */
export function mayReveal(approval: Approval, person: Person): boolean {
  return (
    !person.locked &&
    person.roles.some((role) => role === 'approver' || role === 'admin') &&
    isSureEnough(person, { minAssurance: 'signed-in' }) &&
    isEligible(approval, person)
  )
}
