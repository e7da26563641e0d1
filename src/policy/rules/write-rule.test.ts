import { expect, test } from 'vitest'
import { loadOwner } from '../load/load.ts'
import { placesFor, ruleIn } from './read-rule.ts'
import type { RuleSubject, RuleWish } from './rule-wish.ts'
import { withRule, withTests } from './write-rule.ts'

const FILE = `# Ours. Ask Ana before you change it.
version: 1
people: { groups: { finance: [ana@example.com, bo@example.com] } }

tools:
  # Money leaves the house here.
  pay:
    risk: L3   # see the wiki
    approval:
      edit: [amount]   # only that
      condition:
        args_match: { amount: { gt: 100 } }   # the limit of 2025
  read: { approval: false }
mcp_servers:
- alias: files
  server_ref: files
  allowed_tools: [read, write]
- alias: open
  server_ref: open
`

const PAY: RuleSubject = { kind: 'tool', tool: 'pay' }
const WISH: RuleWish = {
  place: 'tool',
  verdict: 'review',
  when: [[{ path: 'amount', op: 'gt', value: 5_000 }]],
  approvers: [{ group: 'finance' }],
  quorum: [],
  decideBy: '4h',
}

function load(text: string) {
  const loaded = loadOwner({ file: 'countersign.yaml', text })
  if (!loaded.ok) throw new Error(`${loaded.mistakes[0]?.message}\n${text}`)
  return loaded.document
}

const linesOf = (text: string) => text.split('\n')

test('a rule is changed in place: comments, order and all other lines stay', () => {
  const next = withRule(FILE, PAY, WISH)
  const kept = linesOf(FILE).filter((line) => !line.includes('args_match'))
  for (const line of kept) expect(linesOf(next)).toContain(line)
  expect(next).toContain('# see the wiki')
  expect(next).toContain('# only that')
  expect(ruleIn(load(next), PAY, WISH)).toEqual(WISH)
})

test('a rule that says what the file says changes no character of it', () => {
  const rule = ruleIn(load(FILE), PAY, { place: 'tool' })
  expect(rule && withRule(FILE, PAY, rule)).toBe(FILE)
})

test.each<[string, RuleSubject, Partial<RuleWish>]>([
  ['a new tool', { kind: 'tool', tool: 'refund' }, {}],
  ['never', PAY, { verdict: 'allow', when: [], approvers: [], decideBy: undefined as never }],
  ['an extra rule', PAY, { place: 'extra', id: 'big' }],
  [
    'an extra rule that denies',
    { kind: 'tool', tool: 'drop', server: 'open' },
    {
      place: 'extra',
      id: 'no',
      verdict: 'deny',
      approvers: [],
      decideBy: undefined as never,
      told: 'Not here: "never".',
    },
  ],
  ['a listed tool of a server', { kind: 'tool', tool: 'write', server: 'files' }, {}],
  [
    'two groups and every operator',
    PAY,
    {
      when: [
        [
          { path: 'amount', op: 'gte', value: 1 },
          { path: 'amount', op: 'lt', value: 9.5 },
          { path: 'to\\.name', op: 'ne', value: 'x' },
          { path: 'urgent', op: 'eq', value: true },
        ],
        [
          { path: 'country', op: 'in', value: ['DE', 'yes', '1'] },
          { path: 'memo', op: 'pattern', value: '^a: [b]#c' },
          { path: 'n', op: 'not_in', value: [1, 2] },
          { path: 'm', op: 'lte', value: 3 },
        ],
      ],
      quorum: [{ group: 'finance', n: 2 }],
      useBy: '1h30m',
      remindAfter: '1h',
      reason: 'required',
      question: 'Pay {{tool_args.amount}}?',
    },
  ],
])('%s is written and read back as it was', (_, subject, more) => {
  const wish = Object.fromEntries(
    Object.entries({ ...WISH, ...more }).filter(([, value]) => value !== undefined),
  ) as unknown as RuleWish
  const next = withRule(FILE, subject, wish)
  expect(ruleIn(load(next), subject, wish)).toEqual(wish)
  // Once more says the same.
  expect(withRule(next, subject, wish)).toBe(next)
})

test('a text that an agent chose stays a text, whatever it looks like', () => {
  const hostile = [
    'x\n  approval: false\ntools: {}',
    '"} }\nversion: 2',
    '*a',
    '&a',
    '!!js/function x',
    'yes',
    'null',
    '# not a comment',
    '- - -',
    '{{tool_args.amount}}',
    '../../etc',
  ]
  for (const value of hostile) {
    const when = [[{ path: 'to', op: 'in', value: [value] } as const]]
    const next = withRule(FILE, PAY, { ...WISH, when })
    const { tools, ...rest } = load(next)
    expect(ruleIn(load(next), PAY, WISH)?.when).toEqual(when)
    expect([...tools.keys()]).toEqual(['pay', 'read'])
    expect(rest.servers.size).toBe(2)
  }
  // Other readers of YAML take some words for a yes or a no.
  const quoted = [[{ path: 'to', op: 'eq', value: 'on' } as const]]
  expect(withRule(FILE, PAY, { ...WISH, when: quoted })).toContain('"on"')
  // Names that no tool can have are not made to fit.
  const named = withRule(FILE, { kind: 'tool', tool: 'a: b\nread: {}' }, WISH)
  expect(loadOwner({ file: 'x.yaml', text: named }).ok).toBe(false)
  const keyed = [[{ path: '__proto__', op: 'eq', value: 'x' } as const]]
  const prototype = withRule(FILE, PAY, { ...WISH, when: keyed })
  expect(loadOwner({ file: 'x.yaml', text: prototype }).ok).toBe(false)
})

test('what a form cannot say is refused', () => {
  const refused = (subject: RuleSubject, more: Partial<RuleWish>) => () =>
    withRule(FILE, subject, { ...WISH, ...more })
  const twice = { path: 'amount', op: 'gt', value: 1 } as const
  expect(refused(PAY, { when: [[twice, twice]] })).toThrow('test "amount" alike')
  expect(refused(PAY, { verdict: 'deny' })).toThrow('only an extra rule can deny')
  expect(refused(PAY, { place: 'extra', id: 'x', verdict: 'allow' })).toThrow('only ask more')
  expect(refused({ kind: 'tool', tool: 'x', server: 'open' }, {})).toThrow(
    'does not list its tools',
  )
  expect(refused({ kind: 'agent', tool: 'x' }, {})).toThrow('entry of their own')
  const other = withRule(FILE, PAY, { ...WISH, place: 'extra', id: 'g' })
  expect(() =>
    withRule(other, { kind: 'tool', tool: 'read' }, { ...WISH, place: 'extra', id: 'g' }),
  ).toThrow('another rule has this name')
  expect(() => withRule('schema_version: "1.0.0"\n', PAY, WISH)).toThrow('not written in a way')
})

const RULES = (rule: string) => `${FILE}governance:\n- ${rule}\n`
const DENY: RuleWish = {
  ...{ place: 'extra', id: 'g', verdict: 'deny', told: 'no', approvers: [], quorum: [] },
  when: [[{ path: 'amount', op: 'gt', value: 9 }]],
}

test.each([
  ['every call', '{ id: g, deny: no }'],
  ['every call, by an empty match', '{ id: g, match: {}, deny: no }'],
  ['the calls of one agent', '{ id: g, match: { tool: pay, agent: bot }, deny: no }'],
  ['one risk', '{ id: g, match: { tool: pay, risk: L3 }, deny: no }'],
  ['tools of a pattern', '{ id: g, match: { tool: "p*" }, deny: no }'],
])('a rule about %s is neither shown nor changed as one about this tool', (_, rule) => {
  const text = RULES(rule)
  expect(ruleIn(load(text), PAY, { place: 'extra', id: 'g' })).toBeUndefined()
  expect(() => withRule(text, PAY, DENY)).toThrow('another rule has this name')
})

test('the condition of the form is the only one of the rule', () => {
  const text = RULES(
    '{ id: g, match: { tool: pay }, approval: { approvers: ["*"], condition: { args_match: { amount: { gt: 100 } } } } }',
  )
  const found = ruleIn(load(text), PAY, { place: 'extra', id: 'g' })
  if (!found) throw new Error('no rule')
  for (const when of [[], [[{ path: 'amount', op: 'gt', value: 5 } as const]]]) {
    const next = withRule(text, PAY, { ...found, when })
    expect(ruleIn(load(next), PAY, found)).toEqual({ ...found, when })
  }
})

test('an alternative that tests nothing makes the rule hold always, and stays so', () => {
  for (const open of ['{}', '{ amount: {} }']) {
    const text = `version: 1\ntools: { pay: { approval: { approvers: ["*"], condition: [{ args_match: { to: x } }, { args_match: ${open} }] } } }\n`
    const found = ruleIn(load(text), PAY, { place: 'tool' })
    if (!found) throw new Error('no rule')
    expect(found.when).toEqual([])
    const ask = load(withRule(text, PAY, { ...found, decideBy: '1h' })).tools.get('pay')?.approval
    expect(ask).toMatchObject({ condition: { form: 'always' }, decideBy: 3_600_000 })
  }
  const [clause] = WISH.when
  const always = withRule(FILE, PAY, { ...WISH, when: [clause ?? [], []] })
  expect(ruleIn(load(always), PAY, WISH)?.when).toEqual([])
})

test('where defaults name approvers, a rule without names is theirs', () => {
  const text =
    'version: 1\ndefaults: { approvers: [cfo@example.com] }\ntools: { pay: { approval: true } }\n'
  const found = ruleIn(load(text), PAY, { place: 'tool' })
  expect(found).toMatchObject({ verdict: 'review', approvers: [] })
  if (!found) throw new Error('no rule')
  const next = withRule(text, PAY, { ...found, reason: 'required' })
  expect(next).not.toContain('*')
  expect(ruleIn(load(next), PAY, found)).toEqual({ ...found, reason: 'required' })
})

test('a prompt of humanInTheLoop keeps its variables', () => {
  const text =
    'version: 1\ntools: { pay: { humanInTheLoop: { mode: REQUIRED, promptTemplate: "Run {toolName} with {args}, {{tool_args.to}}?" } } }\n'
  const found = ruleIn(load(text), PAY, { place: 'tool' })
  if (!found) throw new Error('no rule')
  const asks = (written: string) => {
    const ask = load(written).tools.get('pay')?.approval
    if (ask?.asks !== 'when') throw new Error('it does not ask')
    return ask.template?.parts.map((part) => (typeof part === 'string' ? part : part.name))
  }
  expect(asks(withRule(text, PAY, found))).toEqual(asks(text))
})

test('where a rule can stand', () => {
  const owner = load(FILE)
  expect(placesFor(owner, PAY)).toEqual(['tool', 'extra'])
  expect(placesFor(owner, { kind: 'tool', tool: 'write', server: 'files' })).toHaveLength(2)
  expect(placesFor(owner, { kind: 'tool', tool: 'x', server: 'open' })).toEqual(['extra'])
  expect(placesFor(owner, { kind: 'agent', tool: 'x' })).toEqual(['extra'])
})

test('tests are added once, and replaced by name', () => {
  const one = { name: 'a', call: { tool: 'pay', args: { to: 'x: y', amount: 5 } }, expect: 'allow' }
  const next = withTests(FILE, [one])
  expect(load(next).tests.map(({ name, call, expect }) => ({ name, call, expect }))).toEqual([one])
  const again = withTests(next, [{ ...one, expect: 'review' }])
  expect(load(again).tests.map((test) => test.expect)).toEqual(['review'])
})
