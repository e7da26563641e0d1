import { isSafeNumber } from '../../base/json/canonical.ts'
import type { Scalar } from '../../base/json/json.ts'
import { failure, type Result } from '../../base/result.ts'
import {
  type Clause,
  type Condition,
  type ConditionGroup,
  clauseAt,
  isParentPath,
} from '../evaluate/condition.ts'
import { type Matcher, OPERATORS, type Test } from '../evaluate/matcher.ts'
import { parsePath } from '../evaluate/path.ts'
import { compilePattern, type Pattern } from '../pattern/pattern.ts'
import { type Key, key, object } from '../read/read-object.ts'
import {
  type At,
  inside,
  list,
  number,
  parsed,
  readNumber,
  refuse,
  type Shape,
} from '../read/read-shape.ts'
import type { Tree, TreeEntry } from '../read/read-tree.ts'
import { PATH_PATTERN } from './grammar-values.ts'
import { nearest } from './nearest.ts'

const MAX_PATTERN = 1_000

const SCALAR_WANTS = 'a text, a number, true or false'

export const scalar: Shape<Scalar> = {
  wants: SCALAR_WANTS,
  read(tree, at) {
    if (tree.kind !== 'scalar' || tree.value === null) return refuse(tree, at, SCALAR_WANTS)
    return typeof tree.value === 'number' ? readNumber(tree, at) : tree.value
  },
  schema: () => ({ type: ['string', 'number', 'boolean'] }),
}

const scalars = list(scalar, {
  wants: 'a list such as [high, critical]',
  name: (one) => one,
})

const pattern: Shape<Pattern> = parsed('a regular expression (RE2)', parsePattern, {
  schema: { minLength: 1, maxLength: MAX_PATTERN },
})

function parsePattern(written: string): Result<Pattern> {
  if (written === '') return failure('an empty pattern finds itself in every text')
  if (written.length > MAX_PATTERN) {
    return failure(
      `a pattern has at most ${MAX_PATTERN} characters; this one has ${written.length}`,
    )
  }
  return compilePattern(written)
}

type Operator = (typeof OPERATORS)[number]

const OPERATOR_KEYS: Readonly<Record<Operator, Key<unknown> & { readonly test: ReadTest }>> = {
  gt: compares('gt', 'Greater than this number.'),
  gte: compares('gte', 'This number or greater.'),
  lt: compares('lt', 'Less than this number.'),
  lte: compares('lte', 'This number or less.'),
  ne: { ...key(scalar, 'Anything of the same type but this.'), test: differs },
  in: { ...key(scalars, 'One of these values.'), test: among('in') },
  not_in: { ...key(scalars, 'None of these values.'), test: among('not_in') },
  pattern: {
    ...key(
      pattern,
      'A regular expression (RE2) found anywhere in the text; use ^ and $ to anchor it.',
    ),
    test: searches,
  },
}

type ReadTest = (tree: Tree, at: At) => Test | undefined

function compares(op: 'gt' | 'gte' | 'lt' | 'lte', about: string) {
  const test: ReadTest = (tree, at) => {
    const value = number.read(tree, at)
    return value === undefined ? undefined : { op, value }
  }
  return { ...key(number, about), test }
}

function differs(tree: Tree, at: At): Test | undefined {
  const value = scalar.read(tree, at)
  return value === undefined ? undefined : { op: 'ne', value }
}

function among(op: 'in' | 'not_in'): ReadTest {
  return (tree, at) => {
    const values = scalars.read(tree, at)
    return values && { op, values: values.map(({ value }) => value) }
  }
}

function searches(tree: Tree, at: At): Test | undefined {
  const found = pattern.read(tree, at)
  return found && { op: 'pattern', pattern: found }
}

const MATCHER_WANTS = 'a value, or a map of operators such as { gt: 100 }'

const matcher: Shape<Matcher> = {
  wants: MATCHER_WANTS,
  read(tree, at) {
    if (tree.kind === 'list')
      return refuse(tree, at, '{ in: [...] } to accept any of several values')
    if (tree.kind !== 'map') {
      if (tree.kind === 'scalar' && tree.value === null) return refuse(tree, at, MATCHER_WANTS)
      const value = scalar.read(tree, at)
      return value === undefined ? undefined : [{ op: 'eq', value }]
    }
    const tests = tree.entries.flatMap((entry) => readOperator(entry, at) ?? [])
    if (neverHolds(tests)) {
      const problem = 'no number is both above and below these limits, so this never asks'
      at.report.warn(tree.place, at.path, 'never_true', problem)
    }
    return tests
  },
  schema: (defs) => ({
    anyOf: [
      scalar.schema(defs),
      {
        type: 'object',
        additionalProperties: false,
        properties: Object.fromEntries(
          Object.entries(OPERATOR_KEYS).map(([word, { shape, about }]) => [
            word,
            { ...shape.schema(defs), description: about },
          ]),
        ),
      },
    ],
  }),
}

function readOperator({ key: word, place, value }: TreeEntry, at: At): Test | undefined {
  const here = inside(at, word)
  const known = OPERATORS.find((one) => one === word)
  if (known) return OPERATOR_KEYS[known].test(value, here)
  const meant = SPELLINGS.get(word) ?? nearest(word, OPERATORS)
  const hint = EQUAL.has(word)
    ? 'for an exact match write the value alone'
    : meant === undefined
      ? `use ${OPERATORS.join(', ')}`
      : `did you mean \`${meant}\`?`
  const problem = `\`${word}\` is not an operator; ${hint}`
  at.report.mistake(place, here.path, 'unknown_operator', problem)
  return undefined
}

const EQUAL = new Set(['eq', 'equals', 'equal', 'is', '=', '==', '===', 'const'])

/** What other rule languages call the same tests. */
const SPELLINGS: ReadonlyMap<string, Operator> = new Map([
  ['>', 'gt'],
  ['>=', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['!=', 'ne'],
  ['not', 'ne'],
  ['neq', 'ne'],
  ['above', 'gt'],
  ['below', 'lt'],
  ['min', 'gte'],
  ['max', 'lte'],
  ['ge', 'gte'],
  ['le', 'lte'],
  ['greater_than', 'gt'],
  ['less_than', 'lt'],
  ['regex', 'pattern'],
  ['match', 'pattern'],
  ['matches', 'pattern'],
  ['one_of', 'in'],
  ['any_of', 'in'],
  ['nin', 'not_in'],
  ['notIn', 'not_in'],
])

function neverHolds(tests: Matcher): boolean {
  let low = Number.NEGATIVE_INFINITY
  let high = Number.POSITIVE_INFINITY
  let open = false
  for (const test of tests) {
    if (test.op === 'gt' || test.op === 'gte') low = Math.max(low, test.value)
    if (test.op === 'lt' || test.op === 'lte') high = Math.min(high, test.value)
    if (test.op === 'gt' || test.op === 'lt') open = true
  }
  return low > high || (low === high && open && isSafeNumber(low))
}

/** `parent.input.…` is the delegating agent's input; only rules about delegation can read it. */
export function condition(delegation: boolean): Shape<Condition> {
  const wants = 'a map with args_match, or a list of such maps'
  const argsMatch: Shape<ConditionGroup> = {
    wants: 'a map of argument names and what they must be',
    read: (tree, at) =>
      tree.kind === 'map'
        ? tree.entries.flatMap((entry) => readClause(entry, at, delegation) ?? [])
        : refuse(tree, at, 'a map of argument names and what they must be'),
    schema: (defs) => ({
      type: 'object',
      propertyNames: { pattern: PATH_PATTERN },
      additionalProperties: matcher.schema(defs),
    }),
  }
  const group = object(
    'a condition',
    {
      args_match: key(
        argsMatch,
        'Arguments by dotted path, each with a value or operators; all must match. `\\.` is a dot inside a name.',
      ),
    },
    {
      hints: {
        args: 'did you mean `args_match`?',
        arguments: 'did you mean `args_match`?',
        match: 'did you mean `args_match`?',
        and: 'all entries of one args_match must match already',
        or: 'write a list of maps with args_match; one of them is enough',
        any: 'write a list of maps with args_match; one of them is enough',
        all: 'all entries of one args_match must match already',
      },
    },
  )
  const readGroup = (tree: Tree, at: At): ConditionGroup | undefined => {
    const section = group.read(tree, at)
    if (!section) return undefined
    const clauses = section.values.args_match ?? []
    const wrong = section.places.has('args_match') && section.values.args_match === undefined
    if (clauses.length === 0 && !wrong) {
      at.report.warn(section.place, at.path, 'always_true', 'this condition holds for every call')
    }
    return clauses
  }
  const groups = list<ConditionGroup>({ wants, read: readGroup, schema: group.schema }, { wants })
  return {
    wants,
    read(tree, at) {
      if (tree.kind === 'list') {
        const read = groups.read(tree, at)
        return read && { form: 'list', groups: read.map(({ value }) => value) }
      }
      if (tree.kind !== 'map') return refuse(tree, at, wants)
      const only = readGroup(tree, at)
      return only && { form: 'group', groups: [only] }
    },
    schema: (defs) => ({ anyOf: [group.schema(defs), groups.schema(defs)] }),
  }
}

function readClause(entry: TreeEntry, at: At, delegation: boolean): Clause | undefined {
  const here = inside(at, entry.key)
  const path = parsePath(entry.key)
  const test = matcher.read(entry.value, here)
  if (!path.ok) {
    at.report.mistake(entry.place, here.path, 'bad_path', path.problem)
    return undefined
  }
  if (isParentPath(path.value)) {
    const problem = delegation
      ? path.value.keys.length > 2
        ? undefined
        : 'name a field of the input, such as parent.input.action'
      : 'parent.input is the input of a delegating agent; only local_agents, remote_agents and governance can read it'
    if (problem !== undefined) {
      at.report.mistake(entry.place, here.path, 'bad_path', problem)
      return undefined
    }
  }
  return test && clauseAt(path.value, test)
}
