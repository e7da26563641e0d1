import { parseArgs } from 'node:util'
import type { CodingAgent } from '../../adapters/coding-agents/agent.ts'
import { findCodingAgent } from '../../adapters/coding-agents/agents.ts'
import { parseDuration } from '../../base/duration.ts'
import { usage } from '../failure.ts'
import type { DatabaseOptions } from '../state/open-store.ts'
import type { PolicyOptions } from '../state/served-policy.ts'

export interface HookOptions extends DatabaseOptions, PolicyOptions {
  readonly wait: string
  readonly project?: string
  /** The call is over, and its end is reported. */
  readonly after?: boolean
}

export interface QuickHook {
  readonly agent: CodingAgent
  readonly options: HookOptions
}

export const DEFAULT_WAIT = '9m'

/**
 * The agent and the options of `hook`, read without loading Commander. Undefined where that one has to
 * say something: help, or a mistake.
 */
export function quickOptions(args: readonly string[]): QuickHook | undefined {
  const [hook, name, ...rest] = args
  const agent = findCodingAgent(name)
  if (hook !== 'hook' || agent === undefined) return undefined
  try {
    const { values } = parseArgs({
      args: rest,
      options: {
        wait: { type: 'string', default: DEFAULT_WAIT },
        project: { type: 'string' },
        after: { type: 'boolean' },
        db: { type: 'string' },
        tenant: { type: 'string' },
        policy: { type: 'string' },
      },
    })
    return { agent, options: values }
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
