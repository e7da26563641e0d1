import { type Approval, isOpen } from '../../approval/approval.ts'
import { isSureEnough } from '../../approval/decide.ts'
import { isEligible } from '../../approval/eligibility.ts'
import { refuseGrant } from '../../approval/grant-step.ts'
import { hasStake, isActingUser, samePerson } from '../../approval/identity.ts'
import type { Person } from '../../approval/person.ts'
import { mayReveal } from '../../approval/reveal.ts'
import { isOwn } from '../../approval/upkeep.ts'
import type { ApprovalCard, ApprovalRow } from '../../wire/approval.ts'

/**
 * What a reader may do, for display: buttons and sentences. Whether they really may is decided
 * again, by the rules themselves, when they do it.
 */
export function mine(approval: Approval, reader: Person): ApprovalRow['mine'] {
  const why = whyNot(approval, reader)
  return why === undefined ? { may: true } : { may: false, why }
}

function whyNot(approval: Approval, reader: Person): string | undefined {
  const { status, level, call, decisions, digest, terms } = approval
  if (status !== 'pending') return `It is already ${status}.`
  const answered = decisions.some(
    (one) => samePerson(one.by, reader) && one.digest === digest && !one.void,
  )
  if (answered) return 'You have already said yes; it waits for others.'
  if (!isEligible(approval, reader)) {
    return level === 'approve' && hasStake(reader, call)
      ? 'Somebody else must approve this: you asked for it, or the agent works for you.'
      : 'You are not among the people who are asked.'
  }
  return isSureEnough(reader, terms)
    ? undefined
    : `A yes here needs a stronger sign-in: ${terms.minAssurance}.`
}

export function can(approval: Approval, reader: Person): ApprovalCard['can'] {
  const { status, execution, terms, call } = approval
  const isAdmin = reader.roles.includes('admin')
  const isAsked = isEligible(approval, reader)
  const isPending = status === 'pending'
  const mayApprove = mine(approval, reader).may
  const mayRevoke = status === 'approved' && !execution && (isAsked || isAdmin)
  const mayResolve = isAdmin || reader.roles.includes('approver')
  const actions: readonly [ApprovalCard['can'][number], boolean][] = [
    ['approve', mayApprove],
    ['deny', (isPending && (isAsked || isActingUser(reader, call))) || mayRevoke],
    ['edit', mayApprove && terms.edit !== false],
    ['extend', isPending && (isAdmin || isAsked) && latestDeadline(approval) > approval.decideBy],
    ['withdraw', isOpen(approval) && isOwn(approval, reader)],
    ['reveal', mayReveal(approval, reader)],
    ['grant', (mayApprove || status === 'approved') && !refuseGrant(approval, reader, 'any')],
    ['resolve', execution?.state === 'unknown' && mayResolve],
  ]
  return actions.filter(([, may]) => may).map(([action]) => action)
}

/** A question lives at most twice as long as the policy gave it. */
function latestDeadline({ askedAt, terms }: Approval): number {
  return askedAt + Math.min(2 * terms.decideBy, 365 * 86_400_000)
}
