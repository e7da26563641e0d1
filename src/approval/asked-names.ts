import type { Approval } from './approval.ts'
import type { Approver } from './requirement.ts'

/** Who is asked for one of an approval's requirements, in words, those it was escalated to among them. */
export function askedNames({ requirements, escalated }: Approval, index: number): string[] {
  const requirement = requirements[index]
  if (requirement === undefined) return []
  const { level, approvers, quorum, escalate } = requirement
  const added = escalated
    .filter((one) => one.requirement === index)
    .flatMap(({ step }) => escalate[step]?.to ?? [])
  const anybody = level === 'confirm' || (approvers.length === 0 && quorum.length === 0)
  const names = [
    ...(level === 'confirm' ? ['the person the agent works for'] : []),
    ...[...approvers, ...added].map(approverName),
    ...(anybody ? [approverName('*')] : []),
  ]
  return [...new Set(names)]
}

function approverName(approver: Approver): string {
  if (approver === '*') return 'anyone with the approver role'
  return 'group' in approver ? `group ${approver.group}` : approver.email
}
