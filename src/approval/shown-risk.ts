import { type Risk, riskRank } from '../base/risk.ts'
import type { AskedCall } from './approval.ts'

/** What nobody rated is not harmless, so it stands with the middle. */
export const UNRATED: Risk = 'L3'

export interface ShownRisk {
  readonly risk?: Risk
  /** Nobody said so: the tool looks like it. */
  readonly riskGuessed?: true
}

/**
 * The risk that people are shown. How a tool looks can only raise it: its server chose the name,
 * and a harmless one must not make a call look safer than one that nobody rated.
 */
export function shownRisk({ risk, looks }: Pick<AskedCall, 'risk' | 'looks'>): ShownRisk {
  if (looks !== undefined && riskRank(looks) > riskRank(risk ?? UNRATED)) {
    return { risk: looks, riskGuessed: true }
  }
  return risk === undefined ? {} : { risk }
}
