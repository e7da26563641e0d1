import type { Call } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import type { VerdictWord } from '../document.ts'
import { makeMode } from './made-modes.ts'

declare const MADE: unique symbol

/**
 * What stands in for the owner's answer, set in code for a gate or one run. It never replaces
 * governance: that is evaluated whatever the mode. Only the functions here make one.
 */
export type Mode = ModeKind & { readonly [MADE]: true }

/** What a mode looks like. */
export type ModeKind =
  | { readonly kind: 'annotated' }
  | { readonly kind: 'denyAll' }
  | { readonly kind: 'allowAll' }
  | { readonly kind: 'observe' }
  | { readonly kind: 'custom'; readonly decide: CustomPredicate }

/** A mode `evaluate` can use: the gate has run the predicate of `custom` and holds its answer. */
export type SettledMode =
  | Exclude<ModeKind, { kind: 'custom' }>
  | { readonly kind: 'answered'; readonly answer: CustomAnswer }

/** `true`: ask as declared, else as `approval: true`. `false`: allow. A word means itself. */
export type CustomAnswer = boolean | VerdictWord

export interface CustomInput {
  readonly tool: string
  readonly args: Call['args']
  readonly agent: Call['agent']
  readonly principal: string | undefined
  /** What the owner's files and code answer by themselves. */
  readonly declared: VerdictWord
}

export type CustomPredicate = (input: CustomInput) => CustomAnswer | Promise<CustomAnswer>

/** The model reads exactly this; programs that knew it elsewhere find it unchanged. */
export const DENIED_BY_MODE = {
  status: 'cancelled',
  message: 'Tool execution denied by policy',
} as const

export const ANNOTATED = modeOf({ kind: 'annotated' })

/** The default: what files and code declare. */
export function annotated(): Mode {
  return ANNOTATED
}

/** Preview: nothing runs, and no approval is asked for. */
export function denyAll(): Mode {
  return modeOf({ kind: 'denyAll' })
}

/**
 * To roll a policy out: the owner's rules are evaluated and recorded, but not enforced. Governance,
 * locks and quarantine are enforced all the same.
 */
export function observe(): Mode {
  return modeOf({ kind: 'observe' })
}

/** For tests: the owner's rules are off, governance is not. */
export function allowAll(): Mode {
  // Read late and through globalThis: the core also runs where there is no process.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  if (process?.env?.NODE_ENV === 'production') {
    throw new CountersignError(
      'mode_refused',
      'allowAll() is for tests and refuses NODE_ENV=production',
      {
        hint: 'Use annotated(), and declare approval: false for the tools that may run freely.',
      },
    )
  }
  return modeOf({ kind: 'allowAll' })
}

/** A predicate of your own, asked for every call. */
export function custom(decide: CustomPredicate): Mode {
  if (typeof decide !== 'function') {
    throw new CountersignError('mode_refused', 'custom() needs a function', {
      hint: 'Pass a function that returns true, false or a verdict.',
    })
  }
  return modeOf({ kind: 'custom', decide })
}

function modeOf<K extends ModeKind>(kind: K): K & { readonly [MADE]: true } {
  return makeMode(kind) as K & { readonly [MADE]: true }
}
