import type { ValueRange } from '../../base/message-parts.ts'
import type { Requirement, Terms } from '../../base/oversight.ts'
import type { DenialMemory, VerdictWord } from '../document.ts'
import type { Answer } from './answer.ts'

/** The answer for one call. A closed union: a caller that forgets a case does not compile. */
export type Verdict = Allow | Asks | Deny

export interface Allow {
  readonly verdict: 'allow'
  readonly message: ''
  readonly missing: readonly []
  readonly reasons: readonly []
}

export interface Asks {
  readonly verdict: 'confirm' | 'review'
  /** The question for a person. */
  readonly message: string
  /** Variables of the question that had no value. Every surface warns of them. */
  readonly missing: readonly string[]
  /** Where the question holds values from the call. Every surface draws them apart. */
  readonly values: readonly ValueRange[]
  /** The question is worded by a `message_template` of the owner, and not by the default one. */
  readonly authored?: true
  readonly reasons: readonly Reason[]
  /** One per reason; all must be met. */
  readonly requirements: readonly Requirement[]
  readonly terms: Terms
  /** No source says how long a yes may be used; `terms.useBy` is for a caller that waits. */
  readonly leavesUseBy?: true
  /** How long a no answers equal calls; for the rest of the run unless set. */
  readonly rememberNo?: Exclude<DenialMemory, 'run'>
}

export interface Deny {
  readonly verdict: 'deny'
  readonly message: string
  readonly missing: readonly []
  readonly reasons: readonly Reason[]
}

export type Source =
  | 'tool'
  | 'server'
  | 'operator'
  | 'governance'
  | 'default'
  | 'risk'
  | 'mode'
  | 'quarantine'
  | 'pdp'

export interface Reason {
  readonly source: Source
  readonly rule: string
  readonly answer: Exclude<Answer, 'no'>
}

/** Strictness as a number, so that comparing is `>`. */
export const WORDS: readonly VerdictWord[] = ['allow', 'confirm', 'review', 'deny']

export type Level = 0 | 1 | 2 | 3
export const LEVELS: Readonly<Record<VerdictWord, Level>> = {
  allow: 0,
  confirm: 1,
  review: 2,
  deny: 3,
}

// One object for every allowed call: most calls are allowed, and they should cost nothing.
export const ALLOW: Allow = Object.freeze({
  verdict: 'allow',
  message: '',
  missing: Object.freeze([] as const),
  reasons: Object.freeze([] as const),
})
