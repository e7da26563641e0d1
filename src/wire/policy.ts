/** `GET /v1/policy/draft`: what the policy's files say now, beside what is in force. */
export interface PolicyDraft {
  /** The name of the policy in force. */
  readonly active: string
  /** The name of what is on disk; absent when it cannot be loaded. */
  readonly name?: string
  readonly changed: boolean
  readonly added?: readonly DraftRule[]
  readonly removed?: readonly DraftRule[]
  /** Why the files cannot be applied. What is in force stays in force. */
  readonly problem?: { readonly code: string; readonly message: string }
}

export interface DraftRule {
  readonly source: string
  readonly name: string
  readonly words: string
  readonly asks: string
}
