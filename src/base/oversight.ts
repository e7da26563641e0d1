/*
 * What a policy can demand of people, in the words that policies and approvals share: the policy
 * writes it down, the approval holds people to it.
 */

/** How sure we are that an answer came from the person, weakest first. */
export const ASSURANCES = ['elicitation', 'chat', 'signed-in', 'passkey'] as const
export type Assurance = (typeof ASSURANCES)[number]

/** `required` is about denials, `required_always` about every answer. */
export const REASON_RULES = ['optional', 'required', 'required_always'] as const
export type ReasonRule = (typeof REASON_RULES)[number]

/** `confirm`: one person, who may be the acting user. `review`: other people only. */
export type AskLevel = 'confirm' | 'review'

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

/** `true`: anything may be changed; a list: only what lies at or under these paths. */
export type EditRule = boolean | readonly EditPath[]

export interface EditPath {
  readonly text: string
  readonly keys: readonly string[]
}

/** What one source of the policy demands. Every requirement of an approval must be met. */
export interface Requirement {
  readonly source: string
  readonly rule: string
  readonly level: AskLevel
  /** One of these must say yes. */
  readonly approvers: readonly Approver[]
  /** And all of these places must be filled by different people. */
  readonly quorum: readonly QuorumPart[]
  readonly escalate: readonly Escalation[]
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
