import type { Call } from '../../base/call.ts'
import type { Secrecy } from '../../base/secrets/mask.ts'
import type { ToolEntry } from '../document.ts'
import type { Policy } from '../policy.ts'
import { type Judgement, judge } from './judge.ts'
import { ANNOTATED, type SettledMode } from './mode.ts'
import { type Outline, outlineOf } from './outline.ts'
import { askedLater, askedNow, heldCall } from './question.ts'
import { ALLOW, type Verdict } from './verdict.ts'

/**
 * Allow, confirm, review or deny, and why. Synchronous, total, the same for every door. `secrecy`:
 * what is known of secrets besides the policy, such as the tool's schema; it stays out of the words.
 * `agents`: what a remote agent declares of its tool.
 */
export function evaluate(
  policy: Policy,
  call: Call,
  mode: SettledMode = ANNOTATED,
  secrecy?: Secrecy,
  agents?: ToolEntry,
): Verdict {
  if (agents === undefined && mode.kind === 'annotated') {
    const level = policy.level(call, mode)
    if (level === 0) return ALLOW
    // From a copy: arguments that answer each reader otherwise must not decide what is remembered.
    const held = heldCall(call)
    const outline = held && policy.outline(held)
    if (level === 3 && outline?.verdict === 'deny') return outline
    if (held && outline && level < 3) {
      const known = knownQuestion(policy, held, outline, secrecy)
      if (known) return known
    }
  }
  return verdictFrom(policy, call, judge(policy, call, mode, agents), secrecy)
}

function knownQuestion(
  policy: Policy,
  held: Call,
  outline: Outline,
  secrecy: Secrecy | undefined,
): Verdict | undefined {
  if (outline.verdict === 'deny') return undefined
  // What else is known of secrets is the caller's, who may change it before the words are read.
  return secrecy && isInformed(secrecy)
    ? askedNow(policy, held, outline, secrecy)
    : askedLater(policy, held, outline)
}

function isInformed({ paths = [], schema, known = [] }: Secrecy): boolean {
  return schema !== undefined || paths.length > 0 || known.length > 0
}

/** The verdict's word alone: cheaper than `evaluate` when the reasons do not matter. */
export function verdictWord(policy: Policy, call: Call, mode: SettledMode = ANNOTATED) {
  const level = policy.level(call, mode)
  return level === 0 ? 'allow' : level === 1 ? 'confirm' : level === 2 ? 'review' : 'deny'
}

/** The verdict that the rules give together. */
export function verdictFrom(
  policy: Policy,
  call: Call,
  judgement: Judgement,
  secrecy?: Secrecy,
): Verdict {
  const outline = outlineOf(policy, judgement)
  if (outline === undefined) return ALLOW
  return outline.verdict === 'deny' ? outline : askedNow(policy, call, outline, secrecy)
}
