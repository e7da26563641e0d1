import type { PromiseId } from '../all.ts'

/** A line of a standard or a law, and what of it Countersign keeps. Each promise has a test of its own. */
export interface Met {
  /** What the line asks for, in our words. */
  readonly asks: string
  readonly by: readonly [PromiseId, ...PromiseId[]]
  /** What these promises leave to the organisation, or to other software. */
  readonly leaves?: string
}

/** A line that Countersign does not meet, with the reason. */
export interface Unmet {
  readonly asks: string
  readonly reason: string
}

export type Requirement = Met | Unmet

export interface Standard {
  readonly title: string
  /** Where the text is, and which version was read. */
  readonly source: string
  readonly requirements: { readonly [id: string]: Requirement }
}

export function isMet(requirement: Requirement): requirement is Met {
  return 'by' in requirement
}
