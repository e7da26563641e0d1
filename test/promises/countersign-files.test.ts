import fc from 'fast-check'
import { expect } from 'vitest'
import { loadDeclaration, loadGovernance, loadOwner } from '../../src/policy/load/load.ts'
import { runTests } from '../../src/policy/tooling/suite.ts'
import { agentFormat, call, mistakesOf, policyOf, verdictOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

promise(
  ['CS-FILE-1', 'AF-9'],
  'all mistakes of a file are reported together, each with its place',
  () => {
    const text = [
      'version: 1',
      'tools:',
      '  pay:',
      '    aproval: true',
      '  read:',
      '    approval: maybe',
      '    risk: L9',
      'defaults:',
      '  decide_by: 15',
    ].join('\n')
    const loaded = loadOwner({ file: 'my/countersign.yaml', text })
    const places = loaded.ok ? [] : loaded.mistakes.map(({ path, place }) => [path, place])
    const at = (line: number, column: number) => ({ file: 'my/countersign.yaml', line, column })
    expect(places).toEqual([
      ['tools.pay.aproval', at(4, 5)],
      ['tools.read.approval', at(6, 15)],
      ['tools.read.risk', at(7, 11)],
      ['defaults.decide_by', at(9, 14)],
    ])
  },
)

const GOOD = `version: 1
defaults: { approvers: ["*"], decide_by: 8h }
people: { groups: { finance: [ana@example.com, bo@example.com] } }
tools:
  pay:
    approval:
      message_template: "Pay \${{tool_args.amount}}?"
      condition: [{ args_match: { amount: { gt: 10 }, to: { pattern: "^x" } } }]
      quorum: [{ group: finance, n: 2 }]
mcp_servers: [{ alias: api, server_ref: x, allowed_tools: [a, { name: b, approval: false }] }]
governance: [{ id: g, match: { tool: "d*", risk: { gte: L3 } }, deny: "No" }]
tests: [{ name: t, call: { tool: a, args: {} }, expect: allow }]
`

/** Loads or reports mistakes; anything else fails the test. */
function survives(text: string | Uint8Array): void {
  for (const load of [loadOwner, loadGovernance]) {
    const loaded = load({ file: 'countersign.yaml', text })
    if (!loaded.ok) expect(loaded.mistakes.length).toBeGreaterThan(0)
  }
}

promise(['CS-FILE-2'], 'a file cut off anywhere never makes the loader throw', () => {
  expect(loadOwner({ file: 'a', text: GOOD }).ok).toBe(true)
  const files = [
    GOOD,
    agentFormat('local_tools: [{ alias: pay, approval: { condition: { args_match: { a: 1 } } } }]'),
  ]
  for (const text of files) {
    for (let end = 0; end < text.length; end += 3) survives(text.slice(0, end))
  }
})

promise(['CS-FILE-2'], 'damaged and random files never make the loader throw', () => {
  const good = new TextEncoder().encode(GOOD)
  const byte = fc.record({ at: fc.nat(good.length - 1), value: fc.nat(255) })
  const damaged = fc.array(byte, { minLength: 1, maxLength: 4 }).map((changes) => {
    const bytes = Uint8Array.from(good)
    for (const { at, value } of changes) bytes[at] = value
    return bytes
  })
  const pieces = [
    'version: 1',
    '\n',
    '  ',
    '- ',
    '{',
    '}',
    '[',
    ']',
    ': ',
    '&a',
    '*a',
    '<<',
    '!!x',
    '|',
    '>',
    '"',
    "'",
    '#',
    '---',
    '...',
    '%YAML',
    '\t',
    'tools',
    'approval',
    'null',
    '~',
    '? ',
    '\u0000',
    '\ud800',
    '😀',
  ]
  const assembled = fc
    .array(fc.constantFrom(...pieces), { maxLength: 30 })
    .map((parts) => parts.join(''))
  fc.assert(fc.property(fc.oneof(damaged, assembled, fc.string(), fc.uint8Array()), survives), {
    numRuns: 600,
  })
})

promise(['CS-FILE-2'], 'a declaration in code never makes the loader throw', () => {
  const circle: Record<string, unknown> = {}
  circle.approval = circle
  const trap = {
    get approval(): boolean {
      throw new TypeError('no')
    },
  }
  const values = [
    undefined,
    null,
    5,
    'x',
    [],
    () => 1,
    circle,
    trap,
    new Date(0),
    new Map(),
    { approval: 5n },
    { approval: Symbol('a') },
  ]
  for (const value of values) {
    const loaded = loadDeclaration('code.pay', value)
    expect(loaded.ok ? ['it loads'] : loaded.mistakes).not.toEqual([])
    expect(loaded.ok).toBe(false)
  }
})

promise.each(
  ['CS-FILE-3'],
  'what readers understand differently is refused',
  [
    ['a key twice', 'tools: { pay: { approval: true, approval: false } }'],
    ['a tool twice', 'tools: { pay: { approval: true }, pay: { approval: false } }'],
    ['a merge key', 'tools: { a: &a { approval: true }, b: { <<: *a } }'],
    ['an alias', 'tools: { a: &a { approval: true }, b: *a }'],
    ['a tag', 'tools: { a: { approval: !!bool "true" } }'],
    ['a tag of one’s own', 'tools: { a: !js { approval: true } }'],
    ['an empty value', 'tools: { a: { approval: } }'],
    ['null', 'tools: { a: { approval: null } }'],
    ['a tilde', 'tools: { a: { approval: ~ } }'],
    ['a YAML 1.1 boolean', 'tools: { a: { approval: on } }'],
    ['a boolean in quotes', 'tools: { a: { approval: "true" } }'],
    ['a second document', 'tools: {}\n---\ntools: {}'],
    ['a number for a key', 'tools: { 5: { approval: true } }\ntests: []\nlimits: { 5: 1 }'],
    [
      'two tools of one alias',
      'mcp_servers: [{ alias: a, server_ref: x }, { alias: a, server_ref: y }]',
    ],
    ['a rule id twice', 'governance: [{ id: a, approval: true }, { id: a, deny: "No" }]'],
  ],
  (_, text) => {
    expect(mistakesOf(text)).not.toEqual([])
  },
)

promise(['CS-FILE-3'], 'an alias bomb is refused before it grows', () => {
  const lines = Array.from(
    { length: 30 },
    (_, index) => `  l${index + 1}: &l${index + 1} [${'*l'.concat(String(index), ', ').repeat(9)}]`,
  )
  expect(mistakesOf(`tools:\n  l0: &l0 x\n${lines.join('\n')}`)).not.toEqual([])
})

promise.each(
  ['CS-FILE-4'],
  'a path that cannot be read is refused',
  [
    ['__proto__'],
    ['a.__proto__.b'],
    ['constructor'],
    ['a.prototype'],
    ['a..b'],
    ['.a'],
    ['a.'],
    ['"a\\\\n"'],
  ],
  (key) => {
    const places = [
      `tools: { pay: { approval: { condition: { args_match: { ${key}: 1 } } } } }`,
      `tools: { pay: { secrets: [${key}] } }`,
      `tools: { pay: { approval: { edit: [${key}] } } }`,
    ]
    for (const place of places) expect(mistakesOf(place), place).not.toEqual([])
  },
)

promise(
  ['CS-FILE-5'],
  'policy tests run against the whole policy, and a failure shows what was seen',
  () => {
    const policy = policyOf(`
    tools:
      pay: { approval: { message_template: "Pay {{tool_args.amount}}?", condition: { args_match: { amount: { gt: 100 } } } } }
    tests:
      - { name: small ones run, call: { tool: pay, args: { amount: 50 } }, expect: allow }
      - { name: text is no number, call: { tool: pay, args: { amount: "50" } }, expect: allow }
      - { name: words, call: { tool: pay, args: { amount: 500 } }, expect: confirm, message: "Pay 5?", missing: [x] }
      - { name: no call, call: { tool: "a b", args: {} }, expect: allow }
  `)
    const [passed, failed, words, refused] = runTests(policy, policy.owner.tests)
    expect(passed).toMatchObject({ passed: true })
    expect(failed).toMatchObject({
      passed: false,
      problems: ['expected allow, got confirm'],
      explanation: {
        rules: [
          { values: [{ path: 'amount', wanted: '{ gt: 100 }', saw: '"50"', answer: 'unknown' }] },
        ],
      },
    })
    expect(words).toMatchObject({
      problems: ['expected the message "Pay 5?", got "Pay 500?"', 'expected missing ["x"], got []'],
    })
    expect(refused).toMatchObject({
      passed: false,
      problems: [expect.stringContaining('the call is refused')],
    })
  },
)

promise.each(
  ['CS-FILE-6'],
  'a duration that is none is refused',
  [['15'], ['0s'], ['"15"'], ['366d'], ['1.5h'], ['-1h'], ['1h 1h'], ['soon'], ['.inf']],
  (duration) => {
    const places = [
      `defaults: { decide_by: ${duration} }`,
      `tools: { pay: { approval: { use_by: ${duration} } } }`,
    ]
    for (const place of places) expect(mistakesOf(place), place).toHaveLength(1)
  },
)

promise(['CS-FILE-6'], 'durations are read as people write them', () => {
  for (const duration of ['15m', '1h30m', '"7 days"', '365d', '1w']) {
    expect(mistakesOf(`defaults: { decide_by: ${duration} }`), duration).toEqual([])
  }
  expect(
    verdictOf(policyOf('tools: { pay: { approval: { decide_by: 1h30m } } }'), call('pay')),
  ).toBe('confirm')
})
