import type { AnswerBook } from '../gate/admin/answer-book.ts'
import type { Stands } from '../gate/internals.ts'
import { answerInBand, askedDigestOf, type InBand, idOf } from './in-band.ts'

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

/** What a paused call is woken with. It names answers that only this process holds. */
export interface Wake {
  readonly countersign: 'wake'
  readonly answers?: string
}

export function isWake(data: unknown): data is Wake {
  return (data as Partial<Wake> | null | undefined)?.countersign === 'wake'
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

/**
 * Writes down what was answered about the call of this id, if anything was. Says whether the call
 * may stand otherwise now.
 */
export async function answerWith(wake: unknown, callId: string, now: Stands): Promise<boolean> {
  const { answers: name } = (wake ?? {}) as Partial<Wake>
  const found = typeof name === 'string' ? held.get(name) : undefined
  const id = idOf(now)
  const said = found?.answers.find((one) => one.callId === callId)
  if (!found || !said || id === undefined) return false
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
