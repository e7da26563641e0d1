import type { Call } from '../../base/call.ts'
import { type Answer, every, some } from './answer.ts'
import { type Matcher, matchValue } from './matcher.ts'
import { type Path, readPath } from './path.ts'

/** One entry of `args_match`. */
export interface Clause {
  /** Whose values: the call's own arguments, or the input of the agent that delegates. */
  readonly root: 'args' | 'parent'
  readonly path: Path
  /** The keys below the root: without `parent.input` where that is the root. */
  readonly keys: readonly string[]
  readonly matcher: Matcher
}

/** Clauses are ANDed; none at all is `yes`. */
export type ConditionGroup = readonly Clause[]

export interface Condition {
  /** As written: nothing, one group, or a list of groups. Names of rules depend on it. */
  readonly form: 'always' | 'group' | 'list'
  /** ORed. `always` has one empty group. */
  readonly groups: readonly ConditionGroup[]
}

export const ALWAYS: Condition = { form: 'always', groups: [[]] }

/** One clause together with the value it saw. */
export interface Finding {
  readonly clause: Clause
  readonly value: unknown
  readonly answer: Answer
}

export interface Judged {
  readonly answer: Answer
  /** The group that decided: the first `yes`, else the first `unknown`; -1 when all said no. */
  readonly group: number
  readonly findings: readonly (readonly Finding[])[]
}

export function clauseValue(clause: Clause, call: Call): unknown {
  if (clause.root === 'args') return readPath(call.args, clause.keys)
  return call.kind === 'agent' ? readPath(call.parent?.input, clause.keys) : undefined
}

export function judgeCondition(condition: Condition, call: Call): Judged {
  const findings = condition.groups.map((group) =>
    group.map((clause): Finding => {
      const value = clauseValue(clause, call)
      return { clause, value, answer: matchValue(clause.matcher, value) }
    }),
  )
  const answers = findings.map((group) => every(group.map(({ answer }) => answer)))
  const answer = some(answers)
  return { answer, group: answer === 'no' ? -1 : answers.indexOf(answer), findings }
}

/** The clause's root and keys: `parent.input.x` is read from the delegating agent's input. */
export function clauseAt(path: Path, matcher: Matcher): Clause {
  return isParentPath(path)
    ? { root: 'parent', path, keys: path.keys.slice(2), matcher }
    : { root: 'args', path, keys: path.keys, matcher }
}

export function isParentPath({ keys }: Path): boolean {
  return keys[0] === 'parent' && keys[1] === 'input'
}
