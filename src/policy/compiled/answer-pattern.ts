import { agentAlias, type Call, higherRisk, isRisk, type Risk, riskRank } from '../../base/call.ts'
import { type Clause, clauseValue } from '../evaluate/condition.ts'
import { globMatches } from '../evaluate/glob.ts'
import { isTestable, type Probe, probeOf, saysNo } from './probe.ts'
import { type Group, isRefutable } from './refute.ts'
import { ownValue } from './strictest.ts'

/** Where a call has no pattern, or none that fits into a number. */
export const NO_PATTERN = -1

// Two bits for each group, and the risk, in an integer that a number holds exactly.
const MAX_PATTERN = 24

/** One value, its tests, and the way to the next: small and linked, because a call reads them cold. */
interface Tested {
  /** The name of the argument; for all that is not one argument by its name, see `clause`. */
  readonly key: string | undefined
  readonly clause: Clause
  readonly first: Asked | undefined
  readonly next: Tested | undefined
}

interface Asked extends Probe {
  /** The bit of the group it belongs to. */
  readonly group: number
  readonly next: Asked | undefined
}

/**
 * Names how the groups of a tool's rules answer a call: each yes, no or unknown. All that `judge`
 * says depends on these answers and on the claimed risk, and on nothing else of the call.
 */
export function patternFor(
  groups: readonly Group[],
  rated: Risk | undefined,
): (call: Call) => number {
  const open = groups.filter(isRefutable)
  if (open.length > MAX_PATTERN) return () => NO_PATTERN
  const all = 2 ** open.length - 1
  const first = testedValues(open)
  const matched = open
    .map(({ agent, exceptRisks }, index) => ({ agent, exceptRisks, group: 1 << index }))
    .filter(({ agent, exceptRisks }) => Boolean(agent ?? exceptRisks))

  return (call) => {
    const { risk, args } = call
    if (risk !== undefined && !isRisk(risk)) return NO_PATTERN
    // What is not an object has no arguments to read; `judge` knows how to say that.
    if (typeof args !== 'object' || args === null) return NO_PATTERN
    let left = all
    for (const { agent, exceptRisks, group } of matched) {
      const fits = agent === undefined || globMatches(agent, agentAlias(call) ?? '')
      const highest = higherRisk(risk, rated)
      const isExcept = highest !== undefined && exceptRisks?.includes(highest)
      if (!fits || isExcept) left &= ~group
    }
    let unknown = 0
    for (let value = first; value !== undefined; value = value.next) {
      const { key, clause } = value
      const read = key === undefined ? clauseValue(clause, call) : ownValue(args, key)
      for (let asked = value.first; asked !== undefined; asked = asked.next) {
        if ((left & asked.group) === 0) continue
        if (saysNo(asked, read)) left &= ~asked.group
        else if (!isTestable(asked, read)) unknown |= asked.group
      }
    }
    const claimed = risk === undefined ? 0 : 1 + riskRank(risk)
    return (left * (all + 1) + (unknown & left)) * 7 + claimed
  }
}

function testedValues(groups: readonly Group[]): Tested | undefined {
  const tested = groups.flatMap(({ clauses }, index) =>
    clauses.flatMap((clause) =>
      clause.matcher.map((test) => ({ clause, probe: probeOf(test), group: 1 << index })),
    ),
  )
  const byValue = Map.groupBy(tested, ({ clause: { root, keys } }) => JSON.stringify([root, keys]))
  return [...byValue.values()].reduceRight<Tested | undefined>((next, tests) => {
    const clause = tests[0]?.clause
    if (clause === undefined) return next
    const first = tests.reduceRight<Asked | undefined>(
      (after, { probe: { op, operand }, group }) => {
        return { op, operand, group, next: after }
      },
      undefined,
    )
    const [only, deeper] = clause.keys
    const key = clause.root === 'args' && deeper === undefined ? only : undefined
    return { key, clause, first, next }
  }, undefined)
}
