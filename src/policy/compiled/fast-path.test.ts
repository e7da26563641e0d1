import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { collectGarbage } from '../../../test/support/collect-garbage.ts'
import { volume } from '../../../test/support/volume.ts'
import type { Call } from '../../base/call.ts'
import { evaluate, verdictFrom } from '../evaluate/evaluate.ts'
import { judge } from '../evaluate/judge.ts'
import { ANNOTATED } from '../evaluate/mode.ts'
import type { Verdict } from '../evaluate/verdict.ts'
import { combinePolicy } from '../load/combine.ts'
import { type Loaded, loadDeclaration, loadGovernance, loadOwner } from '../load/load.ts'
import type { Policy } from '../policy.ts'

interface Written {
  readonly tools?: object
  readonly mcp_servers?: readonly object[]
  readonly governance?: readonly object[]
  /** What the tool `pay` declares in code. */
  readonly code?: unknown
}

function policyWith({ code, governance = [], ...owner }: Written): Policy {
  const files = {
    owner: JSON.stringify({ version: 1, ...owner }),
    outside: JSON.stringify({ version: 1, governance }),
  }
  const declared = loadDeclaration('code.pay', { approval: code ?? false })
  if (!declared.ok) throw new Error(JSON.stringify(declared.mistakes))
  return combinePolicy({
    owner: documentOf(loadOwner({ file: 'countersign.yaml', text: files.owner })),
    governance: [documentOf(loadGovernance({ file: 'governance.yaml', text: files.outside }))],
    code: code === undefined ? new Map() : new Map([['pay', declared.entry]]),
  })
}

function documentOf(loaded: Loaded) {
  if (loaded.ok) return loaded.document
  throw new Error(JSON.stringify(loaded.mistakes))
}

/** What the readable evaluation answers, as a number. */
function judged(policy: Policy, call: Call): number {
  return Math.max(0, ...judge(policy, call, ANNOTATED).looked.map(({ level }) => level))
}

/** The calls on which the two do not agree: how strict they are, or any word of the verdict. */
function disputed(policy: Policy, calls: readonly Call[]): Call[] {
  return calls.filter((call) => {
    const truth = told(() => verdictFrom(policy, call, judge(policy, call, ANNOTATED)))
    const isTrue = [1, 2].every(() => told(() => evaluate(policy, call)) === truth)
    return !isTrue || policy.level(call, ANNOTATED) !== judged(policy, call)
  })
}

/** A verdict with all its members, sorted by name; or how it failed. */
function told(verdict: () => Verdict): string {
  try {
    const members = Object.entries(verdict())
    return JSON.stringify(members.sort(([a], [b]) => (a < b ? -1 : 1)))
  } catch (error) {
    return String(error)
  }
}

const KEYS = [
  'amount',
  'name',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'a.b',
  'a.b.amount',
  'a\\.b',
]
const SCALARS = ['', 'x', 'name', 0, 1, 10, -1, 1.5, true, false]

const matcher = fc.oneof(
  fc.constantFrom(...SCALARS),
  fc.record(
    {
      gt: fc.constantFrom(0, 1, 1.5),
      lte: fc.constantFrom(0, 10),
      ne: fc.constantFrom(...SCALARS),
      in: fc.uniqueArray(fc.constantFrom(...SCALARS), { minLength: 1, maxLength: 4 }),
      not_in: fc.uniqueArray(fc.constantFrom(...SCALARS), { minLength: 1, maxLength: 4 }),
      pattern: fc.constantFrom('^x', 'a.*e$', '^[a-z]+$'),
    },
    { requiredKeys: [] },
  ),
)
const group = fc.record(
  { args_match: fc.dictionary(fc.constantFrom(...KEYS), matcher, { maxKeys: 3 }) },
  { requiredKeys: [] },
)
const condition = fc.oneof(group, fc.array(group, { minLength: 1, maxLength: 4 }))
const approval = fc.oneof(
  fc.boolean(),
  fc.record({ condition, approvers: fc.constant(['*']) }, { requiredKeys: [] }),
)
const rule = fc.record(
  {
    match: fc.record(
      {
        tool: fc.constantFrom('*', 'pay', 'p*', 'mail'),
        server: fc.constantFrom('*', 'files', 'f*'),
        agent: fc.constantFrom('*', 'clerk', 'c*k', '**'),
        risk: fc.constantFrom(
          'L2',
          { gte: 'L3' },
          { lt: 'L2' },
          { in: ['L0', 'L4'] },
          { ne: 'L1' },
        ),
      },
      { requiredKeys: [] },
    ),
    condition,
    effect: fc.oneof(
      fc.constant({ deny: 'no' }),
      approval.filter((one) => one !== false).map((one) => ({ approval: one })),
    ),
  },
  { requiredKeys: ['effect'] },
)
const tools = fc.record({
  pay: fc.record({ approval, risk: fc.constantFrom('L0', 'L2', 'L5') }, { requiredKeys: [] }),
})

class Order {
  amount = 5
  name = 'x'
}

const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...SCALARS,
    NaN,
    Infinity,
    2 ** 60,
    -(2 ** 60),
    -0,
    null,
    undefined,
    [],
    ['x'],
  ),
  fc.constant({ b: 1 }),
  fc.constant({ b: { amount: 5 } }),
  fc.constant(Object.create({ b: 1 })),
  fc.constant(new Order()),
  fc.constant([{ amount: 5 }]),
)
const names = ['amount', 'name', 'toString', 'valueOf', 'constructor', '__proto__', 'a', 'a.b', 'b']
const args = fc
  .tuple(
    fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 6 }),
    fc.constantFrom(
      'plain',
      'plain',
      'plain',
      'null',
      'inherits',
      'class',
      'getters',
      'frozen',
      'array',
    ),
  )
  .map(([entries, kind]) => objectOf(kind, entries))

const MAKERS: { readonly [kind: string]: () => object } = {
  null: () => Object.create(null),
  inherits: () => Object.create({ amount: 1, name: 'x' }),
  class: () => new Order(),
  array: () => [],
}

function objectOf(kind: string, entries: readonly (readonly [string, unknown])[]): Call['args'] {
  const made = MAKERS[kind]?.() ?? {}
  for (const [name, held] of entries) {
    const property = kind === 'getters' ? { get: () => held } : { value: held, writable: true }
    Object.defineProperty(made, name, { ...property, enumerable: true, configurable: true })
  }
  return (kind === 'frozen' ? Object.freeze(made) : made) as Call['args']
}

const call: fc.Arbitrary<Call> = fc.record(
  {
    tool: fc.constantFrom('pay', 'mail', 'constructor'),
    args,
    kind: fc.constantFrom('tool' as const, 'agent' as const, 'skill' as const),
    server: fc.constantFrom('files', 'other'),
    agent: fc.constantFrom('clerk', 'boss', '', { alias: 'clerk' }, {}),
    risk: fc.constantFrom('L0' as const, 'L3' as const, 'L5' as const),
  },
  { requiredKeys: ['tool', 'args'] },
)

const policies = fc
  .record({
    tools,
    rules: fc.array(rule, { maxLength: 5 }),
    code: fc.option(approval, { nil: undefined }),
  })
  .map(({ tools: declared, rules, code }) =>
    policyWith({
      tools: declared,
      mcp_servers: [
        { alias: 'files', url: 'https://x.example', approval: declared.pay.approval ?? true },
      ],
      governance: rules.map(({ effect, ...rest }, index) => ({
        id: `r${index}`,
        ...rest,
        ...effect,
      })),
      code,
    }),
  )

const ADDED = ['amount', 'name', 'b']

function cleanUp(): void {
  for (const name of ADDED) Reflect.deleteProperty(Object.prototype, name)
}

afterEach(cleanUp)

test('answers as the readable evaluation does, for any arguments', () => {
  fc.assert(
    fc.property(policies, fc.array(call, { minLength: 20, maxLength: 40 }), (policy, calls) => {
      expect(disputed(policy, calls)).toEqual([])
    }),
    { numRuns: volume(200, 8_000) },
  )
}, 3_600_000)

// Changing what every object inherits is slow, so each change serves many policies.
const cases = fc.array(fc.tuple(policies, fc.array(call, { minLength: 10, maxLength: 20 })), {
  minLength: 15,
  maxLength: 15,
})

test.each([
  ['seen in every loop', { value: 1, enumerable: true, writable: true }],
  ['hidden', { value: 1, enumerable: false, writable: true }],
  ['computed', { get: () => 1, enumerable: false }],
])(
  'what is added to every object is not an argument, even if %s',
  (_, property) => {
    fc.assert(
      fc.property(cases, (all) => {
        const disputes = () => all.flatMap(([policy, calls]) => disputed(policy, calls))
        const before = disputes()
        for (const name of ADDED) {
          Object.defineProperty(Object.prototype, name, { ...property, configurable: true })
        }
        const during = disputes()
        cleanUp()
        expect([before, during, disputes()]).toEqual([[], [], []])
      }),
      { numRuns: volume(4, 200) },
    )
  },
  3_600_000,
)

const above = (name: string, at: number) => ({ args_match: { [name]: { gt: at } } })

test('a hundred groups are all looked at', () => {
  const condition = Array.from({ length: 100 }, (_, at) => above(`a${at}`, at))
  const policy = policyWith({ tools: { pay: { approval: { condition } } } })
  const zeros = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`a${at}`, 0]))
  expect(policy.level({ tool: 'pay', args: zeros }, ANNOTATED)).toBe(0)
  for (let at = 0; at < 100; at++) {
    expect(policy.level({ tool: 'pay', args: { ...zeros, [`a${at}`]: 200 } }, ANNOTATED)).toBe(1)
  }
})

test.each([3, 40])('conditions inside and outside a rule are ANDed, %i groups each', (size) => {
  const groups = (name: string) =>
    Array.from({ length: size }, (_, at) => above(`${name}${at}`, at))
  const rule = { id: 'r', condition: groups('o'), approval: { condition: groups('i') } }
  const policy = policyWith({ governance: [rule] })
  const zeros = Object.fromEntries(
    Array.from({ length: size }, (_, at) => [
      [`o${at}`, 0],
      [`i${at}`, 0],
    ]).flat(),
  )
  const calls = [
    {},
    { o1: 9_000 },
    { i1: 9_000 },
    { o1: 9_000, i1: 9_000 },
    { o1: 9_000, i2: 9_000 },
  ]
  const levels = calls.map((more) =>
    policy.level({ tool: 'any', args: { ...zeros, ...more } }, ANNOTATED),
  )
  expect(levels).toEqual([0, 0, 0, 1, 1])
})

test('a stricter rule is found behind milder ones that hold', () => {
  const rules = [
    { id: 'mild', approval: true },
    { id: 'strict', condition: above('amount', 10), deny: 'no' },
    { id: 'middle', condition: above('amount', 5), approval: { approvers: ['*'] } },
  ]
  const policy = policyWith({ governance: rules })
  const levels = [1, 7, 11, 'x'].map((amount) =>
    policy.level({ tool: 'pay', args: { amount } }, ANNOTATED),
  )
  expect(levels).toEqual([1, 2, 3, 3])
})

test('each argument is read once, however many rules ask about it', () => {
  const rules = Array.from({ length: 8 }, (_, at) => ({
    id: `r${at}`,
    condition: { args_match: { amount: { gt: at + 10 }, name: { ne: `n${at}` } } },
    deny: 'no',
  }))
  const policy = policyWith({ governance: rules })
  const reads: string[] = []
  const args = Object.defineProperties(
    {},
    {
      amount: { get: () => reads.push('amount') && 100, enumerable: true },
      name: { get: () => reads.push('name') && 'x', enumerable: true },
    },
  )
  expect(policy.level({ tool: 'pay', args }, ANNOTATED)).toBe(3)
  expect(reads.sort()).toEqual(['amount', 'name'])
})

test('invented names do not fill the memory, and declared ones keep their rules', () => {
  const policy = policyWith({ tools: { pay: { approval: true } } })
  const levels = new Set<number>()
  collectGarbage()
  const { heapUsed } = process.memoryUsage()
  for (let at = 0; at < 50_000; at++) {
    levels.add(policy.level({ tool: `invented-${at}`, args: {} }, ANNOTATED))
  }
  collectGarbage()
  expect(process.memoryUsage().heapUsed - heapUsed).toBeLessThan(5_000_000)
  expect([...levels]).toEqual([0])
  expect(policy.level({ tool: 'pay', args: {} }, ANNOTATED)).toBe(1)
})
