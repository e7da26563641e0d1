import type { Call } from '../../src/base/call.ts'
import type { Level } from '../../src/policy/evaluate/verdict.ts'

/** One set of policies and calls, and the same policies as a careful developer writes them. */
export interface Work {
  readonly name: string
  /** `countersign.yaml` and governance, as plain data. */
  readonly owner: OwnerFile
  readonly governance: GovernanceFile | undefined
  readonly calls: readonly Call[]
  /** The hand-written limit: by tool, every closure that concerns it. */
  readonly hand: ReadonlyMap<string, HandWritten>
}

/** The strictest level any of a tool's closures demands. */
export type HandWritten = (args: Args) => Level

// What hand-written code sees: it knows its arguments by name and checks their types itself.
// biome-ignore lint/suspicious/noExplicitAny: this is what a tool's own code gets from JSON.parse
export type Args = any

export interface OwnerFile {
  readonly version: 1
  readonly tools: { readonly [tool: string]: { readonly approval: Approval } }
}

export interface GovernanceFile {
  readonly version: 1
  readonly governance: readonly GovernanceEntry[]
}

export interface GovernanceEntry {
  readonly id: string
  readonly match: { readonly tool: string }
  readonly condition: Group
  readonly deny?: string
  readonly approval?: true | { readonly approvers: readonly string[] }
}

export interface Approval {
  readonly condition: Group | readonly Group[]
}

export interface Group {
  readonly args_match: { readonly [path: string]: Matcher }
}

export type Matcher = Literal | Operators
export type Literal = string | number | boolean

export interface Operators {
  readonly gt?: number
  readonly gte?: number
  readonly lt?: number
  readonly lte?: number
  readonly ne?: Literal
  readonly in?: readonly Literal[]
  readonly not_in?: readonly Literal[]
  readonly pattern?: string
}
