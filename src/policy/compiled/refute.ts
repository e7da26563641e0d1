import { agentAlias, type Call } from '../../base/call.ts'
import { higherRisk, type Risk } from '../../base/risk.ts'
import { type Clause, clauseValue } from '../evaluate/condition.ts'
import type { Level } from '../evaluate/verdict.ts'
import { ownValue } from './own-value.ts'
import { globProbe, interned, isSlow, type Probe, probeOf, saysNo } from './probe.ts'

/** Demands its level, unless something it asks for is definitely not so. */
export interface Group {
  readonly level: Level
  readonly clauses: readonly Clause[]
  /** A glob over the agent's name. */
  readonly agent: string | undefined
  /** Risks at which it does not count. */
  readonly exceptRisks: readonly Risk[] | undefined
}

/**
 * The groups that concern one tool, turned around: not group by group but value by value, so that
 * every value is read once. Each group is a bit, set until one of its tests says no.
 */
export interface Sheet {
  /** The answer when no group is left. */
  readonly least: Level
  readonly groups: number
  /** By bit. They ascend, so the highest bit that is left gives the answer. */
  readonly levels: readonly Level[]
  readonly first: Entry | undefined
  /** More groups than there are bits go on here. */
  readonly next: Sheet | undefined
}

/** One test of one value, and the way to the next: lists that are linked are read faster. */
interface Entry extends Probe {
  /** The groups that are refuted when it says no. */
  readonly refutes: number
  /** Counts the values of a sheet; tests of the same value follow each other. */
  readonly nth: number
  readonly key: string
  readonly site: number
  /** For all that is not simply an argument. */
  readonly read: ((call: Call) => unknown) | undefined
  readonly next: Entry | undefined
}

/** The strictest level that is not refuted. */
export function strictest(sheet: Sheet, call: Call): Level {
  let left = sheet.groups
  let nth = 0
  let value: unknown
  for (let entry = sheet.first; entry !== undefined; entry = entry.next) {
    if ((entry.refutes & left) === 0) continue
    if (entry.nth !== nth) {
      const { read } = entry
      nth = entry.nth
      value = read === undefined ? ownValue(call.args, entry.key, entry.site) : read(call)
    }
    if (saysNo(entry, value)) {
      left &= ~entry.refutes
      if (left === 0) break
    }
  }
  const level = left === 0 ? sheet.least : (sheet.levels[31 - Math.clz32(left)] as Level)
  return sheet.next === undefined ? level : stricter(level, strictest(sheet.next, call))
}

function stricter(one: Level, other: Level): Level {
  return one > other ? one : other
}

/** What turning groups around needs to know besides. */
export interface Setting {
  /** What the policy says about the risk of the tool. */
  readonly risk: Risk | undefined
  /** A place for `ownValue` to read from. */
  readonly nextSite: () => number
}

// Bits of the integers for which the engine allocates nothing.
const GROUPS_PER_SHEET = 30

export function sheetFor(groups: readonly Group[], setting: Setting): Sheet {
  const always = groups.filter((group) => !isRefutable(group)).map(({ level }) => level)
  const least = always.reduce(stricter, 0)
  const open = groups.filter(({ level }) => level > least).sort((a, b) => a.level - b.level)
  return sheetOf(open, least, setting)
}

function isRefutable({ clauses, agent, exceptRisks }: Group): boolean {
  return clauses.some(({ matcher }) => matcher.length > 0) || Boolean(agent ?? exceptRisks)
}

function sheetOf(groups: readonly Group[], least: Level, setting: Setting): Sheet {
  const here = groups.slice(0, GROUPS_PER_SHEET)
  const rest = groups.slice(GROUPS_PER_SHEET)
  const tests = here.flatMap((group, index) => testsOf(group, 1 << index))
  const byValue = [...Map.groupBy(tests, ({ name }) => name).values()]
  // From the last to the first, because each points to the one after it.
  const backwards = byValue.sort((a, b) => effort(b) - effort(a))
  return {
    least,
    groups: (1 << here.length) - 1,
    levels: here.map(({ level }) => level),
    first: backwards.reduce<Entry | undefined>(
      (next, same, index) => entriesOf(same, backwards.length - index, setting, next),
      undefined,
    ),
    next: rest.length > 0 ? sheetOf(rest, least, setting) : undefined,
  }
}

interface ValueTest {
  /** The same for tests of the same value. */
  readonly name: string
  readonly value: Clause | 'agent' | 'risk'
  readonly probe: Probe
  readonly refutes: number
}

function testsOf({ clauses, agent, exceptRisks }: Group, refutes: number): ValueTest[] {
  const tests = clauses.flatMap((clause) => {
    const name = JSON.stringify([clause.root, ...clause.keys])
    return clause.matcher.map(
      (test): ValueTest => ({ name, value: clause, probe: probeOf(test), refutes }),
    )
  })
  if (agent !== undefined) {
    tests.push({ name: 'agent', value: 'agent', probe: globProbe(agent), refutes })
  }
  if (exceptRisks !== undefined) {
    const probe = probeOf({ op: 'not_in', values: exceptRisks })
    tests.push({ name: 'risk', value: 'risk', probe, refutes })
  }
  return tests
}

/** Values that are quickly tested, and settle many groups, come first. */
function effort(tests: readonly ValueTest[]): number {
  const slow = tests.some(({ value, probe }) => !isArgument(value) || isSlow(probe))
  return (slow ? 1_000 : 0) - tests.length
}

function isArgument(value: ValueTest['value']): value is Clause {
  return typeof value === 'object' && value.root === 'args' && value.keys.length === 1
}

/** The tests of one value, followed by the entries after them. */
function entriesOf(
  tests: readonly ValueTest[],
  nth: number,
  setting: Setting,
  after: Entry | undefined,
): Entry | undefined {
  const value = tests[0]?.value ?? 'agent'
  const simple = isArgument(value)
  const key = simple ? interned(value.keys[0] ?? '') : ''
  const site = simple ? setting.nextSite() : 0
  const read = simple ? undefined : readerOf(value, setting)
  return tests.reduceRight<Entry | undefined>((next, { refutes, probe: { op, operand } }) => {
    return { refutes, nth, key, site, read, op, operand, next }
  }, after)
}

function readerOf(value: ValueTest['value'], { risk, nextSite }: Setting): (call: Call) => unknown {
  if (value === 'agent') return (call) => agentAlias(call) ?? ''
  if (value === 'risk') return (call) => higherRisk(call.risk, risk)
  if (value.root === 'parent') return (call) => clauseValue(value, call)
  const steps = value.keys.map((key) => ({ key: interned(key), site: nextSite() }))
  return ({ args }) => {
    let reached: unknown = args
    for (let index = 0; index < steps.length; index++) {
      if (typeof reached !== 'object' || reached === null) return undefined
      const { key, site } = steps[index] as { key: string; site: number }
      reached = ownValue(reached as { readonly [key: string]: unknown }, key, site)
    }
    return reached
  }
}
