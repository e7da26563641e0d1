import type { HookInput } from '../../adapters/claude-code/hook-input.ts'
import { verdictWord } from '../../policy/evaluate.ts'
import type { Policy } from '../../policy/policy.ts'
import { LEVELS, type Level } from '../../policy/verdict.ts'
import { localOperator } from '../../server/identity/invite.ts'

export const AGENT = 'claude-code'

/** How strict a policy is about a call: 0 lets it run, 3 never does. */
export function strictness(policy: Policy, { tool, server, args, session }: HookInput): Level {
  const call = {
    tool,
    ...(server === undefined ? {} : { server }),
    args,
    agent: AGENT,
    run: session,
    principal: localOperator().subject,
  }
  return LEVELS[verdictWord(policy, call)]
}

/** The strictest for this call; among equals the first, which is that of the project. */
export function strictest<T extends { readonly policy: Policy }>(
  policies: readonly [T, ...T[]],
  input: HookInput,
): T {
  return policies.reduce((best, one) =>
    strictness(one.policy, input) > strictness(best.policy, input) ? one : best,
  )
}
