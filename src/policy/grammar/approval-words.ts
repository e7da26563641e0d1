import type { Risk } from '../../base/call.ts'
import type { Assurance, ReasonRule } from '../../base/oversight.ts'

/*
 * The words of policy files as types, for declarations made in code. The grammar stays the truth:
 * it checks them again when they are declared.
 */

type Value = string | number | boolean

export interface Matching {
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
  readonly ne?: Value
  readonly in?: readonly Value[]
  readonly not_in?: readonly Value[]
  readonly pattern?: string
}

export interface ConditionWords {
  /** Arguments by dotted path; all must match. */
  readonly args_match?: Readonly<Record<string, Value | Matching>>
}

/** An e-mail address, a group, or `'*'` for anyone with the approver role. */
export type ApproverWords = string | { readonly group: string }

/** The keys of an `approval` map. */
export interface ApprovalWords {
  readonly message_template?: string
  /** Ask only when this holds, or cannot be told. Of a list, one is enough. */
  readonly condition?: ConditionWords | readonly ConditionWords[]
  readonly approvers?: readonly ApproverWords[]
  readonly quorum?: readonly { readonly group: string; readonly n: number }[]
  readonly decide_by?: string
  readonly use_by?: string
  readonly remind_after?: string
  readonly escalate?: readonly {
    readonly after: string
    readonly to: ApproverWords
    readonly for?: string
  }[]
  readonly reason?: ReasonRule
  /** Reasons to choose from, at most nine of 80 characters each. */
  readonly reasons?: { readonly deny?: readonly string[]; readonly approve?: readonly string[] }
  readonly edit?: boolean | readonly string[]
  readonly min_assurance?: Assurance
  readonly grants?: boolean
}

/** What a policy file can say of a tool besides its approval. */
export interface ToolWords {
  readonly risk?: Risk | undefined
  /** Paths of arguments that are masked wherever people look. */
  readonly secrets?: readonly string[] | undefined
  readonly result?: 'keep' | 'drop' | undefined
  readonly description?: string | undefined
}
