import { foldAddress } from '../../base/address.ts'
import { ASSURANCES } from './person.ts'
import {
  type Approver,
  type EditPath,
  type EditRule,
  type Level,
  REASON_RULES,
  type Requirement,
  type Terms,
} from './requirement.ts'

export function strictestLevel(requirements: readonly Requirement[]): Level {
  return requirements.some(({ level }) => level === 'review') ? 'review' : 'confirm'
}

/** Everything that was demanded, and what the new arguments demand besides. Nothing is dropped. */
export function mergeRequirements(
  kept: readonly Requirement[],
  added: readonly Requirement[],
): readonly Requirement[] {
  const known = new Set(kept.map(nameOf))
  return [...kept, ...added.filter((requirement) => !known.has(nameOf(requirement)))]
}

// Written out member by member, because a database may hand back the same record in another order.
function nameOf({ source, rule, level, approvers, quorum, escalate }: Requirement): string {
  return JSON.stringify([
    [source, rule, level],
    approvers.map(approverName),
    quorum.map(({ group, n }) => [group, n]),
    escalate.map((step) => [step.after, approverName(step.to), step.for ?? null]),
  ])
}

function approverName(approver: Approver): readonly [string, string] {
  if (approver === '*') return ['role', 'approver']
  return 'email' in approver ? ['email', foldAddress(approver.email)] : ['group', approver.group]
}

/**
 * The stricter of both in everything an answer must bring. The clock that is running keeps its
 * time; the one that starts with the yes takes the shorter.
 */
export function mergeTerms(kept: Terms, added: Terms | undefined): Terms {
  if (!added) return kept
  return {
    ...kept,
    useBy: Math.min(kept.useBy, added.useBy),
    minAssurance: stricter(ASSURANCES, kept.minAssurance, added.minAssurance),
    reason: stricter(REASON_RULES, kept.reason, added.reason),
    edit: bothEdits(kept.edit, added.edit),
    grants: kept.grants && added.grants,
  }
}

function stricter<T>(order: readonly T[], a: T, b: T): T {
  return order.indexOf(a) >= order.indexOf(b) ? a : b
}

/** What both allow: of two nested paths the deeper one. */
function bothEdits(a: EditRule, b: EditRule): EditRule {
  if (a === false || b === false) return false
  if (a === true) return b
  if (b === true) return a
  const shared = a.flatMap((one) =>
    b.flatMap((other) =>
      covers(one, other.keys) ? [other] : covers(other, one.keys) ? [one] : [],
    ),
  )
  return shared.length > 0 ? shared : false
}

function covers({ keys }: EditPath, path: readonly string[]): boolean {
  return keys.every((key, index) => path[index] === key)
}

/** The first changed place that may not be changed. */
export function forbiddenChange(
  rule: EditRule,
  changed: readonly (readonly string[])[],
): readonly string[] | undefined {
  if (rule === true) return undefined
  return changed.find((path) => rule === false || !rule.some((allowed) => covers(allowed, path)))
}
