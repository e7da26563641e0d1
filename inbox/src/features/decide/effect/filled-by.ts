import type { ApprovalCard } from '../../../../../src/api/approval.ts'
import type { WirePerson } from '../../../../../src/api/common.ts'
import { ruleName } from '../../../lib/approval/rule-name.ts'
import { t } from '../../../lib/language/t.ts'

interface Filled {
  /** Groups and rules of which this person's yes is sure to fill one place each. */
  readonly names: readonly string[]
  /** No other rule is open, so the count after the yes is known. */
  readonly isAll: boolean
}

/** What a yes of this reader fills. What the card cannot tell for sure is left out. */
export function filledBy(
  { requirements, principal, mine }: Pick<ApprovalCard, 'requirements' | 'principal' | 'mine'>,
  me: WirePerson | undefined,
  isApprover: boolean,
): Filled {
  const email = me?.email
  // A stand-in fills places of others; the person the agent works for counts for some rules only.
  if (!mine.may || mine.for !== undefined || email === undefined || email === principal)
    return { names: [], isAll: false }
  const open = requirements.filter(({ met }) => !met)
  const names = open.flatMap(({ level, rule, approvers, people = [], quorum }): string[] => {
    const isNamed = (people as readonly (string | WirePerson)[]).some(
      (one) => (typeof one === 'string' ? one : one.email) === email,
    )
    const [group] = quorum
    if (group === undefined) {
      if (level === 'confirm') return isNamed || isApprover ? [t('the confirmation')] : []
      return isNamed ? [ruleName(rule)] : []
    }
    const isOnly = quorum.length === 1 && approvers.length === 0
    return isOnly && isNamed && group.have < group.n ? [group.group] : []
  })
  return { names, isAll: names.length === open.length }
}
