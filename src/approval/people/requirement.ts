import type { AskLevel, Requirement, Terms } from '../../base/oversight.ts'

export type {
  Approver,
  AskLevel as Level,
  EditPath,
  EditRule,
  Escalation,
  QuorumPart,
  Requirement,
  Terms,
} from '../../base/oversight.ts'
export { REASON_RULES } from '../../base/oversight.ts'

/** What the policy says of one exact call, in the shape its evaluation answers. */
export interface PolicyAnswer {
  readonly verdict: 'allow' | AskLevel | 'deny'
  /** Empty for `allow` and `deny`. */
  readonly requirements: readonly Requirement[]
  /** Absent for `allow` and `deny`. */
  readonly terms?: Terms
  /** Names the active policy, for the record. */
  readonly policy: string
}
