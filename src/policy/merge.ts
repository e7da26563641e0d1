import type { Risk } from '../base/risk.ts'
import { ASSURANCES, type Ask, type Defaults, type EditRule, REASONS } from './document.ts'
import type { Looked } from './judge.ts'
import { liesUnder, type Path } from './path.ts'
import type { Requirement, Terms } from './verdict.ts'

const HOUR = 3_600_000

/** What one rule demands of people. */
export function requirementOf({ source, rule, level, ask, defaults }: Looked): Requirement {
  const quorum = ask?.quorum ?? []
  // The word `confirm` in `defaults` means itself: whoever approves is not named for it.
  const inherits = level === 2 && quorum.length === 0
  const named = ask?.approvers ?? (inherits ? defaults.approvers : undefined)
  return {
    source,
    rule,
    level: level === 2 ? 'approve' : 'confirm',
    approvers: named ?? [],
    quorum,
    escalate: ask?.escalate ?? [],
  }
}

/** The strictest of all sources, each clock and rule for itself; the owner's defaults fill gaps. */
export function mergeTerms(
  asking: readonly Looked[],
  owner: Defaults,
  risk: Risk | undefined,
): Terms {
  const set = <T>(pick: (from: Ask | Defaults) => T | undefined): T[] => {
    const said = asking
      .map(({ ask, defaults }) => (ask && pick(ask)) ?? pick(defaults))
      .filter((value) => value !== undefined)
    const otherwise = pick(owner)
    return said.length > 0 || otherwise === undefined ? said : [otherwise]
  }

  return {
    decideBy: shortest(set(({ decideBy }) => decideBy)) ?? 24 * HOUR,
    useBy: shortest(set(({ useBy }) => useBy)) ?? HOUR / 4,
    waitFor: owner.waitFor,
    remindAfter: shortest(asking.flatMap(({ ask }) => ask?.remindAfter ?? [])),
    minAssurance: highest(
      ASSURANCES,
      set(({ minAssurance }) => minAssurance),
    ),
    reason: highest(
      REASONS,
      set(({ reason }) => reason),
    ),
    edit: set(({ edit }) => edit).reduce<EditRule>(intersect, true),
    // What cannot be undone is asked about each time.
    grants: risk !== 'L5' && asking.every(({ ask }) => ask?.grants !== false),
  }
}

function shortest(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : Math.min(...values)
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
