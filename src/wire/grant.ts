import type { WirePerson } from './approval.ts'

/** A standing permission, as people see it. */
export interface WireGrant {
  readonly id: string
  readonly state: 'live' | 'used_up' | 'revoked' | 'expired'
  /** Whether it lets anything through now. */
  readonly counts: boolean
  /** Why it does not, as a sentence. */
  readonly why?: string
  readonly by: WirePerson
  readonly reason?: string
  /** The approval it was made from; absent: made by hand. */
  readonly from?: string
  readonly rule: WireGrantRule
  readonly used: number
  readonly usesLeft: number
  /** Of the budget, as decimal text. */
  readonly spent?: string
  readonly budgetLeft?: string
  readonly mintedAt: number
  readonly endsAt: number
  readonly revokedBy?: WirePerson
  /** Whether the reader may revoke it. */
  readonly mayRevoke: boolean
}

/** Exactly what is, or would be, written down. */
export interface WireGrantRule {
  readonly kind: 'tool' | 'agent' | 'skill'
  readonly tool: string
  readonly server?: string
  readonly agent: string
  /** Absent: any run of this agent. */
  readonly run?: string
  /** Absent: any entry point. */
  readonly door?: string
  /** The person it acts on behalf of; `null`: no person; absent: any person. */
  readonly principal?: string | null
  /** The tool must still say the same about itself. */
  readonly sameDefinition: boolean
  /** `exact`: all arguments exactly equal to those of one call. */
  readonly arguments: 'exact' | 'condition'
  /** The digest of that call. */
  readonly digest?: string
  /** In the words of policy files: one map with `args_match`, or a list of them. */
  readonly condition?: unknown
  readonly uses: number
  readonly budget?: { readonly path: string; readonly most: number }
  /** How long it lasts from when it is made, in milliseconds. */
  readonly lasts: number
  /** All of it, as sentences for people. */
  readonly words: readonly string[]
}

/** How far it should reach. What is left out is as narrow as it can be. */
export interface GrantWishBody {
  /** All arguments exactly equal, unless set. */
  readonly condition?: unknown
  /** 10 unless set. */
  readonly uses?: number
  /** A duration such as `1h` or `7 days`, at most 30 days; `1h` unless set. */
  readonly for?: string
  readonly budget?: { readonly path: string; readonly most: number }
  /** True: any run of this agent; else only the run of the call. */
  readonly any_run?: boolean
  readonly reason?: string
}

/**
 * `POST /v1/grants`: `from` an approval that has its yes, or by hand with `tool`, `agent` and
 * `condition`. For a yes and a grant in one act, `grant` goes with the decision.
 */
export interface GrantBody extends GrantWishBody {
  readonly from?: string
  readonly kind?: 'tool' | 'agent' | 'skill'
  readonly tool?: string
  readonly server?: string
  readonly agent?: string
  readonly run?: string
}

/** `POST /v1/approvals/:id/grant-proposal`: the exact rule, and whether the reader may make it. */
export interface GrantProposalAnswer {
  readonly rule: WireGrantRule
  readonly may: boolean
  /** Why not, as a sentence, with its code. */
  readonly why?: string
  readonly code?: string
}

/** `GET /v1/grants`. */
export interface GrantPage {
  readonly grants: readonly WireGrant[]
  readonly next?: string
  readonly now: number
}

/** `GET /v1/grants/:id/uses`, newest first. */
export interface GrantUsePage {
  readonly uses: readonly WireGrantUse[]
  readonly next?: string
}

export interface WireGrantUse {
  /** The first, the second, … */
  readonly n: number
  /** The call it let through. */
  readonly approval: string
  readonly at: number
  /** What it took from the budget. */
  readonly amount?: number
}
