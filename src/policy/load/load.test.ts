import { expect, test } from 'vitest'
import type { PolicyDocument } from '../document.ts'
import { formatMistake, loadDeclaration, loadGovernance, loadOwner } from './load.ts'

function owner(text: string): PolicyDocument {
  const loaded = loadOwner({ file: 'p.yaml', text: `version: 1\n${text}` })
  if (!loaded.ok) throw new Error(loaded.mistakes.map(formatMistake).join('\n'))
  return loaded.document
}

function refused(text: string): string[] {
  const loaded = loadOwner({ file: 'p.yaml', text: `version: 1\n${text}` })
  return loaded.ok ? [] : loaded.mistakes.map(({ kind, path }) => `${kind} ${path}`)
}

function warned(text: string): string[] {
  return owner(text).warnings.map(({ kind, path }) => `${kind} ${path}`)
}

const always = { form: 'always', groups: [[]] }

test('an empty policy says nothing', () => {
  expect(owner('')).toEqual({
    file: 'p.yaml',
    defaults: {},
    groups: new Map(),
    tools: new Map(),
    servers: new Map(),
    localAgents: new Map(),
    remoteAgents: new Map(),
    governance: [],
    tests: [],
    notify: [],
    limits: {},
    warnings: [],
  })
})

test.each<[spelling: string, approval: object | undefined]>([
  ['approval: true', { asks: 'when', rule: 'tools.pay.approval', condition: always }],
  ['approval: {}', { asks: 'when', rule: 'tools.pay.approval', condition: always }],
  ['approval: false', { asks: 'never', rule: 'tools.pay.approval' }],
  [
    'humanInTheLoop: { mode: REQUIRED }',
    { asks: 'when', rule: 'tools.pay.humanInTheLoop', condition: always },
  ],
  ['humanInTheLoop: { mode: DISABLED }', { asks: 'never', rule: 'tools.pay.humanInTheLoop' }],
  ['description: Pays', undefined],
])('%s becomes one declaration', (spelling, approval) => {
  const place = { file: 'p.yaml', line: 4, column: 5 }
  const entry = owner(`tools:\n  pay:\n    ${spelling}\n`).tools.get('pay')
  expect(entry?.approval).toEqual(approval && { ...approval, place })
})

test('a prompt knows {toolName} and {args}; a message template does not', () => {
  const { tools } = owner(`
tools:
  a: { humanInTheLoop: { mode: REQUIRED, promptTemplate: "Run {toolName} {args}" } }
  b: { approval: { message_template: "Run {toolName} {{tool_args}}" } }
`)
  const parts = (name: string) => {
    const approval = tools.get(name)?.approval
    return approval?.asks === 'when' ? approval.template?.parts : []
  }
  expect(parts('a')).toMatchObject(['Run ', { name: 'tool_name' }, ' ', { name: 'tool_args' }])
  expect(parts('b')).toMatchObject(['Run {toolName} ', { name: 'tool_args' }])
})

test.each([
  ['{ args_match: { a: 1 } }', 'group', 1],
  ['[{ args_match: { a: 1 } }]', 'list', 1],
  ['[{ args_match: { a: 1 } }, { args_match: { b: 1 } }]', 'list', 2],
  ['{}', 'group', 1],
])('the condition %s keeps its form', (written, form, groups) => {
  const { tools } = owner(`tools: { pay: { approval: { condition: ${written} } } }`)
  const approval = tools.get('pay')?.approval
  if (approval?.asks !== 'when') throw new Error('it asks')
  expect(approval.condition.form).toBe(form)
  expect(approval.condition.groups).toHaveLength(groups)
})

test('rules of servers, agents and skills are named by alias', () => {
  const document = owner(`
mcp_servers:
  - { alias: files, command: npx, approval: true, allowed_tools: [a, { name: b, approval: true }] }
local_agents:
  - { alias: helper, approval: true }
remote_agents:
  - { alias: bank, source: card.json, approval: true, allowed_skills: [{ id: pay, approval: true }] }
`)
  const files = document.servers.get('files')
  const bank = document.remoteAgents.get('bank')
  expect(files?.rule).toBe('mcp_servers.files')
  expect(files?.approval?.rule).toBe('mcp_servers.files.approval')
  expect(files?.allowed?.get('a')).toEqual({
    name: 'a',
    place: { file: 'p.yaml', line: 4, column: 67 },
  })
  expect(files?.allowed?.get('b')?.approval?.rule).toBe(
    'mcp_servers.files.allowed_tools.b.approval',
  )
  expect(document.localAgents.get('helper')?.approval?.rule).toBe('local_agents.helper.approval')
  expect(bank?.approval?.rule).toBe('remote_agents.bank.approval')
  expect(bank?.allowed?.get('pay')?.approval?.rule).toBe(
    'remote_agents.bank.allowed_skills.pay.approval',
  )
  expect(bank?.connection).toEqual({ serverRef: 'card.json' })
})

test('an empty list of tools allows nothing, no list allows everything', () => {
  const { servers } = owner(
    'mcp_servers: [{ alias: a, command: x, allowed_tools: [] }, { alias: b, command: x }]',
  )
  expect(servers.get('a')?.allowed).toEqual(new Map())
  expect(servers.get('b')?.allowed).toBeUndefined()
})

test('durations become milliseconds, words stay words', () => {
  const document = owner(`
defaults: { undeclared: deny, gateway: allow, decide_by: 1h, use_by: 1m, wait_for: 30s, edit: [a], reason: required }
limits: { pending_per_agent: 2, asks_per_minute: 3, args_bytes: 4, args_depth: 5 }
retain: 1 day
`)
  expect(document.defaults).toEqual({
    undeclared: 'deny',
    gateway: 'allow',
    decideBy: 3_600_000,
    useBy: 60_000,
    waitFor: 30_000,
    edit: [{ text: 'a', keys: ['a'] }],
    reason: 'required',
  })
  expect(document.limits).toEqual({
    pendingPerAgent: 2,
    asksPerMinute: 3,
    argsBytes: 4,
    argsDepth: 5,
  })
  expect(document.retain).toBe(86_400_000)
})

test('governance rules carry their match, both conditions and what follows', () => {
  const { governance } = owner(`
governance:
  - id: one
    match: { tool: "a_*", server: s, agent: "*", risk: L3 }
    condition: { args_match: { a: 1 } }
    approval: { condition: { args_match: { b: 1 } } }
  - { id: two, match: { risk: { gte: L2, in: [L4, L5] } }, deny: Never }
`)
  expect(governance).toMatchObject([
    {
      id: 'one',
      rule: 'governance.one',
      tool: { text: 'a_*' },
      server: { text: 's' },
      agent: { text: '*' },
      risk: [{ op: 'eq', risks: ['L3'] }],
      condition: { form: 'group' },
    },
    {
      risk: [
        { op: 'gte', risks: ['L2'] },
        { op: 'in', risks: ['L4', 'L5'] },
      ],
      condition: always,
    },
  ])
  expect(governance.map(({ then }) => then)).toMatchObject([
    { ask: { rule: 'governance.one', condition: { form: 'group' } } },
    { deny: 'Never' },
  ])
})

test('the call of a test is kept as written, null and __proto__ included', () => {
  const { tests } = owner(`
tests:
  - name: t
    call: { tool: pay, args: { a: null, b: [1, x], __proto__: { c: 1 } } }
    expect: deny
    missing: []
`)
  expect(tests[0]?.missing).toEqual([])
  expect(JSON.stringify(tests[0]?.call)).toBe(
    '{"tool":"pay","args":{"a":null,"b":[1,"x"],"__proto__":{"c":1}}}',
  )
})

test('reading goes on after a mistake', () => {
  expect(
    refused(`
defaults: { undeclared: maybe }
tools:
  pay: { aproval: true, risk: L9 }
  refund: { approval: { quorum: [{ group: missing, n: 0 }], on_timeout: approve } }
mcp_servers: [{ alias: a, command: x, url: "https://example.com" }]
`),
  ).toEqual([
    'unknown_word defaults.undeclared',
    'unknown_key tools.pay.aproval',
    'unknown_word tools.pay.risk',
    'unknown_group tools.refund.approval.quorum[0].group',
    'bad_number tools.refund.approval.quorum[0].n',
    'yes_by_silence tools.refund.approval.on_timeout',
    'both_keys mcp_servers[0].url',
  ])
})

test.each([
  'on_timeout',
  'onTimeout',
  'timeout_action',
  'timeoutAction',
  'default_decision',
  'auto_approve',
  'autoApprove',
  'approve_after',
  'approve_on_timeout',
  'on_expire',
  'onExpiry',
  'expiration_policy',
  'fallback',
  'fallback_decision',
  'if_no_answer',
  'on_no_response',
  'approved_by_default',
])('%s never turns silence into a yes, wherever it is written', (key) => {
  const places = [
    `defaults: { ${key}: approve }`,
    `tools: { pay: { approval: { ${key}: approve } } }`,
    `tools: { pay: { ${key}: approve } }`,
    `mcp_servers: [{ alias: a, command: x, ${key}: approve }]`,
    `governance: [{ id: g, approval: { ${key}: approve } }]`,
    `people: { groups: { g: [a@example.com] } }
tools: { pay: { approval: { escalate: [{ after: 1h, to: "*", ${key}: approve }] } } }`,
  ]
  for (const text of places)
    expect(refused(text)).toEqual([expect.stringMatching(/^yes_by_silence/)])
})

test.each<[what: string, quorum: string, refusal: string[]]>([
  ['enough people', '[{ group: two, n: 2 }, { group: other, n: 1 }]', []],
  [
    'one person in two groups fills one place',
    '[{ group: two, n: 2 }, { group: one, n: 1 }]',
    ['no'],
  ],
  ['overlap that still works out', '[{ group: two, n: 1 }, { group: one, n: 1 }]', []],
  ['more than the group has', '[{ group: two, n: 3 }]', ['no']],
  ['a claim may hold anyone', '[{ group: claimed, n: 50 }, { group: one, n: 1 }]', []],
])('quorum: %s', (_, quorum, refusal) => {
  const text = `
people:
  groups:
    one: [ANA@example.com]
    two: [ana@example.com, bo@example.com]
    other: [cy@example.com]
    claimed: { claim: approvers }
tools: { pay: { approval: { quorum: ${quorum} } } }
`
  expect(refused(text)).toEqual(refusal.map(() => 'unsatisfiable_quorum tools.pay.approval.quorum'))
})

test('a governance file may name groups that another file defines', () => {
  const loaded = loadGovernance({
    file: 'g.yaml',
    text: 'version: 1\ngovernance: [{ id: g, approval: { approvers: [{ group: board }] } }]',
  })
  expect(loaded).toMatchObject({ ok: true, document: { warnings: [{ kind: 'group_not_here' }] } })
})

test.each<[what: string, text: string, warning: string]>([
  ['nothing said', 'tools: { pay: {} }', 'says_nothing tools.pay'],
  [
    'exempt and dangerous',
    'tools: { pay: { risk: L3, approval: false } }',
    'exempt_high_risk tools.pay',
  ],
  [
    'always true',
    'tools: { pay: { approval: { condition: {} } } }',
    'always_true tools.pay.approval.condition',
  ],
  [
    'never true',
    'tools: { pay: { approval: { condition: { args_match: { a: { gt: 2, lt: 1 } } } } } }',
    'never_true tools.pay.approval.condition.args_match.a',
  ],
  [
    'a variable without a value',
    'tools: { pay: { approval: { message_template: "{{skill_id}}" } } }',
    'always_missing tools.pay.approval.message_template',
  ],
  ['no connection', 'mcp_servers: [{ alias: a }]', 'no_connection mcp_servers[0]'],
  ['names that look alike', 'tools: { pay: { risk: L1 }, Pay: { risk: L1 } }', 'alike tools.Pay'],
])('%s is worth a word', (_, text, warning) => {
  expect(warned(text)).toEqual([warning])
})

test('secrets in addresses, headers and variables are not repeated', () => {
  const loaded = loadOwner({
    file: 'p.yaml',
    text: `version: 1
mcp_servers:
  - { alias: a, url: "https://ana:hunter2@example.com" }
  - { alias: b, url: "https://example.com", headers: { X-Key: "hunter2\\n" } }
  - { alias: c, command: x, env: { PIN: 8675309 }, args: [8675309] }
`,
  })
  const text = loaded.ok ? '' : loaded.mistakes.map(formatMistake).join('\n')
  expect(text.split('\n')).toHaveLength(4)
  expect(text).not.toMatch(/hunter2|8675309/)
})

test('a declaration in code follows the grammar of a tool', () => {
  expect(loadDeclaration('code.pay', { approval: { reason: 'required' }, risk: 'L4' })).toEqual({
    ok: true,
    entry: {
      name: 'pay',
      approval: {
        asks: 'when',
        rule: 'code.pay.approval',
        place: { file: 'code', line: 0, column: 0 },
        condition: always,
        reason: 'required',
      },
      risk: 'L4',
      riskRule: 'code.pay.risk',
      secrets: [],
      result: 'keep',
      place: { file: 'code', line: 0, column: 0 },
    },
    warnings: [],
  })
})

const cycle: Record<string, unknown> = {}
cycle.approval = cycle

test.each<[what: string, value: unknown, said: string]>([
  ['nothing', undefined, 'code: code.pay: found a undefined; write plain JSON'],
  ['a misspelt key', { aproval: true }, 'did you mean `approval`?'],
  ['null', { approval: null }, 'code: code.pay.approval: null says nothing'],
  ['a function', { approval: () => true }, 'code: code.pay.approval: found a function'],
  ['a class instance', { approval: new Date(0) }, 'code: code.pay.approval: found an instance'],
  ['a cycle', cycle, 'nested more than 64 levels deep'],
  [
    'a number that JSON lacks',
    { approval: { condition: { args_match: { a: Number.NaN } } } },
    'NaN',
  ],
  [
    'a getter that throws',
    Object.defineProperty({}, 'approval', {
      enumerable: true,
      get() {
        throw new Error('secret')
      },
    }),
    'code: code.pay: the value cannot be read',
  ],
])('code that declares %s is refused in words', (_, value, said) => {
  const loaded = loadDeclaration('code.pay', value)
  const text = loaded.ok ? '' : loaded.mistakes.map(formatMistake).join('\n')
  expect(text).toContain(said)
  expect(text).not.toContain('secret')
})

test('a name that no call can have is refused in code, too', () => {
  const loaded = loadDeclaration('code.pay now', { approval: true })
  expect(loaded).toMatchObject({ ok: false, mistakes: [{ kind: 'bad_name' }] })
})

test('keys that are undefined in code are absent', () => {
  expect(loadDeclaration('code.pay', { approval: undefined, risk: 'L1' })).toMatchObject({
    ok: true,
  })
})

test('a policy that keeps less than a question lives is told so', () => {
  const kinds = (text: string) => owner(text).warnings.map(({ kind }) => kind)
  expect(kinds('retain: 1h')).toEqual(['kept_longer'])
  expect(kinds('defaults: { decide_by: 2h }\nretain: 1h')).toEqual(['kept_longer'])
  expect(kinds('defaults: { decide_by: 1h }\nretain: 1h')).toEqual([])
  expect(kinds('retain: 24h')).toEqual([])
})
