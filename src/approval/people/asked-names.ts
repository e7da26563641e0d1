import type { Approval } from '../approval.ts'
import type { PersonId } from './person.ts'
import type { Approver } from './requirement.ts'

/** An approver added by an escalation. */
export interface AddedName {
  /** In words: `group chiefs`. */
  readonly who: string
  readonly at: number
  /** How old the question was to be. */
  readonly after: number
  /** The group whose places they may fill; absent: any place of the rule. */
  readonly for?: string
  /** Who was ahead of the clock. */
  readonly by?: PersonId
}

/** Who is asked for one of an approval's requirements, in words, those it was escalated to among them. */
export function askedNames(approval: Approval, index: number): string[] {
  const added = addedNames(approval, index).map(({ who }) => who)
  return [...new Set([...firstNames(approval, index), ...added])]
}

/** Who was asked from the start. A quorum names its own people. */
export function firstNames({ requirements }: Approval, index: number): string[] {
  const requirement = requirements[index]
  if (requirement === undefined) return []
  const { level, approvers, quorum } = requirement
  const isOpen = level === 'confirm' || (approvers.length === 0 && quorum.length === 0)
  const names = [
    ...(level === 'confirm' ? ['the person the agent works for'] : []),
    ...approvers.map(approverName),
    ...(isOpen ? [approverName('*')] : []),
  ]
  return [...new Set(names)]
}

/** Who was added since, the earliest first. Leaves out approvers who were asked from the start. */
export function addedNames(approval: Approval, index: number): AddedName[] {
  const first = firstNames(approval, index)
  const found: AddedName[] = []
  for (const { requirement, step, at, by } of approval.escalated) {
    const taken = requirement === index && approval.requirements[index]?.escalate[step]
    if (!taken) continue
    const { to, for: group, after } = taken
    const who = approverName(to)
    if (first.includes(who) && group === undefined) continue
    if (found.some((one) => one.who === who && one.for === group)) continue
    found.push({
      who,
      at,
      after,
      ...(group === undefined ? {} : { for: group }),
      ...(by && { by }),
    })
  }
  return found
}

function approverName(approver: Approver): string {
  if (approver === '*') return 'anyone with the approver role'
  return 'group' in approver ? `group ${approver.group}` : approver.email
}
