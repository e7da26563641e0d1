import type { Approval } from '../approval/approval.ts'
import type { Person } from '../approval/people/person.ts'
import { isCountersignError } from '../base/errors.ts'
import type { Json } from '../base/json/json.ts'
import type { AnswerBook } from '../gate/admin/answer-book.ts'

/** An answer that came through the SDK: as good as the application's word for who gave it. */
export interface InBand {
  /** Authenticated by the application. The chat it came through is all the assurance there is. */
  readonly by: Omit<Person, 'assurance'>
  readonly approved: boolean
  readonly reason?: string
  /** The digest of the call as it was shown; that of the question unless given. */
  readonly seen?: string
  /** Structured data for the tool. */
  readonly payload?: Json
}

/**
 * Records what a user answered inside the chat. It counts only where a confirmation is asked for;
 * where other people must approve, and where the store refuses, it decides nothing.
 */
export async function answerInBand(
  approvals: AnswerBook,
  id: string,
  { by, approved, reason, seen, payload }: InBand,
): Promise<void> {
  const shown = await approvals.get(id)
  if (shown?.approval.status !== 'pending' || shown.approval.level !== 'confirm') return
  try {
    await approvals.decide(id, {
      by: { ...by, assurance: 'chat' },
      verdict: approved ? 'approve' : 'deny',
      seen: seen ?? shown.approval.digest,
      ...(reason === undefined ? {} : { reason }),
      ...(payload === undefined ? {} : { payload }),
    })
  } catch (error) {
    if (!isCountersignError(error)) throw error
  }
}

/** Gates in this process hand out the approval, those over HTTP its id. */
export function idOf(now: object): string | undefined {
  if ('approval' in now) return (now.approval as Approval).id
  return 'id' in now ? String(now.id) : undefined
}

/** Of the call as it was asked about: with the approval in this process, beside its id over HTTP. */
export function askedDigestOf(now: object): string | undefined {
  if ('approval' in now) return (now.approval as Approval).askedDigest
  return 'digest' in now && typeof now.digest === 'string' ? now.digest : undefined
}
