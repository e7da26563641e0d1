import type { Approval } from './approval.ts'
import type { Event, EventType } from './transition.ts'

/** What people hear of. The first four are questions: they make sense only while one is open. */
export const NOTICE_KINDS = [
  'asked',
  'changed',
  'reminded',
  'escalated',
  'approved',
  'denied',
  'unreachable',
  'expired',
  'withdrawn',
  'invalidated',
  'succeeded',
  'failed',
  'unknown',
] as const
export type NoticeKind = (typeof NOTICE_KINDS)[number]

const QUESTIONS: readonly NoticeKind[] = ['asked', 'changed', 'reminded', 'escalated']

/** Something to tell people, without a word of what it is about: that is looked up when it is sent. */
export interface NoticeDraft {
  /** The same for every attempt to send it: receivers recognise a repetition by it. */
  readonly id: string
  readonly approval: string
  readonly kind: NoticeKind
  readonly revision: number
  readonly at: number
}

export function isQuestion(kind: NoticeKind): boolean {
  return QUESTIONS.includes(kind)
}

/** None for a call that a grant covers: no person was asked, so none is notified. */
export function noticesOf(
  approval: Approval | undefined,
  events: readonly Event[],
): readonly NoticeDraft[] {
  if (approval === undefined || approval.grant !== undefined) return []
  const kinds = new Map<NoticeKind, Event>()
  for (const event of events) {
    const kind = kindOf(event)
    if (kind !== undefined) kinds.set(kind, event)
  }
  return [...kinds].map(([kind, { revision, at }]) => ({
    id: `${approval.id}-${revision}-${kind}`,
    approval: approval.id,
    kind,
    revision,
    at,
  }))
}

const SAME_WORD: readonly EventType[] = [
  'reminded',
  'escalated',
  'unreachable',
  'approved',
  'denied',
  'expired',
  'withdrawn',
  'invalidated',
]

function kindOf({ type, status, execution }: Event): NoticeKind | undefined {
  if (type === 'requested') return status === 'pending' ? 'asked' : undefined
  if (type === 'edited') return status === 'pending' ? 'changed' : undefined
  if (type === 'finished' || type === 'resolved' || type === 'lost') {
    return execution === 'running' ? undefined : execution
  }
  return SAME_WORD.includes(type) ? (type as NoticeKind) : undefined
}
