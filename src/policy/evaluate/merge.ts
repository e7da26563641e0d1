import type { Risk } from '../../base/call.ts'
import { deepFreeze } from '../../base/json/json.ts'
import {
  ASSURANCES,
  type Assurance,
  type EditRule,
  REASON_RULES,
  type ReasonRule,
  type Requirement,
  type Terms,
} from '../../base/oversight.ts'
import type { Ask, Defaults, DenialMemory } from '../document.ts'
import type { Rules } from '../policy.ts'
import type { Judgement, Looked } from './judge.ts'
import { liesUnder, type Path } from './path.ts'
import type { Template } from './template.ts'
import type { Asks, Deny, Reason } from './verdict.ts'

/** A verdict without what its arguments say: the same for all calls that the rules answer alike. */
export type Outline = Deny | AskOutline

export interface AskOutline extends Omit<Asks, 'message' | 'missing' | 'values'> {
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
  const wording = wordingOf(against)
  // Frozen: one outline serves many verdicts, and no holder may change it for others.
  return deepFreeze({
    verdict: first.level === 2 ? 'review' : 'confirm',
    reasons,
    requirements: against.map(requirementOf),
    terms: mergeTerms(against, owner.defaults, risk),
    ...(leavesUseBy(against, owner.defaults) ? { leavesUseBy: true } : {}),
    ...(memory === 'run' ? {} : { rememberNo: memory }),
    ...(wording.template ? { authored: true } : {}),
    wording,
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

const HOUR = 3_600_000

/** What one rule demands of people. */
export function requirementOf({ source, rule, level, ask, defaults }: Looked): Requirement {
  const quorum = ask?.quorum ?? []
  // `confirm` in `defaults` means itself: it does not inherit the approvers named there.
  const inherits = level === 2 && quorum.length === 0
  const named = ask?.approvers ?? (inherits ? defaults.approvers : undefined)
  return {
    source,
    rule,
    level: level === 2 ? 'review' : 'confirm',
    approvers: named ?? [],
    quorum,
    escalate: ask?.escalate ?? [],
  }
}

/**
 * The strictest of all sources, each clock and rule for itself. Where the owner asks, its answer
 * always counts, with its defaults; a governance rule that says nothing then adds nothing. Where no
 * file of the owner asks, such a rule takes the owner's default, whatever code declares. So adding a
 * rule never loosens. What a remote agent says is none of the owner's: beside other rules it counts
 * only where it is stricter.
 */
export function mergeTerms(
  asking: readonly Looked[],
  owner: Defaults,
  risk: Risk | undefined,
): Terms {
  const agentAlone = asking.every(({ worded }) => worded === 'agent')
  const isOwners = ({ layer, worded }: Looked) =>
    layer === 'owner' && (worded !== 'agent' || agentAlone)
  const filesAsk = asking.some((one) => isOwners(one) && one.worded === undefined)
  const each = <T>(pick: (from: Ask | Defaults) => T | undefined, otherwise: T): T[] =>
    asking.flatMap((one) => {
      const own = one.ask && pick(one.ask)
      if (own !== undefined) return [own]
      const isFilled = isOwners(one) || (one.layer === 'governance' && !filesAsk)
      return isFilled ? [pick(owner) ?? otherwise] : []
    })
  const reminders = asking.flatMap(({ ask }) => ask?.remindAfter ?? [])

  return {
    decideBy: Math.min(...each(({ decideBy }) => decideBy, 24 * HOUR)),
    useBy: Math.min(...each(({ useBy }) => useBy, HOUR / 4)),
    waitFor: owner.waitFor,
    remindAfter: reminders.length === 0 ? undefined : Math.min(...reminders),
    minAssurance: highest(
      ASSURANCES,
      each<Assurance>(({ minAssurance }) => minAssurance, 'elicitation'),
    ),
    reason: highest(
      REASON_RULES,
      each<ReasonRule>(({ reason }) => reason, 'optional'),
    ),
    edit: each<EditRule>(({ edit }) => edit, true).reduce(intersect, true),
    // What cannot be undone is asked about each time.
    grants: risk !== 'L5' && asking.every(({ ask }) => ask?.grants !== false),
  }
}

/** No source sets how long an approval may be used, so the gate fits it to how its caller waits. */
function leavesUseBy(asking: readonly Looked[], { useBy }: Defaults): boolean {
  return useBy === undefined && asking.every(({ ask }) => ask?.useBy === undefined)
}

/** The longest memory any source wants, so that adding a rule never forgets a no sooner. */
function mergeMemory(asking: readonly Looked[], { rememberNo = 'run' }: Defaults) {
  return asking
    .map(({ ask }) => ask?.rememberNo ?? rememberNo)
    .reduce((one, other) => (lengthOf(one) >= lengthOf(other) ? one : other))
}

function lengthOf(memory: DenialMemory): number {
  if (memory === 'run') return Number.POSITIVE_INFINITY
  return memory === 'call' ? 0 : memory
}

function highest<T>(order: readonly [T, ...T[]], values: readonly T[]): T {
  return values.reduce(
    (top, value) => (order.indexOf(value) > order.indexOf(top) ? value : top),
    order[0],
  )
}

/** What both allow. A path covers all that lies under it, so the deeper of two nested ones stays. */
function intersect(a: EditRule, b: EditRule): EditRule {
  if (a === false || b === false) return false
  if (a === true && b === true) return true
  const one = a === true ? [] : a
  const other = b === true ? [] : b
  const both = [
    ...one.filter((path) => b === true || other.some((cover) => liesUnder(path, cover))),
    ...other.filter((path) => a === true || one.some((cover) => liesUnder(path, cover))),
  ]
  return both.length === 0 ? false : unique(both)
}

function unique(paths: readonly Path[]): Path[] {
  const byText = new Map(paths.map((path) => [path.text, path]))
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, path]) => path)
}
