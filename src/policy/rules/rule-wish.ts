import type { CallKind } from '../../base/call.ts'
import type { Scalar } from '../../base/json/json.ts'
import type { QuorumPart, ReasonRule } from '../../base/oversight.ts'
import type { VerdictWord } from '../document.ts'
import { OPERATORS } from '../evaluate/matcher.ts'

/** One rule as a form has it, in the words of policy files. */
export interface RuleWish {
  /**
   * `tool`: the entry of the tool itself, which may also ask less. `extra`: a rule of the governance
   * list, which can only ask more.
   */
  readonly place: 'tool' | 'extra'
  /** Names an extra rule. */
  readonly id?: string
  readonly verdict: VerdictWord
  /** Groups are ORed, clauses of one group ANDed. None: it always holds. */
  readonly when: readonly (readonly WishClause[])[]
  readonly approvers: readonly WishApprover[]
  readonly quorum: readonly QuorumPart[]
  readonly decideBy?: string
  readonly useBy?: string
  readonly remindAfter?: string
  readonly reason?: ReasonRule
  /** What the approver reads. */
  readonly question?: string
  /** What the agent is told where the rule denies. */
  readonly told?: string
}

export interface WishClause {
  /** As in policy files: `order.amount`. */
  readonly path: string
  readonly op: WishOperator
  /** A list for `in` and `not_in`. */
  readonly value: Scalar | readonly Scalar[]
}

export const WISH_OPERATORS = ['eq', ...OPERATORS] as const
export type WishOperator = (typeof WISH_OPERATORS)[number]

export type WishApprover = string | { readonly group: string }

/** The calls a rule is made for. */
export interface RuleSubject {
  readonly kind: CallKind
  readonly tool: string
  readonly server?: string
}
