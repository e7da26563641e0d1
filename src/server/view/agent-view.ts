import type { AgentApproval, AgentApprovalRow } from '../../api/agent.ts'
import type { Approval } from '../../approval/approval.ts'
import { given } from '../../base/json/json.ts'
import { payloadOf } from '../../gate/content/stored-content.ts'
import { outcomeOf } from '../../gate/pipeline/replay.ts'
import type { Store } from '../../store/store.ts'

/** What an agent learns of its own approval: how it stands, and the sentence for its model. */
export async function agentApproval(store: Store, approval: Approval): Promise<AgentApproval> {
  const { status, execution } = approval
  const outcome = await outcomeOf({ store }, approval)
  const succeeded = outcome.status === 'succeeded' ? outcome : undefined
  const noResult = succeeded?.noResult
  const result = noResult === undefined ? succeeded?.result : undefined
  return {
    ...agentRow(approval),
    call: askedCall(approval),
    ...(execution && outcome.status === 'blocked' ? { code: 'not_started' as const } : {}),
    // A yes that waits to be used is not a question any more, whatever a waiting caller is told.
    modelMessage: status === 'approved' && !execution ? APPROVED : (outcome.modelMessage ?? ''),
    ...given({ answer: 'answer' in outcome ? outcome.answer : undefined }),
    ...given({ denial: 'reason' in outcome ? outcome.reason : undefined }),
    ...given({ edited: succeeded?.edited }),
    ...given({ questions: 'questions' in outcome ? outcome.questions : undefined }),
    ...(result === undefined ? {} : { result }),
    ...given({ noResult }),
    ...(await payloadOf({ store }, approval)),
  }
}

/** What the agent said itself, so that another process of it can resume the call. */
function askedCall({ call }: Approval): AgentApproval['call'] {
  const { kind, tool, server, principal, definition } = call
  const person = principal?.email ?? principal?.subject
  return { kind, tool, definition, ...given({ server, principal: person }) }
}

/** The same in a list: how it stands. Reads no content, so that a page is small whatever was returned. */
export function agentRow(approval: Approval): AgentApprovalRow {
  const { id, revision, status, reason, execution, askedDigest, decideBy, useBy } = approval
  return {
    id,
    revision,
    status,
    ...given({ reason, execution: execution?.state }),
    digest: askedDigest,
    current: approval.digest,
    level: approval.level,
    decideBy,
    ...given({ useBy }),
  }
}

const APPROVED = 'The call was approved. Claim it, then run it.'
