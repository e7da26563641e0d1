import type { ErrorCode } from '../../base/errors.ts'
import type { Approval } from '../approval.ts'
import type { Person } from '../people/person.ts'
import { byPerson, type Outcome, refuse } from '../transition.ts'

/** Refused because of what became of the approval before; the code says what that was. */
export function closed({ id, status, reason, execution }: Approval): {
  readonly code: ErrorCode
  readonly message: string
} {
  if (execution) return { code: 'already_claimed', message: `approval ${id} was already claimed` }
  switch (status) {
    case 'pending':
      return { code: 'not_approved', message: `approval ${id} is still pending` }
    case 'approved':
      return { code: 'already_decided', message: `approval ${id} is already approved` }
    case 'denied':
      return { code: 'denied', message: `approval ${id} was denied` }
    case 'expired':
      return { code: 'expired', message: `approval ${id} has expired (${reason})` }
    case 'withdrawn':
      return { code: 'withdrawn', message: `approval ${id} was withdrawn` }
    case 'invalidated':
      return { code: 'invalidated', message: `approval ${id} was invalidated (${reason})` }
  }
}

export function refuseClosed(approval: Approval): Outcome {
  const { code, message } = closed(approval)
  return refuse(code, message)
}

/**
 * An answer that came too late never counts, and is written down as what it was: a late answer,
 * not a decision.
 */
export function refuseLate(
  approval: Approval,
  by: Person,
  verdict: 'approve' | 'deny',
  digest: string,
): Outcome {
  const { code, message } = closed(approval)
  return refuse(code, message, [
    { type: 'late', ...byPerson(by), digest, code, facts: { verdict } },
  ])
}
