import { duration } from '../../base/duration-words.ts'
import type { Approver, Escalation, Requirement } from '../../base/oversight.ts'

/** `A yes from 2 of group finance and 1 of group ops, 3 different people.` */
export function peopleWords({
  level,
  approvers,
  quorum,
}: Pick<Requirement, 'level' | 'approvers' | 'quorum'>): string {
  if (level === 'confirm') {
    const named = ['the person the agent works for', 'anyone with the approver role']
    return `A yes from ${[...named, ...approvers.map(nameOf)].join(' or ')}.`
  }
  const parts = [
    ...(approvers.length > 0 ? [oneOf(approvers)] : []),
    ...quorum.map(({ group, n }) => `${n} of group ${group}`),
  ]
  const places = quorum.reduce((sum, { n }) => sum + n, 0)
  const different = places > 1 ? `, ${places} different people` : ''
  return `A yes from ${parts.join(' and ')}${different}.`
}

/** `After 4 h also anyone of group leads in place of group finance.` */
export function escalationWords({ after, to, for: group }: Escalation): string {
  const place = group === undefined ? '' : ` in place of group ${group}`
  return `After ${duration(after)} also ${nameOf(to)}${place}.`
}

function oneOf(approvers: readonly Approver[]): string {
  const [only] = approvers
  if (approvers.length === 1 && only !== undefined) return nameOf(only)
  return `one of: ${approvers.map(shortName).join(', ')}`
}

function shortName(approver: Approver): string {
  return approver !== '*' && 'group' in approver ? `group ${approver.group}` : nameOf(approver)
}

function nameOf(approver: Approver): string {
  if (approver === '*') return 'anyone with the approver role'
  return 'group' in approver ? `anyone of group ${approver.group}` : approver.email
}
