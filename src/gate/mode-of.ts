import { CountersignError } from '../base/errors.ts'
import { isMadeMode } from '../policy/evaluate/made-modes.ts'
import type { Mode } from '../policy/evaluate/mode.ts'
import { isProduction } from './production.ts'

/** A mode is checked where it is set, however it came to be: it may turn the owner's rules off. */
export function modeOf({ mode }: { readonly mode?: Mode }): Mode | undefined {
  if (mode === undefined) return undefined
  if (!isMadeMode(mode)) {
    throw new CountersignError('mode_refused', 'this is no mode', {
      hint: 'Pass what annotated(), denyAll(), observe(), custom(decide) or, in tests, allowAll() gives, as it is.',
    })
  }
  if (mode.kind === 'allowAll' && isProduction()) {
    throw new CountersignError(
      'mode_refused',
      'allowAll() is for tests and refuses NODE_ENV=production',
      { hint: 'Use annotated(), and declare approval: false for the tools that may run freely.' },
    )
  }
  return mode
}

/** `observe` does not override `denyAll`: a gate that runs nothing stays one. */
export function stricterMode(mode: Mode | undefined, base: Mode): Mode {
  if (mode === undefined) return base
  return mode.kind === 'observe' && base.kind === 'denyAll' ? base : mode
}
