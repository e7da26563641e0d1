import type { ExecutionState, Status } from './approval.ts'

/*
 * The JSON that agents and the server exchange. An agent sees its own calls only, and nothing of
 * the people who decide about them besides what they wrote for it.
 */

/** `POST /v1/calls`. */
export type CallAnswer =
  | { readonly status: 'allowed'; readonly args: unknown }
  | {
      readonly status: 'blocked'
      readonly code: string
      readonly modelMessage: string
      readonly id?: string
      readonly answer?: string
    }
  | ({ readonly status: 'pending' | 'approved' } & AskedAnswer)

/** The same for a call that was sent with `ask: false`. */
export type LookAnswer = CallAnswer | { readonly status: 'unasked' }

export interface AskedAnswer {
  readonly id: string
  /** What the claim presents. */
  readonly digest: string
  readonly modelMessage: string
  readonly decideBy: number
  readonly execution?: ExecutionState
  /** What an approver attached to their yes. */
  readonly payload?: unknown
}

/** `GET /v1/approvals/:id`, for the agent that asked. */
export interface AgentApproval {
  readonly id: string
  readonly revision: number
  readonly status: Status
  readonly reason?: string
  readonly execution?: ExecutionState
  readonly modelMessage: string
  /** As asked: what the claim presents. */
  readonly digest: string
  /** Of the call as it would run now, after edits: what an answer names as seen. */
  readonly current: string
  readonly level: 'confirm' | 'review'
  readonly decideBy: number
  readonly useBy?: number
  /** A person's words for the model, given with a denial. */
  readonly answer?: string
  readonly result?: unknown
  /** Why there is no `result` although the call succeeded. */
  readonly noResult?: 'dropped' | 'too_large' | 'invalid' | 'erased'
  /** What an approver attached to their yes. */
  readonly payload?: unknown
}

/** A row of `GET /v1/approvals`, for the agent that asked. What was said and returned is under its id. */
export type AgentApprovalRow = Omit<
  AgentApproval,
  'modelMessage' | 'answer' | 'result' | 'noResult' | 'payload'
>

/** `POST /v1/approvals/:id/claim`. */
export interface ClaimAnswer {
  readonly claim: string
  readonly args: unknown
  /** Of the call that runs: another than the one presented when people edited it. */
  readonly digest: string
  readonly edited: boolean
  /** What people changed, as a sentence for the model. */
  readonly changes?: string
  /** What an approver attached for the tool. */
  readonly decision?: unknown
  readonly idempotencyKey: string
  /** Milliseconds until it must be renewed. */
  readonly lease: number
  /** Milliseconds within which the call must be started, or not at all. */
  readonly startWithin: number
}

/** `GET /v1/policy`: what a client needs to answer `allow` by itself. */
export interface PolicyBundle {
  /** Names the policy by what it says. */
  readonly name: string
  readonly files: readonly {
    readonly role: 'owner' | 'governance'
    readonly file: string
    readonly text: string
  }[]
  /** What operators switched: `alias` or `alias/tool`. */
  readonly switches?: Readonly<Record<string, boolean>>
  /** Milliseconds after which it must be confirmed again. */
  readonly validFor: number
}
