import { expect, test } from 'vitest'
import type {
  Call,
  GovernanceDocument,
  GovernanceRule,
  Level,
  Match,
  OwnerDocument,
} from './documents.ts'
import { naiveEvaluate } from './evaluate.ts'

function verdictOf(
  parts: Omit<OwnerDocument, 'version'>,
  governance: GovernanceDocument[],
  call: Partial<Call>,
): Level {
  const input = { owner: { version: 1 as const, ...parts }, governance }
  return naiveEvaluate(input, { tool: 'pay', args: {}, ...call }).verdict
}

const over100 = { args_match: { amount: { gt: 100 } } }
const ana = ['ana@x.com']
const files = { alias: 'files', command: 'npx' }
const ask: GovernanceRule = { id: 'ask', approval: true }

test.each<[string, GovernanceRule, Partial<Call>, Level]>([
  ['a rule without match or condition', ask, {}, 'confirm'],
  ['a glob', { ...ask, match: { tool: 'p*y' } }, {}, 'confirm'],
  ['a glob is anchored', { ...ask, match: { tool: 'pa' } }, {}, 'allow'],
  ['only * matches an absent server', { ...ask, match: { server: '*' } }, {}, 'confirm'],
  ['a named server needs a server', { ...ask, match: { server: 'f*' } }, {}, 'allow'],
  ['an agent by text', { ...ask, match: { agent: 'ops' } }, { agent: 'ops' }, 'confirm'],
  [
    'an agent by alias',
    { ...ask, match: { agent: 'ops' } },
    { agent: { alias: 'ops' } },
    'confirm',
  ],
  ['not by id', { ...ask, match: { agent: 'ops' } }, { agent: { id: 'ops' } }, 'allow'],
  ['unknown risk matches', { ...ask, match: { risk: 'L5' } }, {}, 'confirm'],
  ['equal risk', { ...ask, match: { risk: 'L3' } }, { risk: 'L3' }, 'confirm'],
  ['another risk', { ...ask, match: { risk: 'L3' } }, { risk: 'L4' }, 'allow'],
  ['gte', { ...ask, match: { risk: { gte: 'L3' } } }, { risk: 'L4' }, 'confirm'],
  ['gt', { ...ask, match: { risk: { gt: 'L4' } } }, { risk: 'L4' }, 'allow'],
  ['operators ANDed', { ...ask, match: { risk: { gt: 'L1', lt: 'L4' } } }, { risk: 'L4' }, 'allow'],
  ['lte', { ...ask, match: { risk: { lte: 'L4' } } }, { risk: 'L4' }, 'confirm'],
  ['ne', { ...ask, match: { risk: { ne: 'L4' } } }, { risk: 'L4' }, 'allow'],
  ['in', { ...ask, match: { risk: { in: ['L0', 'L4'] } } }, { risk: 'L4' }, 'confirm'],
  ['not_in', { ...ask, match: { risk: { not_in: ['L4'] } } }, { risk: 'L4' }, 'allow'],
  [
    'a deny on yes',
    { id: 'no', condition: over100, deny: 'No' },
    { args: { amount: 101 } },
    'deny',
  ],
  ['a deny on unknown', { id: 'no', condition: over100, deny: 'No' }, { args: {} }, 'deny'],
  ['no deny on no', { id: 'no', condition: over100, deny: 'No' }, { args: { amount: 1 } }, 'allow'],
  [
    'both conditions are needed',
    { id: 'ask', condition: over100, approval: { condition: { args_match: { env: 'prod' } } } },
    { args: { env: 'test' } },
    'allow',
  ],
  ['approvers', { id: 'ask', approval: { approvers: ana } }, {}, 'review'],
])('governance: %s', (_, rule, { risk, ...call }, verdict) => {
  const outside = [{ version: 1 as const, governance: [rule] }]
  // The risk of a row is what the policy gives the tool: what a call claims takes it out of no rule.
  const owner = risk === undefined ? {} : { tools: { pay: { approval: false, risk } } }
  expect(verdictOf(owner, outside, call)).toBe(verdict)
})

test('a claimed risk brings a call under a rule and never out of one', () => {
  const about = (risk: Match['risk']) => {
    return [{ version: 1 as const, governance: [{ ...ask, match: { risk } as Match }] }]
  }
  const rated = { tools: { pay: { approval: false, risk: 'L2' as const } } }
  expect(verdictOf({}, about({ gte: 'L3' }), { risk: 'L0' })).toBe('confirm')
  expect(verdictOf({}, about('L3'), { risk: 'L4' })).toBe('confirm')
  expect(verdictOf(rated, about({ gte: 'L3' }), { risk: 'L2' })).toBe('allow')
  expect(verdictOf(rated, about({ gte: 'L3' }), { risk: 'L3' })).toBe('confirm')
  expect(verdictOf(rated, about({ lte: 'L2' }), { risk: 'L5' })).toBe('confirm')
})

test('governance sees the risk that the policy gives, and a higher one that the call claims', () => {
  const governance = [
    { version: 1 as const, governance: [{ ...ask, match: { risk: 'L4' as const } }] },
  ]
  const tools = { pay: { approval: false, risk: 'L4' as const } }
  const server = { ...files, approval: false, risk: 'L2' as const }
  const entry = { name: 'pay', risk: 'L4' as const }
  expect(verdictOf({ tools }, governance, { risk: 'L1' })).toBe('confirm')
  expect(verdictOf({ tools }, governance, { risk: 'L5' })).toBe('confirm')
  const own = { mcp_servers: [{ ...server, allowed_tools: [entry] }] }
  expect(verdictOf(own, governance, { server: 'files' })).toBe('confirm')
  const inherited = { mcp_servers: [{ ...server, allowed_tools: ['pay'] }] }
  expect(verdictOf(inherited, governance, { server: 'files' })).toBe('allow')
})

test("default approvers lift the owner's own governance, not files from outside", () => {
  const defaults = { approvers: ana }
  const governance = [{ version: 1 as const, governance: [ask] }]
  expect(verdictOf({ defaults, governance: [ask] }, [], {})).toBe('review')
  expect(verdictOf({ defaults }, governance, {})).toBe('confirm')
})
