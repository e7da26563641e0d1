import type { LevelOf } from './compiled/fast-path.ts'
import type {
  Defaults,
  GovernanceRule,
  Group,
  Mistake,
  PolicyDocument,
  ToolEntry,
} from './document.ts'

/** The owner's rules and all governance, checked together and ready to answer. */
export interface Policy {
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
  readonly warnings: readonly Mistake[]
  /** The strictness of the answer alone, without its reasons. */
  readonly level: LevelOf
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
