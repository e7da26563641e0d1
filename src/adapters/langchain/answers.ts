import type { AnswerBook } from '../../gate/admin/answer-book.ts'
import type { Stands } from '../../gate/internals.ts'
import { answerInBand, askedDigestOf, type InBand, idOf } from '../in-band.ts'
import type { NodeConfig } from './guarded-tool.ts'

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

/*
 * Answers travel with the config of one invocation, as an object that only this process can have
 * made. Whatever else arrives there, from a client or a checkpoint, is not in this map.
 */
const made = new WeakMap<object, Answers>()

const PLACE = 'countersign_answers'

export function withAnswers<C extends NodeConfig>(config: C, answers: Answers): C {
  const proof = Object.freeze({})
  made.set(proof, answers)
  return { ...config, configurable: { ...config.configurable, [PLACE]: proof } }
}

/** Writes down the answer to this call, if there is one. Says whether it may stand otherwise now. */
export async function answer(config: NodeConfig, callId: string, now: Stands): Promise<boolean> {
  const proof = config.configurable?.[PLACE]
  const found = typeof proof === 'object' && proof !== null ? made.get(proof) : undefined
  const said = found?.answers.find((one) => one.callId === callId)
  const id = idOf(now)
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
