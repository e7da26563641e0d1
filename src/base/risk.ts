/** L0 is harmless, L5 cannot be undone. Advice for people; policy turns it into rules. */
export const RISKS = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5'] as const

export type Risk = (typeof RISKS)[number]

export function isRisk(value: unknown): value is Risk {
  return RISKS.includes(value as Risk)
}

export function riskRank(risk: Risk): number {
  return RISKS.indexOf(risk)
}

/** The higher of the two; an unknown one is ignored. */
export function higherRisk(a: Risk | undefined, b: Risk | undefined): Risk | undefined {
  if (a === undefined) return b
  if (b === undefined) return a
  return riskRank(a) >= riskRank(b) ? a : b
}
