/** Compiled by `npm run proof claude` against the types of the real SDK. */
import { type Options, query } from '@anthropic-ai/claude-agent-sdk'
import { guardOptions } from '../../../src/adapters/claude-agent-sdk/guard-options.ts'
import { guardQuery } from '../../../src/adapters/claude-agent-sdk/guard-query.ts'
import { gateOn } from './session.ts'

const gate = gateOn()

export const few: Options = guardOptions(gate, { model: 'claude-sonnet-4-5' })
export const whole: Options = guardOptions(gate, few, { mode: 'suspend', waitFor: '2h' })
export const hooked: Options = guardOptions(gate, {
  hooks: { PreToolUse: [{ matcher: 'Read', hooks: [async () => ({})] }] },
} satisfies Options)
export const same: typeof query = guardQuery(gate, query)

// @ts-expect-error There is no such mode.
guardOptions(gate, few, { mode: 'later' })
