import type { ApprovalRow } from '../../api/approval.ts'
import type { WirePerson } from '../../api/common.ts'
import type { WireAssigned, WireRemark } from '../../api/talk/talk.ts'
import type { Approval } from '../../approval/approval.ts'
import type { PersonId } from '../../approval/people/person.ts'
import { openQuestions } from '../../approval/talk.ts'
import type { Content } from '../../approval/transition.ts'
import { given } from '../../base/json/json.ts'
import { maskText } from '../../base/secrets/mask.ts'
import { remarkText } from '../../gate/content/asked-back.ts'

type NameOf = (person: PersonId) => WirePerson

/** What was said, for people; `hidden` are the secrets of the call as it would be shown now. */
export function talkOf(
  { talk = [] }: Approval,
  content: readonly Content[],
  hidden: readonly string[],
  nameOf: NameOf,
): readonly WireRemark[] {
  return talk.map((one) => {
    const text = remarkText(content, one)
    const { kind, at, by } = one
    const shown = text === undefined ? undefined : maskText(text, hidden)
    return { kind, at, ...given({ by: by && nameOf(by), text: shown }) }
  })
}

export function assignedOf(
  { assigned, status }: Approval,
  nameOf: NameOf,
): WireAssigned | undefined {
  if (!assigned?.to || status !== 'pending') return undefined
  return { to: nameOf(assigned.to), by: nameOf(assigned.by), at: assigned.at }
}

/** What a list shows of it. */
export function talkRow(
  approval: Approval,
): Pick<ApprovalRow, 'questions' | 'replied' | 'assignee'> {
  const { status, talk = [], assigned } = approval
  if (status !== 'pending') return {}
  const open = openQuestions(approval).length
  const isReplied = open === 0 && talk.some(({ kind }) => kind === 'reply')
  return {
    ...(open > 0 ? { questions: open } : {}),
    ...(isReplied ? { replied: true as const } : {}),
    ...(assigned?.to ? { assignee: assigned.email ?? assigned.to.subject } : {}),
  }
}
