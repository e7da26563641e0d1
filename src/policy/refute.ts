import type { Call } from '../base/call.ts'
import type { Scalar } from '../base/json.ts'
import type { Clause, Condition } from './condition.ts'
import { type Test, testValue } from './matcher.ts'
import { readPath } from './path.ts'
import { MAX_PATTERN_INPUT, type Pattern } from './pattern.ts'

/** A condition made ready: groups of probes. Refuted when each group has a probe that says no. */
export type Gate = readonly (readonly Probe[])[]

/** Cannot be refuted. */
export const OPEN: Gate = [[]]

/**
 * One test of one argument. Every probe has the same shape and its operation is a small number,
 * so that one loop without indirect calls serves all policies; that is most of the speed.
 */
interface Probe {
  readonly key: string
  readonly op: number
  readonly number: number
  readonly value: Scalar
  readonly values: ReadonlySet<unknown>
  readonly pattern: Pattern | undefined
  readonly test: Test
  /** For what the fast reading cannot do: nested paths, the parent's input, inherited names. */
  readonly slow: Clause | undefined
}

const SLOW = 0
const STRING = 1
const NUMBER = 2
const NE = 3
const GT = 4
const GTE = 5
const LT = 6
const LTE = 7
const IN_STRINGS = 8
const NOT_IN = 9
const PATTERN = 10
const OTHER = 11

const LOWEST = Number.MIN_SAFE_INTEGER
const HIGHEST = Number.MAX_SAFE_INTEGER

/** True when the condition is definitely `no`. */
export function refutes(gate: Gate, call: Call): boolean {
  const args = call.args as { readonly [key: string]: unknown }
  for (let index = 0; index < gate.length; index++) {
    const group = gate[index] as readonly Probe[]
    let refuted = false
    for (let at = 0; at < group.length; at++) {
      if (saysNo(group[at] as Probe, args, call)) {
        refuted = true
        break
      }
    }
    if (!refuted) return false
  }
  return true
}

function saysNo(probe: Probe, args: { readonly [key: string]: unknown }, call: Call): boolean {
  const { op } = probe
  if (op === SLOW) return slowlySaysNo(probe, call)
  const value = args[probe.key]
  switch (op) {
    case STRING:
      return typeof value === 'string' && value !== probe.value
    case NUMBER:
      return (
        typeof value === 'number' && value !== probe.number && value >= LOWEST && value <= HIGHEST
      )
    case NE:
      return value === probe.value
    case GT:
      return typeof value === 'number' && value <= probe.number && value >= LOWEST
    case GTE:
      return typeof value === 'number' && value < probe.number && value >= LOWEST
    case LT:
      return typeof value === 'number' && value >= probe.number && value <= HIGHEST
    case LTE:
      return typeof value === 'number' && value > probe.number && value <= HIGHEST
    case IN_STRINGS:
      return typeof value === 'string' && !probe.values.has(value)
    case NOT_IN:
      return probe.values.has(value)
    case PATTERN:
      return (
        typeof value === 'string' &&
        value.length <= MAX_PATTERN_INPUT &&
        probe.pattern !== undefined &&
        !probe.pattern.test(value)
      )
    default:
      return testValue(probe.test, value) === 'no'
  }
}

function slowlySaysNo({ slow, test }: Probe, call: Call): boolean {
  if (!slow) return false
  const root =
    slow.root === 'args' ? call.args : call.kind === 'agent' ? call.parent?.input : undefined
  return testValue(test, readPath(root, slow.keys)) === 'no'
}

export function prepare(condition: Condition): Gate {
  return condition.groups.map((group) => group.flatMap(probesOf))
}

function probesOf(clause: Clause): Probe[] {
  const [key = ''] = clause.keys
  // A name every object inherits would be found on arguments that do not have it.
  const direct = clause.root === 'args' && clause.keys.length === 1 && !(key in Object.prototype)
  return clause.matcher.map((test) => ({
    key: interned(key),
    op: direct ? operation(test) : SLOW,
    number: 'value' in test && typeof test.value === 'number' ? test.value : 0,
    value: 'value' in test ? test.value : '',
    values: new Set('values' in test ? test.values : []),
    pattern: test.op === 'pattern' ? test.pattern : undefined,
    test,
    slow: direct ? undefined : clause,
  }))
}

function operation(test: Test): number {
  switch (test.op) {
    case 'eq':
      return typeof test.value === 'string'
        ? STRING
        : typeof test.value === 'number'
          ? NUMBER
          : OTHER
    case 'ne':
      return NE
    case 'gt':
      return GT
    case 'gte':
      return GTE
    case 'lt':
      return LT
    case 'lte':
      return LTE
    case 'in':
      return test.values.every((value) => typeof value === 'string') ? IN_STRINGS : OTHER
    case 'not_in':
      return NOT_IN
    case 'pattern':
      return PATTERN
  }
}

/** The engine's own copy of a property name: lookups with it skip comparing text. */
function interned(key: string): string {
  return Object.keys({ [key]: true })[0] ?? key
}
