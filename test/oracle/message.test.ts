import { expect, test } from 'vitest'
import type { Call, EvaluationInput, OwnerDocument } from './documents.ts'
import { naiveEvaluate } from './evaluate.ts'
import { canonicalJson } from './message.ts'

function evaluate(
  parts: Omit<OwnerDocument, 'version'>,
  call: Partial<Call>,
  more: Partial<EvaluationInput> = {},
) {
  const input = { owner: { version: 1 as const, ...parts }, governance: [], ...more }
  return naiveEvaluate(input, { tool: 'pay', args: {}, ...call })
}

const args = { amount: 5, order: { z: 1, a: [true, null] }, 'a.b': 'dotted', note: null, to: 'bo' }

test.each<[string, string, string[]]>([
  ["'{{tool_name}}'", "'pay'", []],
  ['USD {{tool_args.amount}}', 'USD 5', []],
  ['{{ tool_args.to }}', 'bo', []],
  ['{{tool_args.order}}', '{"a":[true,null],"z":1}', []],
  ['{{tool_args.order.z}}', '1', []],
  ['{{tool_args.a\\.b}}', 'dotted', []],
  ['{{tool_args.a.b}}', '', ['tool_args.a.b']],
  ['{{tool_args.note}}', 'null', []],
  ['{{tool_args.toString}}', '', ['tool_args.toString']],
  ['{{tool_args.y}}{{ tool_args.x }}{{tool_args.y}}', '', ['tool_args.y', 'tool_args.x']],
  ['{{agent_alias}}/{{agent_id}}', 'ops/', ['agent_id']],
  ['{{skill_id}}{{skill_args.amount}}', '', ['skill_id', 'skill_args.amount']],
  ['{{mcp_server_alias}}', '', ['mcp_server_alias']],
  ['{toolName} {args}', '{toolName} {args}', []],
])('message_template %s renders as %j', (message_template, message, missing) => {
  const tools = { pay: { approval: { message_template } } }
  expect(evaluate({ tools }, { args, agent: 'ops' })).toMatchObject({ message, missing })
})

test('what an argument says is never rendered again', () => {
  const tools = { pay: { approval: { message_template: '{{tool_args.to}}!' } } }
  const to = '{{tool_name}} $& {toolName}'
  expect(evaluate({ tools }, { args: { to } }).message).toBe(`${to}!`)
})

test('promptTemplate knows two names in single braces as well', () => {
  const promptTemplate = '{toolName}: {args} {{tool_args.to}} {other}'
  const tools = { pay: { humanInTheLoop: { mode: 'REQUIRED' as const, promptTemplate } } }
  expect(evaluate({ tools }, { args: { to: '{args}' } }).message).toBe(
    'pay: {"to":"{args}"} {args} {other}',
  )
})

test('without a template the question names the tool and its arguments', () => {
  const tools = { pay: { approval: true } }
  expect(evaluate({ tools }, { args: { b: -0, a: 'x' } }).message).toBe(
    `Run 'pay' with arguments {"a":"x","b":0}?`,
  )
})

test('secrets are masked before rendering, whatever they are', () => {
  const approval = { message_template: '{{tool_args}} {{tool_args.card.pin}}' }
  const tools = { pay: { approval, secrets: ['card', 'k\\.ey', 'gone'] } }
  const secret = { card: { pin: 1 }, 'k.ey': null, amount: 1 }
  expect(evaluate({ tools }, { args: secret })).toMatchObject({
    message: '{"amount":1,"card":"[secret]","k.ey":"[secret]"} ',
    missing: ['tool_args.card.pin'],
  })
})

test('variables of a delegation', () => {
  const message_template =
    '{{agent_alias}} {{agent_id}} {{remote_agent_alias}} {{parent.input.level}}{{parent.input.x}}'
  const remote_agents = [{ alias: 'bank', approval: { message_template } }]
  const call: Partial<Call> = {
    kind: 'agent',
    tool: 'bank',
    agent: { alias: 'ops', id: 'ops_v2' },
    parent: { input: { level: 3 } },
  }
  expect(evaluate({ remote_agents }, call)).toMatchObject({
    message: 'bank ops_v2 bank 3',
    missing: ['parent.input.x'],
  })
})

test('variables of a skill', () => {
  const message_template =
    '{{skill_id}} {{skill_args.a}} {{tool_name}} {{remote_agent_alias}} {{agent_alias}}{{mcp_server_alias}}'
  const allowed_skills = [{ id: 'pay', approval: { message_template } }]
  const remote_agents = [{ alias: 'bank', allowed_skills }]
  const call: Partial<Call> = { kind: 'skill', server: 'bank', args: { a: 1 }, agent: 'ops' }
  expect(evaluate({ remote_agents }, call)).toMatchObject({
    message: 'pay 1 pay bank ops',
    missing: ['mcp_server_alias'],
  })
})

test('the first reason that words the question words it', () => {
  const tools = { pay: { approval: { approvers: ['*'] } } }
  const rule = (id: string, message_template: string) => ({ id, approval: { message_template } })
  const governance = [
    { version: 1 as const, governance: [rule('b', 'Second'), rule('a', 'First')] },
  ]
  expect(evaluate({ tools }, {}, { governance }).message).toBe('First')
})

test.each<[string, Parameters<typeof evaluate>, string]>([
  ['allow says nothing', [{}, {}], ''],
  [
    'governance, word for word',
    [{ governance: [{ id: 'no', deny: 'Not {{tool_name}}' }] }, {}],
    'Not {{tool_name}}',
  ],
  [
    'a tool that is not allowed',
    [{ mcp_servers: [{ alias: 'files', allowed_tools: [] }] }, { server: 'files' }],
    "Tool 'pay' is not in allowed_tools of server 'files'.",
  ],
  [
    'a skill that is not allowed',
    [{ remote_agents: [{ alias: 'bank', allowed_skills: [] }] }, { kind: 'skill', server: 'bank' }],
    "Skill 'pay' is not in allowed_skills of remote agent 'bank'.",
  ],
  [
    'an undeclared tool',
    [{ defaults: { undeclared: 'deny' } }, {}],
    "Tool 'pay' is not declared, and defaults.undeclared is deny.",
  ],
  [
    'an undeclared agent',
    [{ defaults: { undeclared: 'deny' } }, { kind: 'agent' }],
    "Agent 'pay' is not declared, and defaults.undeclared is deny.",
  ],
  [
    'an undeclared server',
    [{ defaults: { gateway: 'deny' } }, { server: 'files' }],
    "Server 'files' is not declared, and defaults.gateway is deny.",
  ],
  [
    'a server that says nothing',
    [{ defaults: { gateway: 'deny' }, mcp_servers: [{ alias: 'files' }] }, { server: 'files' }],
    "Server 'files' says nothing about approval, and defaults.gateway is deny.",
  ],
  ['denyAll', [{}, {}, { mode: { kind: 'denyAll' } }], 'Tool execution denied by policy'],
  [
    'custom',
    [{}, {}, { mode: { kind: 'answered', answer: 'deny' } }],
    'Tool execution denied by policy',
  ],
])('a call that is not asked about: %s', (_, parameters, message) => {
  expect(evaluate(...parameters)).toMatchObject({ message, missing: [] })
})

test('canonical JSON sorts keys by code unit and writes numbers as ECMAScript does', () => {
  const value = { '\uff5a': 1, '😀': 2, b: 1e21, a: [1e-7, -0, '\u2028"\n', true, null] }
  expect(canonicalJson(value)).toBe(
    '{"a":[1e-7,0,"\u2028\\"\\n",true,null],"b":1e+21,"😀":2,"\uff5a":1}',
  )
})
