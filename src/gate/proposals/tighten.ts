import type { Scalar } from '../../base/json/json.ts'
import { pathText } from '../../base/json/leaves.ts'
import type { RuleWish, WishClause } from '../../policy/rules/rule-wish.ts'
import { type Evidence, peopleIn } from './evidence.ts'

/** Fewer calls, or one person's habit, say too little. */
export const TIGHTEN_CALLS = 10
export const TIGHTEN_PEOPLE = 2
const MOST_VALUES = 20
const LONGEST_VALUE = 100

/** Calls of one tool that people never let run as asked, and the condition that tells them. */
export interface Tightening {
  readonly when: RuleWish['when']
  /** The argument it is about; absent: all calls of the tool. */
  readonly path?: string
  readonly refused: readonly Evidence[]
}

/** The condition that holds for most refused calls and for no call that people let run as asked. */
export function tightening(all: readonly Evidence[]): Tightening | undefined {
  if (all.every(isDenied)) return supported({ when: [], refused: all })
  const found = pathsOf(all).flatMap((path) => [byValue(all, path), byNumber(all, path)])
  return found
    .flatMap((one) => (one ? (supported(one) ?? []) : []))
    .sort((a, b) => b.refused.length - a.refused.length)[0]
}

/** Those that enough calls have which did not run as asked: for no other one can a rule be proposed. */
function pathsOf(all: readonly Evidence[]): string[] {
  const refused = new Map<string, number>()
  for (const { answer, values } of all) {
    if (answer === 'approved') continue
    for (const path of values.keys()) refused.set(path, (refused.get(path) ?? 0) + 1)
  }
  return [...refused].filter(([, calls]) => calls >= TIGHTEN_CALLS).map(([path]) => path)
}

const isDenied = ({ answer }: Evidence) => answer === 'denied'

function supported(one: Tightening): Tightening | undefined {
  const isEnough = one.refused.length >= TIGHTEN_CALLS && peopleIn(one.refused) >= TIGHTEN_PEOPLE
  return isEnough ? one : undefined
}

/** Denied, or approved only after a person changed this very argument. */
function isRefusedAt({ answer, recorded }: Evidence, path: string): boolean {
  if (answer !== 'edited') return answer === 'denied'
  const { edited } = recorded.approval
  return edited.some((keys) => pathText(keys) === path)
}

/**
 * What cannot be tested counts against a call: so every call that ran as asked must have a value of
 * this type there, or the rule would refuse more than people did.
 */
function isTold(all: readonly Evidence[], path: string, type: 'string' | 'number' | 'boolean') {
  return all.every((one) => isRefusedAt(one, path) || typeof one.values.get(path) === type)
}

/** Values that people never let through, each of them often enough to count for itself. */
function byValue(all: readonly Evidence[], path: string): Tightening | undefined {
  const byText = new Map<Scalar, Evidence[]>()
  for (const one of all) {
    const value = one.values.get(path)
    if (value === undefined || typeof value === 'number') continue
    if (typeof value === 'string' && value.length > LONGEST_VALUE) continue
    byText.set(value, [...(byText.get(value) ?? []), one])
  }
  const refused = [...byText].filter(
    ([, calls]) =>
      supported({ when: [], refused: calls }) && calls.every((one) => isRefusedAt(one, path)),
  )
  const values = refused.slice(0, MOST_VALUES).map(([value]) => value)
  const [only] = values
  if (only === undefined || typeof only === 'number') return undefined
  if (values.some((value) => typeof value !== typeof only)) return undefined
  if (!isTold(all, path, typeof only as 'string' | 'boolean')) return undefined
  const clause: WishClause =
    values.length === 1 ? { path, op: 'eq', value: only } : { path, op: 'in', value: values }
  return { when: [[clause]], path, refused: refused.flatMap(([, calls]) => calls) }
}

/** From the smallest refused number on, where every number that people let through is below it. */
function byNumber(all: readonly Evidence[], path: string): Tightening | undefined {
  const numbers = all.flatMap((one) => {
    const value = one.values.get(path)
    return typeof value === 'number' ? [{ one, value }] : []
  })
  const passed = numbers.filter(({ one }) => !isRefusedAt(one, path)).map(({ value }) => value)
  const highest = Math.max(Number.NEGATIVE_INFINITY, ...passed)
  const above = numbers.filter(({ value }) => value > highest)
  const least = Math.min(Number.POSITIVE_INFINITY, ...above.map(({ value }) => value))
  // Without a call that ran, the numbers say nothing about where the limit is.
  if (passed.length === 0 || above.length === 0 || !isTold(all, path, 'number')) return undefined
  return {
    when: [[{ path, op: 'gte', value: least }]],
    path,
    refused: above.map(({ one }) => one),
  }
}
