import { parseArgs } from 'node:util'
import { parseDuration } from '../../base/duration.ts'
import { usage } from '../failure.ts'
import type { DatabaseOptions } from '../state/open-store.ts'
import type { PolicyOptions } from '../state/served-policy.ts'

export interface HookOptions extends DatabaseOptions, PolicyOptions {
  readonly wait: string
  readonly project?: string
}

export const DEFAULT_WAIT = '9m'

/**
 * The options of `hook claude-code`, read without loading Commander. Undefined where that one has to
 * say something: help, or a mistake.
 */
export function quickOptions(args: readonly string[]): HookOptions | undefined {
  const [hook, agent, ...rest] = args
  if (hook !== 'hook' || agent !== 'claude-code') return undefined
  try {
    const { values } = parseArgs({
      args: rest,
      options: {
        wait: { type: 'string', default: DEFAULT_WAIT },
        project: { type: 'string' },
        db: { type: 'string' },
        tenant: { type: 'string' },
        policy: { type: 'string' },
      },
    })
    return values
  } catch {
    return undefined
  }
}

/** In milliseconds. */
export function readWait({ wait }: HookOptions): number {
  const read = parseDuration(wait)
  if (!read.ok) throw usage(`--wait: ${read.problem}`, 'Use a duration such as 9m.')
  return read.value
}
