import { agentAlias, type Call } from '../base/call.ts'
import { higherRisk, type Risk } from '../base/risk.ts'
import { type Clause, clauseValue } from './condition.ts'
import { ownValue } from './own-value.ts'
import { globProbe, interned, type Probe, probeOf, saysNo } from './probe.ts'
import type { Level } from './verdict.ts'

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
  readonly columns: readonly Column[]
}

/** One value of a call with every test of it. */
interface Column {
  /** The groups it can refute. */
  readonly groups: number
  readonly key: string
  readonly site: number
  /** For all that is not simply an argument. */
  readonly read: ((call: Call) => unknown) | undefined
  readonly probes: readonly Probe[]
}

/** The strictest level that is not refuted. */
export function strictest(sheet: Sheet, call: Call): Level {
  const { columns } = sheet
  let left = sheet.groups
  for (let index = 0; index < columns.length && left !== 0; index++) {
    const { groups, key, site, read, probes } = columns[index] as Column
    if ((groups & left) === 0) continue
    const value = read === undefined ? ownValue(call.args, key, site) : read(call)
    for (let at = 0; at < probes.length; at++) {
      const probe = probes[at] as Probe
      if ((probe.closes & left) !== 0 && saysNo(probe, value)) left &= ~probe.closes
    }
  }
  return left === 0 ? sheet.least : (sheet.levels[31 - Math.clz32(left)] as Level)
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

export function sheetsOf(groups: readonly Group[], setting: Setting): Sheet[] {
  const least = groups.reduce<Level>(
    (top, group) => (isRefutable(group) || group.level < top ? top : group.level),
    0,
  )
  const open = groups.filter(({ level }) => level > least).sort((a, b) => a.level - b.level)
  const sheets = [sheetOf(open.splice(0, GROUPS_PER_SHEET), least, setting)]
  while (open.length > 0) sheets.push(sheetOf(open.splice(0, GROUPS_PER_SHEET), least, setting))
  return sheets
}

function isRefutable({ clauses, agent, exceptRisks }: Group): boolean {
  return clauses.some(({ matcher }) => matcher.length > 0) || Boolean(agent ?? exceptRisks)
}

function sheetOf(groups: readonly Group[], least: Level, setting: Setting): Sheet {
  const tests = groups.flatMap((group, index) => testsOf(group, 1 << index))
  const columns = [...Map.groupBy(tests, ({ name }) => name).values()].map((same) =>
    columnOf(same, setting),
  )
  return {
    least,
    groups: (1 << groups.length) - 1,
    levels: groups.map(({ level }) => level),
    columns: columns.sort((a, b) => effort(a) - effort(b)),
  }
}

interface NamedTest {
  /** The same for tests of the same value. */
  readonly name: string
  readonly value: Clause | 'agent' | 'risk'
  readonly probe: Probe
}

function testsOf({ clauses, agent, exceptRisks }: Group, bit: number): NamedTest[] {
  const tests = clauses.flatMap((clause) => {
    const name = JSON.stringify([clause.root, ...clause.keys])
    return clause.matcher.map(
      (test): NamedTest => ({ name, value: clause, probe: probeOf(test, bit) }),
    )
  })
  if (agent !== undefined) {
    tests.push({ name: 'agent', value: 'agent', probe: globProbe(agent, bit) })
  }
  if (exceptRisks !== undefined) {
    tests.push({
      name: 'risk',
      value: 'risk',
      probe: probeOf({ op: 'not_in', values: exceptRisks }, bit),
    })
  }
  return tests
}

function columnOf(tests: readonly NamedTest[], setting: Setting): Column {
  const probes = tests.map(({ probe }) => probe)
  const groups = probes.reduce((all, { closes }) => all | closes, 0)
  const value = tests[0]?.value ?? 'agent'
  if (typeof value === 'object' && value.root === 'args' && value.keys.length === 1) {
    const key = interned(value.keys[0] ?? '')
    return { groups, key, site: setting.nextSite(), read: undefined, probes }
  }
  return { groups, key: '', site: 0, read: readerOf(value, setting), probes }
}

function readerOf(value: NamedTest['value'], { risk, nextSite }: Setting): (call: Call) => unknown {
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

/** Values that are quickly tested, and settle many groups, come first. */
function effort({ read, probes }: Column): number {
  const slow = read !== undefined || probes.some(({ pattern }) => pattern !== undefined)
  return (slow ? 1_000 : 0) - probes.length
}
