import type { Approval } from './approval.ts'
import type { PersonId } from './people/person.ts'

/*
 * What people and the asker say to each other before there is a decision. None of it is one: it
 * changes neither the status, nor the call, nor who may answer.
 */

export const REMARK_KINDS = ['question', 'reply', 'comment'] as const
export type RemarkKind = (typeof REMARK_KINDS)[number]

/** One thing that was said. The text itself is content, so that it can be erased. */
export interface Remark {
  readonly kind: RemarkKind
  /** A person; absent: the agent that asked for approval. */
  readonly by?: PersonId
  readonly at: number
  /** Key of its text. */
  readonly content: string
}

/** Who is to answer. Everyone else who may, still may. */
export interface Assigned {
  /** Absent: it was assigned, and no longer is. */
  readonly to?: PersonId
  /** Where a notice finds them. */
  readonly email?: string
  readonly by: PersonId
  readonly at: number
}

/** As long as the reason of a decision. */
export const LONGEST_REMARK = 4_096
export const MAX_QUESTIONS = 20
export const MAX_COMMENTS = 100
export const MAX_REMARKS = 2 * MAX_QUESTIONS + MAX_COMMENTS

/** Questions that the asker has not replied to. A reply is to everything asked before it. */
export function openQuestions({ status, talk = [] }: Pick<Approval, 'status' | 'talk'>): Remark[] {
  if (status !== 'pending') return []
  const replied = talk.findLastIndex(({ kind }) => kind === 'reply')
  return talk.slice(replied + 1).filter(({ kind }) => kind === 'question')
}
