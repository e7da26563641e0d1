import { type Risk, riskRank } from '../../base/call.ts'
import { declaredRisk } from '../../policy/evaluate/declared.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import type { Policy } from '../../policy/policy.ts'
import { type Evidence, peopleIn } from './evidence.ts'

/** 0 wrong of 60 is at most 6 % wrong, with 95 % confidence (Wilson). */
export const RELAX_CALLS = 60
export const RELAX_PEOPLE = 2
/** Never for what is risky, nor for what has no rating. */
export const RELAX_RISK: Risk = 'L3'

/**
 * One exact call that people approved again and again. A grant for it covers these bytes and no
 * others, so nothing that an agent chooses can widen it.
 */
export interface Relaxing {
  readonly newest: Evidence
  readonly approved: readonly Evidence[]
}

export function relaxing(all: readonly Evidence[], policy: Policy): Relaxing[] {
  const byDigest = new Map<string, Evidence[]>()
  for (const one of all) {
    const { askedDigest, call } = one.recorded.approval
    // Of the same agent: a grant is one agent's, and so is what it rests on.
    const key = JSON.stringify([askedDigest, call.agent, call.definition])
    byDigest.set(key, [...(byDigest.get(key) ?? []), one])
  }
  return [...byDigest.values()].flatMap((calls) => {
    const [newest] = calls
    if (!newest || !calls.every(isGood) || !mayRelax(newest, policy)) return []
    const approved = calls.filter(({ isHasty }) => !isHasty)
    const isEnough = approved.length >= RELAX_CALLS && peopleIn(approved) >= RELAX_PEOPLE
    return isEnough ? [{ newest, approved }] : []
  })
}

const isGood = ({ answer, isSound }: Evidence) => answer === 'approved' && isSound

/** Where the rules in force would let a person make such a grant, and no governance rule asks. */
function mayRelax({ recorded: { call, approval } }: Evidence, policy: Policy): boolean {
  // As it was asked, and as the policy rates it now: what a call claims of itself rates nothing.
  const risks = [approval.call.risk, declaredRisk(policy, call)]
  const isLow = (risk: Risk | undefined) =>
    risk !== undefined && riskRank(risk) <= riskRank(RELAX_RISK)
  if (!risks.every(isLow)) return false
  const verdict = evaluate(policy, call)
  return (
    'terms' in verdict &&
    verdict.terms.grants &&
    verdict.reasons.every(({ source, answer }) => source !== 'governance' && answer === 'yes')
  )
}
