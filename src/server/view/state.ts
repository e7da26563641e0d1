import type { ApprovalState } from '../../api/approval-acts.ts'
import type { Approval } from '../../approval/approval.ts'
import { given } from '../../base/json/json.ts'

/** How an approval stands, as every reader is told. Reads nothing but the approval itself. */
export function stateOf(approval: Approval): Omit<ApprovalState, 'met' | 'useBy'> {
  const { id, revision, status, reason, execution, digest, decideBy, decidedAt } = approval
  return {
    id,
    revision,
    status,
    ...given({ reason, execution: execution?.state, decidedAt }),
    digest,
    decideBy,
    ...answeredBy(approval),
  }
}

/** The answers that made it what it is. What no longer counts decided nothing. */
export function countedAnswers({ status, decisions }: Approval): Approval['decisions'] {
  if (status === 'pending') return []
  const wanted = status === 'denied' ? 'deny' : 'approve'
  return decisions.filter((one) => one.void !== true && one.verdict === wanted)
}

/** Who decided, for lists of what is over. */
function answeredBy(approval: Approval) {
  const { status, digest, askedDigest } = approval
  if (status === 'pending') return {}
  const counted = countedAnswers(approval)
  const by = [...new Set(counted.map(({ by: { email, subject } }) => email ?? subject))]
  return {
    ...(by.length > 0 ? { by } : {}),
    ...(digest === askedDigest ? {} : { isEdited: true as const }),
    ...(counted.some(({ grant }) => grant !== undefined) ? { byGrant: true as const } : {}),
  }
}
