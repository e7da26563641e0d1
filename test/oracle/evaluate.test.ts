import { expect, test } from 'vitest'
import type { Call, EvaluationInput, GovernanceRule, OwnerDocument } from './documents.ts'
import { naiveEvaluate } from './evaluate.ts'

type Parts = Omit<OwnerDocument, 'version'>

function input(parts: Parts, more: Partial<EvaluationInput> = {}): EvaluationInput {
  return { owner: { version: 1, ...parts }, governance: [], ...more }
}

/** The verdict and the reasons, short enough for a table. */
function said(policy: EvaluationInput, call: Partial<Call>): string {
  const { verdict, reasons } = naiveEvaluate(policy, { tool: 'pay', args: {}, ...call })
  return [verdict, ...reasons.map(({ source, rule }) => `${source}:${rule}`)].join(' ')
}

const over100 = { args_match: { amount: { gt: 100 } } }
const ana = ['ana@x.com']

test.each<[string, Parts, Call['args'], string]>([
  ['nothing declared', {}, {}, 'allow'],
  [
    'the word for undeclared tools',
    { defaults: { undeclared: 'review' } },
    {},
    'review default:defaults.undeclared',
  ],
  ['true', { tools: { pay: { approval: true } } }, {}, 'confirm tool:tools.pay.approval'],
  ['{}', { tools: { pay: { approval: {} } } }, {}, 'confirm tool:tools.pay.approval'],
  ['false ends the search', { tools: { pay: { approval: false, risk: 'L5' } } }, {}, 'allow'],
  [
    'a no ends the search',
    {
      tools: { pay: { approval: { condition: over100 }, risk: 'L5' } },
      defaults: { undeclared: 'deny' },
    },
    { amount: 1 },
    'allow',
  ],
  [
    'an unknown asks',
    { tools: { pay: { approval: { condition: over100 } } } },
    { amount: '101' },
    'confirm tool:tools.pay.approval.condition',
  ],
  ['risk above L0 asks', { tools: { pay: { risk: 'L1' } } }, {}, 'confirm risk:tools.pay.risk'],
  [
    'risk L0 allows',
    { tools: { pay: { risk: 'L0' } }, defaults: { undeclared: 'deny' } },
    {},
    'allow',
  ],
  [
    'a tool that says nothing is undeclared',
    { tools: { pay: { description: 'Pays' } }, defaults: { undeclared: 'confirm' } },
    {},
    'confirm default:defaults.undeclared',
  ],
  [
    'approvers make it review',
    { tools: { pay: { approval: { approvers: ana } } } },
    {},
    'review tool:tools.pay.approval',
  ],
  [
    'a quorum makes it review',
    { tools: { pay: { approval: { quorum: [{ group: 'finance', n: 1 }] } } } },
    {},
    'review tool:tools.pay.approval',
  ],
  [
    'default approvers make it review',
    { tools: { pay: { approval: true } }, defaults: { approvers: ana } },
    {},
    'review tool:tools.pay.approval',
  ],
  [
    'default approvers reach risk too',
    { tools: { pay: { risk: 'L2' } }, defaults: { approvers: ana } },
    {},
    'review risk:tools.pay.risk',
  ],
  [
    'a verdict word means itself',
    { defaults: { undeclared: 'confirm', approvers: ana } },
    {},
    'confirm default:defaults.undeclared',
  ],
  [
    'humanInTheLoop required',
    { tools: { pay: { humanInTheLoop: { mode: 'REQUIRED' } } } },
    {},
    'confirm tool:tools.pay.humanInTheLoop',
  ],
  [
    'humanInTheLoop disabled',
    { tools: { pay: { humanInTheLoop: { mode: 'DISABLED' }, risk: 'L4' } } },
    {},
    'allow',
  ],
])('in-process: %s', (_, parts, args, expected) => {
  expect(said(input(parts), { args })).toBe(expected)
})

test('names found on every object declare nothing', () => {
  const policy = input({ tools: {}, defaults: { undeclared: 'confirm' } }, { code: {} })
  for (const tool of ['constructor', 'toString', '__proto__']) {
    expect(said(policy, { tool })).toBe('confirm default:defaults.undeclared')
  }
})

test.each<[string, EvaluationInput['code'], Parts['tools'], string]>([
  [
    'code and file: both are reasons, the stricter is the answer',
    { pay: { approval: true } },
    { pay: { approval: { approvers: ana } } },
    'review tool:tools.pay.approval tool:code.pay.approval',
  ],
  [
    'code false does not loosen the file',
    { pay: { approval: false } },
    { pay: { approval: true } },
    'confirm tool:tools.pay.approval',
  ],
  [
    'an approval in code comes before risk in the file',
    { pay: { approval: false } },
    { pay: { risk: 'L5' } },
    'allow',
  ],
  [
    'the higher risk',
    { pay: { risk: 'L3' } },
    { pay: { risk: 'L0' } },
    'confirm risk:code.pay.risk',
  ],
  ['equal risks', { pay: { risk: 'L3' } }, { pay: { risk: 'L3' } }, 'confirm risk:tools.pay.risk'],
  ['risk in code alone', { pay: { risk: 'L3' } }, {}, 'confirm risk:code.pay.risk'],
])('%s', (_, code, tools, expected) => {
  expect(said(input({ tools }, { code }), {})).toBe(expected)
})

const files = { alias: 'files', command: 'npx' }

test.each<[string, Parts, EvaluationInput['switches'], string]>([
  ['an unknown server', {}, undefined, 'confirm default:defaults.gateway'],
  [
    'an unknown server is never allowed',
    { defaults: { gateway: 'allow' } },
    { files: false },
    'confirm default:defaults.gateway',
  ],
  [
    'an unknown server with a stricter default',
    { defaults: { gateway: 'deny' } },
    undefined,
    'deny default:defaults.gateway',
  ],
  [
    'a tool that is not allowed',
    { mcp_servers: [{ ...files, allowed_tools: ['read'], approval: false }] },
    { 'files/pay': false },
    'deny server:mcp_servers.files.allowed_tools',
  ],
  [
    'the entry',
    {
      mcp_servers: [
        { ...files, allowed_tools: [{ name: 'pay', approval: true }], approval: false },
      ],
    },
    { 'files/pay': false },
    'confirm tool:mcp_servers.files.allowed_tools.pay.approval',
  ],
  [
    'an entry that says false ends the search',
    {
      mcp_servers: [
        { ...files, allowed_tools: [{ name: 'pay', approval: false }], approval: true },
      ],
    },
    { 'files/pay': true },
    'allow',
  ],
  [
    'the switch for the tool comes before the server',
    { mcp_servers: [{ ...files, allowed_tools: ['pay'], approval: true }] },
    { 'files/pay': false },
    'allow',
  ],
  [
    'the switch for the tool asks',
    { mcp_servers: [{ ...files, approval: false }] },
    { 'files/pay': true },
    'confirm operator:operator.files/pay',
  ],
  [
    'the server comes before its switch',
    { mcp_servers: [{ ...files, approval: true }] },
    { files: false },
    'confirm server:mcp_servers.files.approval',
  ],
  [
    'the switch for the server',
    { mcp_servers: [files], defaults: { gateway: 'deny' } },
    { files: true },
    'confirm operator:operator.files',
  ],
  [
    'a server that says nothing',
    { mcp_servers: [files] },
    undefined,
    'confirm default:defaults.gateway',
  ],
  [
    'a declared server may be allowed by default',
    { mcp_servers: [{ ...files, risk: 'L5' }], defaults: { gateway: 'allow' } },
    undefined,
    'allow',
  ],
  [
    'tools: names in-process tools only',
    { mcp_servers: [files], tools: { pay: { approval: { approvers: ana } } } },
    undefined,
    'confirm default:defaults.gateway',
  ],
])('with a server: %s', (_, parts, switches, expected) => {
  expect(said(input(parts, { switches }), { server: 'files' })).toBe(expected)
})

const bank = { alias: 'bank', url: 'https://bank.example.com' }

test.each<[string, Parts, Partial<Call>, string]>([
  [
    'a local agent',
    { local_agents: [{ alias: 'planner', approval: true }] },
    { kind: 'agent', tool: 'planner' },
    'confirm tool:local_agents.planner.approval',
  ],
  [
    'a remote agent',
    { remote_agents: [{ ...bank, approval: { condition: [over100] } }] },
    { kind: 'agent', tool: 'bank' },
    'confirm tool:remote_agents.bank.approval.condition[0]',
  ],
  [
    'an agent that says nothing',
    { local_agents: [{ alias: 'planner' }], defaults: { undeclared: 'deny' } },
    { kind: 'agent', tool: 'planner' },
    'deny default:defaults.undeclared',
  ],
  [
    'a skill that is not allowed',
    { remote_agents: [{ ...bank, allowed_skills: ['quote'] }] },
    { kind: 'skill', server: 'bank' },
    'deny server:remote_agents.bank.allowed_skills',
  ],
  [
    'a skill',
    { remote_agents: [{ ...bank, allowed_skills: [{ id: 'pay', approval: true }] }] },
    { kind: 'skill', server: 'bank' },
    'confirm tool:remote_agents.bank.allowed_skills.pay.approval',
  ],
  [
    'the blanket over skills',
    { remote_agents: [{ ...bank, approval: true }] },
    { kind: 'skill', server: 'bank' },
    'confirm server:remote_agents.bank.approval',
  ],
  [
    'a skill of an MCP server is a skill of nobody',
    { mcp_servers: [{ alias: 'bank', url: 'https://bank.example.com', approval: false }] },
    { kind: 'skill', server: 'bank' },
    'confirm default:defaults.gateway',
  ],
])('delegation: %s', (_, parts, call, expected) => {
  expect(said(input(parts), call)).toBe(expected)
})

const ask: GovernanceRule = { id: 'ask', approval: true }

test.each<[string, EvaluationInput['mode'], string]>([
  ['annotated', { kind: 'annotated' }, 'confirm tool:tools.pay.approval governance:governance.ask'],
  ['denyAll', { kind: 'denyAll' }, 'deny mode:mode.denyAll governance:governance.ask'],
  ['allowAll', { kind: 'allowAll' }, 'confirm governance:governance.ask'],
  ['false', { kind: 'answered', answer: false }, 'confirm governance:governance.ask'],
  ['allow', { kind: 'answered', answer: 'allow' }, 'confirm governance:governance.ask'],
  [
    'true',
    { kind: 'answered', answer: true },
    'confirm tool:tools.pay.approval governance:governance.ask',
  ],
  [
    'review',
    { kind: 'answered', answer: 'review' },
    'review mode:mode.custom governance:governance.ask',
  ],
  ['deny', { kind: 'answered', answer: 'deny' }, 'deny mode:mode.custom governance:governance.ask'],
])('mode %s replaces the answer of the owner, never that of governance', (_, mode, expected) => {
  const governance = [{ version: 1 as const, governance: [ask] }]
  const policy = input({ tools: { pay: { approval: true } } }, { governance, mode })
  expect(said(policy, {})).toBe(expected)
})

test('custom true asks about a tool that nobody declared', () => {
  const mode = { kind: 'answered' as const, answer: true }
  expect(said(input({}, { mode }), {})).toBe('confirm mode:mode.custom')
  expect(said(input({ defaults: { approvers: ana } }, { mode }), {})).toBe(
    'review mode:mode.custom',
  )
})

test('reasons come strictest first, the owner before governance, then by code unit', () => {
  const rules: GovernanceRule[] = [
    { id: 'a2', approval: true },
    { id: 'a10', approval: true },
    { id: 'B', approval: true },
    { id: 'z', approval: { approvers: ana } },
  ]
  const tools = { pay: { approval: true } }
  const policy = input({ tools }, { governance: [{ version: 1, governance: rules }] })
  expect(said(policy, {})).toBe(
    'review governance:governance.z tool:tools.pay.approval governance:governance.B governance:governance.a10 governance:governance.a2',
  )
})
