import type { Approval } from '../approval/approval.ts'
import type { Person } from '../approval/people/person.ts'
import type { Directory } from '../approval/people/requirement.ts'

/** Stands in for people in tests: what they would answer to a new question. */
export interface Strategy {
  readonly name: string
  answers(approval: Approval, directory: Directory): readonly StrategyAnswer[]
}

export interface StrategyAnswer {
  readonly by: Person
  readonly verdict: 'approve' | 'deny'
  readonly reason?: string
}

/** Who signs such answers. No login can have this issuer, so it is always recognised. */
export const TEST_ISSUER = 'countersign:testing'
