import type { Assurance } from './person.ts'

/** `confirm`: one person, who may be the acting user. `approve`: other people only. */
export type Level = 'confirm' | 'approve'

/** An e-mail address, a group, or anyone with the approver role. */
export type Approver = { readonly email: string } | { readonly group: string } | '*'

/** `n` places that different members of the group must fill. */
export interface QuorumPart {
  readonly group: string
  readonly n: number
}

/** More people who may answer for one source once the question is `after` milliseconds old. */
export interface Escalation {
  readonly after: number
  readonly to: Approver
  /** The group of the quorum whose places `to` may fill; absent: any place of this source. */
  readonly for?: string
}

/** What one source of the policy demands. Every requirement of an approval must be met. */
export interface Requirement {
  readonly source: string
  readonly rule: string
  readonly level: Level
  /** One of these must say yes. */
  readonly approvers: readonly Approver[]
  /** And all of these places must be filled by different people. */
  readonly quorum: readonly QuorumPart[]
  readonly escalate: readonly Escalation[]
}

export const REASON_RULES = ['optional', 'required', 'required_always'] as const
export type ReasonRule = (typeof REASON_RULES)[number]

/** `true`: anything may be changed; a list: only what lies at or under these paths. */
export type EditRule = boolean | readonly EditPath[]

export interface EditPath {
  readonly text: string
  readonly keys: readonly string[]
}

/** How long a question lives and what an answer must bring. Durations in milliseconds. */
export interface Terms {
  readonly decideBy: number
  readonly useBy: number
  readonly waitFor?: number | undefined
  readonly remindAfter?: number | undefined
  readonly minAssurance: Assurance
  readonly reason: ReasonRule
  readonly edit: EditRule
  readonly grants: boolean
}

/** What the policy says of one exact call, in the shape its evaluation answers. */
export interface PolicyAnswer {
  readonly verdict: 'allow' | Level | 'deny'
  /** Empty for `allow` and `deny`. */
  readonly requirements: readonly Requirement[]
  /** Absent for `allow` and `deny`. */
  readonly terms?: Terms
  /** Names the active policy, for the record. */
  readonly policy: string
}
