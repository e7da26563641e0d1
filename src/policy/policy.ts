import type { Call } from '../base/call.ts'
import type {
  DecisionPoint,
  Defaults,
  GovernanceRule,
  Group,
  Mistake,
  PolicyDocument,
  ToolEntry,
} from './document.ts'
import type { Outline } from './evaluate/merge.ts'
import type { SettledMode } from './evaluate/mode.ts'
import type { Level } from './evaluate/verdict.ts'

/** The owner's rules and all governance, checked together. */
export interface Rules {
  readonly owner: PolicyDocument
  /** Governance files, as they were loaded. */
  readonly outside: readonly PolicyDocument[]
  /** Rules of the owner's own list and of all files from outside. */
  readonly governance: readonly Governed[]
  /** Declarations made in code, by tool. */
  readonly code: ReadonlyMap<string, ToolEntry>
  /** What code says of the one call this policy is for. Declared with the call, not by name. */
  readonly called?: ToolEntry
  /** Inbox switches: `alias` or `alias/tool`. */
  readonly switches: ReadonlyMap<string, boolean>
  readonly groups: ReadonlyMap<string, Group>
  /**
   * Decision points of all files. `evaluate` does not ask them: a gate does, and hands in what they
   * said. So an `allow` of the rules alone is none where there is one.
   */
  readonly pdps: readonly DecisionPoint[]
  readonly warnings: readonly Mistake[]
}

/** The same, ready to answer. */
export interface Policy extends Rules {
  /** The strictness of the answer alone, without its reasons; allocates nothing. */
  readonly level: (call: Call, mode: SettledMode) => Level
  /** What `judge` says of calls that the rules answer as they answer this one. */
  readonly outline: (call: Call) => Outline | undefined
}

export interface Governed {
  readonly rule: GovernanceRule
  /** The owner's defaults for rules in the owner's file; a file from outside has none. */
  readonly defaults: Defaults
}

export interface PolicyParts {
  readonly owner?: PolicyDocument
  readonly governance?: readonly PolicyDocument[]
  readonly code?: ReadonlyMap<string, ToolEntry>
  readonly called?: ToolEntry
  readonly switches?: ReadonlyMap<string, boolean>
}
