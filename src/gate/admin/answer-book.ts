import type { Approval } from '../../approval/approval.ts'
import type { Answer } from './approvals.ts'

/** Where answers from a chat are written down: `approvals` of a gate, in this process or on a server. */
export interface AnswerBook {
  get(
    id: string,
  ): Promise<{ readonly approval: Pick<Approval, 'status' | 'level' | 'digest'> } | undefined>
  decide(
    id: string,
    answer: Pick<Answer, 'by' | 'verdict' | 'seen' | 'reason' | 'payload'>,
  ): Promise<unknown>
}
