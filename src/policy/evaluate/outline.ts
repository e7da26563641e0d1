import { deepFreeze } from '../../base/json/json.ts'
import { leavesUseBy, mergeMemory, mergeTerms, requirementOf } from '../load/merge.ts'
import type { Rules } from '../policy.ts'
import type { Judgement, Looked } from './judge.ts'
import type { Template } from './template.ts'
import type { Asks, Deny, Reason } from './verdict.ts'

/** A verdict without what its arguments say: the same for all calls that the rules answer alike. */
export type Outline = Deny | AskOutline

export interface AskOutline extends Omit<Asks, 'message' | 'missing'> {
  readonly wording: Wording
}

/** Who words the question. None: the default question. */
export interface Wording {
  readonly template: Template | undefined
  /** Words of a remote agent, which are quoted after the default question. */
  readonly quoted: Template | undefined
}

/** The strictest answer wins; who said it first never matters. Undefined: no rule objects. */
export function outlineOf({ owner }: Rules, { looked, risk }: Judgement): Outline | undefined {
  const against = looked.filter(({ level }) => level > 0).sort(strictestFirst)
  const [first] = against
  if (!first) return undefined
  const reasons = against.map(reasonOf)
  if (first.level === 3) return denied(first.why ?? '', reasons)
  const memory = mergeMemory(against, owner.defaults)
  // Frozen: one outline serves many verdicts, and no holder may change it for others.
  return deepFreeze({
    verdict: first.level === 2 ? 'review' : 'confirm',
    reasons,
    requirements: against.map(requirementOf),
    terms: mergeTerms(against, owner.defaults, risk),
    ...(leavesUseBy(against, owner.defaults) ? { leavesUseBy: true } : {}),
    ...(memory === 'run' ? {} : { rememberNo: memory }),
    wording: wordingOf(against),
  })
}

export function denied(message: string, reasons: readonly Reason[]): Deny {
  return deepFreeze({ verdict: 'deny', message, missing: [], reasons })
}

function strictestFirst(a: Looked, b: Looked): number {
  if (a.level !== b.level) return b.level - a.level
  if (a.layer !== b.layer) return a.layer === 'owner' ? -1 : 1
  return a.rule < b.rule ? -1 : a.rule > b.rule ? 1 : 0
}

function reasonOf({ source, rule, answer }: Looked): Reason {
  return { source, rule, answer: answer === 'unknown' ? 'unknown' : 'yes' }
}

/**
 * Files and governance word the question; the gate's own program does where they do not. A remote
 * agent never does: what it says is quoted after the default question, as its own words.
 */
function wordingOf(against: readonly Looked[]): Wording {
  const templateOf = (worded: Looked['worded']) =>
    against.find((one) => one.worded === worded && one.ask?.template)?.ask?.template
  return { template: templateOf(undefined) ?? templateOf('code'), quoted: templateOf('agent') }
}
