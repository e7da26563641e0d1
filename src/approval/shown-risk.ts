import { type Risk, riskRank } from '../base/risk.ts'
import type { AskedCall } from './approval.ts'

/** An unrated call is not harmless, so it ranks in the middle. */
export const UNRATED: Risk = 'L3'

export interface ShownRisk {
  readonly risk?: Risk
  /** Not rated, but guessed from the tool. */
  readonly riskGuessed?: true
}

/**
 * The risk that people are shown. How a tool looks can only raise it: its server chose the name,
 * and a harmless one must not make a call look safer than an unrated one.
 */
export function shownRisk({ risk, looks }: Pick<AskedCall, 'risk' | 'looks'>): ShownRisk {
  if (looks !== undefined && riskRank(looks) > riskRank(risk ?? UNRATED)) {
    return { risk: looks, riskGuessed: true }
  }
  return risk === undefined ? {} : { risk }
}
