import type { AnswerBook } from '../../gate/admin/answer-book.ts'
import type { Stands } from '../../gate/internals.ts'
import { answerInBand, askedDigestOf, type InBand, idOf } from '../in-band.ts'
import { type AgentContext, isWaiting } from './pause.ts'
import type { Wake } from './wake.ts'

/** What a user answered in the application. */
export interface InChat {
  readonly callId: string
  readonly approved: boolean
  readonly reason?: string
}

export interface Answers {
  readonly answers: readonly InChat[]
  /** Authenticated by the application. */
  readonly by: InBand['by']
  readonly approvals: AnswerBook
}

const held = new Map<string, Answers>()

/** Answers count while this runs. */
export async function withAnswers<T>(
  answers: Answers | undefined,
  work: (wake: Wake) => Promise<T>,
): Promise<T> {
  if (!answers) return work({ countersign: 'wake' })
  const name = crypto.randomUUID()
  held.set(name, answers)
  try {
    return await work({ countersign: 'wake', answers: name })
  } finally {
    held.delete(name)
  }
}

/** Writes down the answer to this call, if there is one. Says whether it may stand otherwise now. */
export async function answer(agent: AgentContext | undefined, now: Stands): Promise<boolean> {
  const { suspendPayload: shown, resumeData } = agent ?? {}
  const { answers: name } = (resumeData ?? {}) as Partial<Wake>
  const found = typeof name === 'string' ? held.get(name) : undefined
  const id = idOf(now)
  if (!found || id === undefined || !isWaiting(shown, agent?.toolCallId)) return false
  const said = found.answers.find(({ callId }) => callId === shown.callId)
  if (!said) return false
  const { approved, reason } = said
  const { by, approvals } = found
  // An edit since then makes it another call than the one this run paused for.
  const seen = askedDigestOf(now)
  await answerInBand(approvals, id, {
    by,
    approved,
    ...(seen === undefined ? {} : { seen }),
    ...(reason === undefined ? {} : { reason }),
  })
  return true
}
