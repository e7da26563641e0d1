import type { PolicyAnswer, Terms } from '../../approval/people/requirement.ts'
import type { Call } from '../../base/call.ts'
import { sha256 } from '../../base/json/digest.ts'
import type { ToolEntry } from '../../policy/document.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import type { Looked } from '../../policy/evaluate/judge.ts'
import type { Mode, SettledMode } from '../../policy/evaluate/mode.ts'
import type { Asks, Verdict } from '../../policy/evaluate/verdict.ts'
import type { Policy } from '../../policy/policy.ts'

/** A verdict in the words of the approval, with the name of the policy that gave it. */
export function policyAnswer(verdict: Verdict, policy: string, kept: Terms): PolicyAnswer {
  if (verdict.verdict !== 'confirm' && verdict.verdict !== 'review') {
    return { verdict: verdict.verdict, requirements: [], policy }
  }
  const { requirements, leavesUseBy } = verdict
  // A default shortens nothing: only a `use_by` that is written down does.
  const useBy = leavesUseBy ? Math.max(kept.useBy, verdict.terms.useBy) : verdict.terms.useBy
  return { verdict: verdict.verdict, requirements, terms: { ...verdict.terms, useBy }, policy }
}

/** For a run that is suspended, so that a yes given at night is still good in the morning. */
const SUSPENDED_USE_BY = 24 * 60 * 60 * 1_000

/** What the question says of clocks: those of the policy, fitted to how the caller waits. */
export function termsFor(
  { verdict, terms: said, leavesUseBy }: Asks,
  suspends: boolean,
  confirmWithin?: number | undefined,
): Terms {
  // Who waits in front of the question goes on at once, so its yes need not last longer either.
  if (confirmWithin !== undefined && verdict === 'confirm') {
    return { ...said, decideBy: Math.min(said.decideBy, confirmWithin) }
  }
  return suspends && leavesUseBy ? { ...said, useBy: SUSPENDED_USE_BY } : said
}

const names = new WeakMap<Policy, Promise<string>>()

/** Names a policy by what it says, so that a record tells which rules were in force. */
export function policyName(policy: Policy): Promise<string> {
  const known = names.get(policy)
  if (known !== undefined) return known
  const { owner, governance, code, called, switches, groups, pdps } = policy
  const { file: _file, warnings: _warnings, tests: _tests, ...rules } = owner
  const name = sha256(
    JSON.stringify(
      [
        ...[rules, governance, code, switches, groups],
        ...(called ? [called] : []),
        ...(pdps.length > 0 ? [{ pdps }] : []),
      ],
      plainly,
    ),
  )
  names.set(policy, name)
  return name
}

/** Maps as their entries; where a rule stands in its file is not what it says. */
function plainly(key: string, value: unknown): unknown {
  if (key === 'place' && isPlace(value)) return undefined
  return value instanceof Map ? [...value] : value
}

/** By its shape: variables and headers of servers have names of the author's choice, and are text. */
function isPlace(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'line' in value && 'column' in value
}

/** What the policy says now of a call that was asked about earlier. */
export function verdictNow(
  policy: Policy,
  mode: Mode,
  call: Call,
  agents?: ToolEntry,
  beside?: readonly Looked[],
): Verdict {
  return evaluate(policy, call, settledBefore(mode), undefined, agents, beside)
}

/**
 * A predicate was asked once, when people were; what it said then is in the requirements. Asking
 * it again could answer otherwise for the same call, so only governance is looked at anew.
 */
function settledBefore(mode: Mode): SettledMode {
  return mode.kind === 'custom' ? { kind: 'answered', answer: false } : mode
}
