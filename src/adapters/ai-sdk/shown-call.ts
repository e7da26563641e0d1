/**
 * What a page is told of a call that waits, as JSON from the application's server. Everything but
 * `says` comes from the approvals and not from the messages, which any sender could have written.
 * Where the SDK alone asks, for the application, there is no approval: then tool and rows are the
 * messages', and there is no `digest`.
 */
export interface ShownCall {
  readonly toolCallId: string
  /** As the SDK's part names its question. */
  readonly approvalId: string
  readonly tool: string
  /** Names exactly the call that is shown. An answer given here counts for this and nothing else. */
  readonly digest?: string
  /** The policy's question, rendered from what may be shown. */
  readonly question: string
  /** The arguments that would run, one row each, secrets masked. */
  readonly rows: readonly { readonly name: string; readonly value: string }[]
  /** `approved`: it runs when the conversation goes on. */
  readonly status: 'waiting' | 'approved' | 'ran' | 'failed' | 'refused'
  /** Whether the reader may answer right here. */
  readonly here: boolean
  /** Who is asked, in words. Empty where only the server of the approvals knows. */
  readonly who: readonly string[]
  /** Where people decide. */
  readonly inbox?: string
  /** Milliseconds since 1970. */
  readonly decideBy?: number
  /** Why it does not run. */
  readonly message?: string
  /** Said by the agent; never checked. */
  readonly says?: string
}
