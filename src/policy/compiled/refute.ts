import { agentAlias, type Call, higherRisk, type Risk } from '../../base/call.ts'
import { type Clause, clauseValue } from '../evaluate/condition.ts'
import type { Level } from '../evaluate/verdict.ts'
import { globProbe, interned, isSlow, type Probe, probeOf } from './probe.ts'
import { type Entry, type Sheet, SITES, type Step, stricter } from './strictest.ts'

/** Demands its level, unless something it asks for is definitely not so. */
export interface Group {
  readonly level: Level
  readonly clauses: readonly Clause[]
  /** A glob over the agent's name. */
  readonly agent: string | undefined
  /** Risks at which it does not count. */
  readonly exceptRisks: readonly Risk[] | undefined
}

/** What turning groups around needs to know besides. */
interface Setting {
  /** What the policy says about the risk of the tool. */
  readonly risk: Risk | undefined
  readonly stepsTo: (keys: readonly string[]) => Step | undefined
}

// Bits of the integers for which the engine allocates nothing.
const GROUPS_PER_SHEET = 30

export function sheetFor(groups: readonly Group[], risk: Risk | undefined): Sheet {
  const always = groups.filter((group) => !isRefutable(group)).map(({ level }) => level)
  const least = always.reduce(stricter, 0)
  const open = groups.filter(({ level }) => level > least).sort((a, b) => a.level - b.level)
  return sheetOf(open, least, { risk, stepsTo: stepsFor(open) })
}

export function isRefutable({ clauses, agent, exceptRisks }: Group): boolean {
  return clauses.some(({ matcher }) => matcher.length > 0) || Boolean(agent ?? exceptRisks)
}

/*
 * Tools whose rules read the same arguments are mostly called with objects of the same kinds, so
 * they share their sites, in all policies. First come, first served; the rest share site 0.
 */
const steps = new Map<string, Step>()

function stepsFor(groups: readonly Group[]): Setting['stepsTo'] {
  const paths = groups.flatMap(({ clauses }) => clauses.map(nameOf))
  const family = [...new Set(paths)].sort().join()
  return (keys) =>
    keys.reduceRight<Step | undefined>((deeper, key, at) => {
      const name = JSON.stringify([family, keys, at])
      const known = steps.get(name)
      if (known) return known
      const site = steps.size < SITES ? steps.size + 1 : 0
      const step: Step = { key: interned(key), site, deeper }
      if (site > 0) steps.set(name, step)
      return step
    }, undefined)
}

function nameOf({ root, keys }: Clause): string {
  return JSON.stringify([root, ...keys])
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
    reviews: lowestBit(here, 2),
    denies: lowestBit(here, 3),
    first: backwards.reduce<Entry | undefined>(
      (next, same, index) => entriesOf(same, backwards.length - index, setting, next),
      undefined,
    ),
    next: rest.length > 0 ? sheetOf(rest, least, setting) : undefined,
  }
}

/** The bit of the first group that is at least so strict; above all bits where there is none. */
function lowestBit(groups: readonly Group[], least: Level): number {
  const at = groups.findIndex(({ level }) => level >= least)
  return 1 << (at < 0 ? groups.length : at)
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
    const name = nameOf(clause)
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
  const slow = tests.some(({ value, probe }) => !isDirect(value) || isSlow(probe))
  return (slow ? 1_000 : 0) - tests.length
}

function isArgument(value: ValueTest['value']): value is Clause {
  return typeof value === 'object' && value.root === 'args'
}

function isDirect(value: ValueTest['value']): boolean {
  return isArgument(value) && value.keys.length === 1
}

/** The tests of one value, followed by the entries after them. */
function entriesOf(
  tests: readonly ValueTest[],
  nth: number,
  setting: Setting,
  after: Entry | undefined,
): Entry | undefined {
  const value = tests[0]?.value ?? 'agent'
  const step = isArgument(value) ? setting.stepsTo(value.keys) : undefined
  const read = isArgument(value) ? undefined : readerOf(value, setting)
  return tests.reduceRight<Entry | undefined>((next, { refutes, probe: { op, operand } }) => {
    return { refutes, nth, step, read, op, operand, next }
  }, after)
}

function readerOf(value: ValueTest['value'], { risk }: Setting): (call: Call) => unknown {
  if (value === 'agent') return (call) => agentAlias(call) ?? ''
  if (value === 'risk') return (call) => higherRisk(call.risk, risk)
  return (call) => clauseValue(value, call)
}
