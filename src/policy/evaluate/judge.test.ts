import { expect, test } from 'vitest'
import { call, policyFrom, policyOf } from '../../../test/support/policy.ts'
import type { Call, Risk } from '../../base/call.ts'
import { judge } from './judge.ts'
import { ANNOTATED, type SettledMode } from './mode.ts'

const pay = call('pay', { amount: 5 })

test.each<[string, Partial<Call>, boolean]>([
  // match                        call                                        applies
  ['{}', {}, true],
  ['{ tool: pay }', {}, true],
  ['{ tool: "p*" }', {}, true],
  ['{ tool: read }', {}, false],
  ['{ server: "*" }', {}, true],
  ['{ server: api }', {}, false],
  ['{ server: api }', { server: 'api' }, true],
  ['{ agent: "*" }', {}, true],
  ['{ agent: clerk }', {}, false],
  ['{ agent: clerk }', { agent: 'clerk' }, true],
  ['{ agent: clerk }', { agent: { alias: 'clerk' } }, true],
  ['{ agent: clerk }', { agent: { id: 'clerk' } }, false],
  ['{ agent: "c*" }', { principal: 'clerk' }, false],
  ['{ tool: pay, server: api }', {}, false],
  ['{ tool: pay, server: api, agent: "*k" }', { server: 'api', agent: 'clerk' }, true],
  ['{ tool: pay }', { kind: 'agent' }, true],
  ['{ tool: pay, server: bank }', { kind: 'skill', server: 'bank' }, true],
])('a rule for %s about a call with %j: %s', (match, more, applies) => {
  const policy = policyOf('tools: {}', `governance: [{ id: a, match: ${match}, deny: "No" }]`)
  const { looked, unmatched } = judge(policy, { ...pay, ...more }, ANNOTATED)
  expect(looked.some(({ layer }) => layer === 'governance')).toBe(applies)
  expect(unmatched).toBe(applies ? 0 : 1)
})

const levels: readonly Risk[] = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5']

test.each([
  ['L3', ['L3']],
  ['{ gt: L3 }', ['L4', 'L5']],
  ['{ gte: L3 }', ['L3', 'L4', 'L5']],
  ['{ lt: L1 }', ['L0']],
  ['{ lte: L1 }', ['L0', 'L1']],
  ['{ ne: L3 }', ['L0', 'L1', 'L2', 'L4', 'L5']],
  ['{ in: [L0, L5] }', ['L0', 'L5']],
  ['{ not_in: [L0, L5] }', ['L1', 'L2', 'L3', 'L4']],
  ['{ gt: L1, lt: L4 }', ['L2', 'L3']],
])('risk %s matches %j', (risk, expected) => {
  const governance = `governance: [{ id: a, match: { risk: ${risk} }, deny: "No" }]`
  const rated = (level: Risk) => policyOf(`tools: { pay: { risk: ${level} } }`, governance)
  const matching = levels.filter((level) => judge(rated(level), pay, ANNOTATED).unmatched === 0)
  expect(matching).toEqual(expected)
  const unrated = policyOf('tools: {}', governance)
  for (const claimed of [undefined, ...levels]) {
    const call = claimed === undefined ? pay : { ...pay, risk: claimed }
    expect(judge(unrated, call, ANNOTATED).unmatched).toBe(0)
  }
})

test.each([
  ['a tool in-process', call('pay'), 'L2'],
  ['a tool with more in code', call('coded'), 'L4'],
  ['a tool with more in the file', call('filed'), 'L4'],
  ['a tool of a server', call('a', {}, { server: 'api' }), 'L3'],
  ['a tool with a risk of its own', call('b', {}, { server: 'api' }), 'L1'],
  ['a skill', call('s', {}, { kind: 'skill', server: 'bank' }), 'L5'],
  ['a delegation', call('bank', {}, { kind: 'agent' }), undefined],
  ['an unknown tool', call('other'), undefined],
  ['a call that says more', call('pay', {}, { risk: 'L5' }), 'L5'],
  ['a call that says less', call('pay', {}, { risk: 'L0' }), 'L2'],
])('the risk of %s', (_, asked, risk) => {
  const policy = policyFrom({
    owner: `
      tools: { pay: { risk: L2 }, coded: { risk: L1 }, filed: { risk: L4 } }
      mcp_servers: [{ alias: api, server_ref: x, risk: L3, allowed_tools: [a, { name: b, risk: L1 }] }]
      remote_agents: [{ alias: bank, url: "https://b.example", allowed_skills: [{ id: s, risk: L5 }] }]
    `,
    code: { coded: { risk: 'L4' }, filed: { risk: 'L1' } },
  })
  expect(judge(policy, asked, ANNOTATED).risk).toBe(risk)
})

const list =
  '{ condition: [{ args_match: { amount: { gt: 9 } } }, { args_match: { amount: { gt: 1 } } }] }'
const group = '{ condition: { args_match: { amount: { gt: 1 } } } }'

test.each<[string, string, Call, string]>([
  ['without a condition', 'tools: { pay: { approval: {} } }', pay, 'tools.pay.approval'],
  ['with one group', `tools: { pay: { approval: ${group} } }`, pay, 'tools.pay.approval.condition'],
  [
    'with a list of groups',
    `tools: { pay: { approval: ${list} } }`,
    pay,
    'tools.pay.approval.condition[1]',
  ],
  [
    'the other spelling',
    'tools: { pay: { humanInTheLoop: { mode: REQUIRED } } }',
    pay,
    'tools.pay.humanInTheLoop',
  ],
  ['by risk', 'tools: { pay: { risk: L1 } }', pay, 'tools.pay.risk'],
  ['by default', 'defaults: { undeclared: confirm }', pay, 'defaults.undeclared'],
  ['at the gateway', 'tools: {}', { ...pay, server: 'api' }, 'defaults.gateway'],
  [
    'by blanket',
    `mcp_servers: [{ alias: api, server_ref: x, approval: ${group} }]`,
    { ...pay, server: 'api' },
    'mcp_servers.api.approval.condition',
  ],
  [
    'by entry',
    `mcp_servers: [{ alias: api, server_ref: x, allowed_tools: [{ name: pay, approval: ${list} }] }]`,
    { ...pay, server: 'api' },
    'mcp_servers.api.allowed_tools.pay.approval.condition[1]',
  ],
  [
    'a local agent',
    'local_agents: [{ alias: pay, source: x, approval: true }]',
    { ...pay, kind: 'agent' },
    'local_agents.pay.approval',
  ],
  [
    'a remote agent',
    'remote_agents: [{ alias: pay, url: "https://b.example", approval: true }]',
    { ...pay, kind: 'agent' },
    'remote_agents.pay.approval',
  ],
  [
    'a skill',
    'remote_agents: [{ alias: bank, url: "https://b.example", allowed_skills: [{ id: pay, approval: true }] }]',
    { ...pay, kind: 'skill', server: 'bank' },
    'remote_agents.bank.allowed_skills.pay.approval',
  ],
])('a rule has its name: %s', (_, owner, asked, rule) => {
  const [first] = judge(policyOf(owner), asked, ANNOTATED).looked
  expect(first).toMatchObject({ layer: 'owner', rule, answer: 'yes' })
})

test.each<[string, SettledMode, string, number]>([
  ['denyAll', { kind: 'denyAll' }, 'mode.denyAll', 3],
  ['allowAll', { kind: 'allowAll' }, 'mode.allowAll', 0],
  ['an answer of false', { kind: 'answered', answer: false }, 'mode.custom', 0],
  ['an answer of true', { kind: 'answered', answer: true }, 'tools.pay.approval', 1],
  ['a word', { kind: 'answered', answer: 'review' }, 'mode.custom', 2],
  [
    'a word that is none',
    { kind: 'answered', answer: 'maybe' as 'allow' },
    'tools.pay.approval',
    1,
  ],
])('a mode stands in for the owner: %s', (_, mode, rule, level) => {
  const policy = policyOf(
    'tools: { pay: { approval: true } }',
    'governance: [{ id: a, deny: "No" }]',
  )
  const { looked } = judge(policy, pay, mode)
  expect(looked.map((one) => [one.layer, one.rule, one.level])).toEqual([
    ['owner', rule, level],
    ['governance', 'governance.a', 3],
  ])
})

test.each([
  ['yes', 'yes', 'yes'],
  ['yes', 'no', 'no'],
  ['no', 'yes', 'no'],
  ['yes', 'unknown', 'unknown'],
  ['unknown', 'no', 'no'],
  ['unknown', 'yes', 'unknown'],
])(
  'the condition of a rule (%s) and of its approval (%s) are both needed: %s',
  (outer, inner, answer) => {
    const args = { yes: 'x', no: 'y', unknown: 5 }
    const is = (key: string) => `condition: { args_match: { ${key}: x } }`
    const rule = `governance: [{ id: a, ${is(outer)}, approval: { ${is(inner)} } }]`
    const { looked } = judge(policyOf('tools: {}', rule), call('pay', args), ANNOTATED)
    expect(looked[1]?.answer).toBe(answer)
  },
)
