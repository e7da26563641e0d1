import { expect, test } from 'vitest'
import { askedOf, call, policyFrom, policyOf } from '../../../test/support/policy.ts'
import type { Call } from '../../base/call.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { evaluate, verdictWord } from './evaluate.ts'
import { ANNOTATED } from './mode.ts'

const pay = call('pay', { amount: 5 })

test('allow is one frozen value with nothing in it', () => {
  const policy = policyOf('tools: {}')
  const first = evaluate(policy, pay)
  expect(first).toEqual({ verdict: 'allow', message: '', missing: [], reasons: [] })
  expect(evaluate(policy, call('other'))).toBe(first)
  expect(Object.isFrozen(first)).toBe(true)
})

test.each<[string, string, Call, string]>([
  [
    'an undeclared tool',
    'defaults: { undeclared: deny }',
    pay,
    "Tool 'pay' is not declared, and defaults.undeclared is deny.",
  ],
  [
    'an undeclared agent',
    'defaults: { undeclared: deny }',
    call('clerk', {}, { kind: 'agent' }),
    "Agent 'clerk' is not declared, and defaults.undeclared is deny.",
  ],
  [
    'a server that says nothing',
    'defaults: { gateway: deny }\nmcp_servers: [{ alias: api, server_ref: x }]',
    { ...pay, server: 'api' },
    "Server 'api' says nothing about approval, and defaults.gateway is deny.",
  ],
  [
    'an undeclared server',
    'defaults: { gateway: deny }',
    { ...pay, server: 'api' },
    "Server 'api' is not declared, and defaults.gateway is deny.",
  ],
  [
    'a tool that is not allowed',
    'mcp_servers: [{ alias: api, server_ref: x, allowed_tools: [] }]',
    { ...pay, server: 'api' },
    "Tool 'pay' is not in allowed_tools of server 'api'.",
  ],
  [
    'a skill that is not allowed',
    'remote_agents: [{ alias: bank, url: "https://b.example", allowed_skills: [] }]',
    { ...pay, kind: 'skill', server: 'bank' },
    "Skill 'pay' is not in allowed_skills of remote agent 'bank'.",
  ],
  [
    'governance, in its own words',
    'governance: [{ id: a, deny: "{{tool_name}} is not for agents" }]',
    pay,
    '{{tool_name}} is not for agents',
  ],
])('a denial says why: %s', (_, owner, asked, message) => {
  expect(evaluate(policyOf(owner), asked)).toMatchObject({ verdict: 'deny', message, missing: [] })
})

test('the question is that of the first reason that has one', () => {
  const says = (text: string) => `approval: { message_template: "${text}" }`
  const policy = policyOf(
    `tools: { pay: { ${says('owner')} }, read: { approval: true } }`,
    `governance: [{ id: b, ${says('b')} }, { id: a, ${says('a')} }]`,
  )
  expect(askedOf(policy, pay).message).toBe('owner')
  expect(askedOf(policy, call('read')).message).toBe('a')
  expect(askedOf(policy, call('other')).message).toBe('a')
  const stricter =
    'governance: [{ id: z, approval: { approvers: ["*"], message_template: "strict" } }]'
  expect(askedOf(policyOf(`tools: { pay: { ${says('owner')} } }`, stricter), pay).message).toBe(
    'strict',
  )
})

const ALL =
  '{{tool_name}}|{{agent_alias}}|{{agent_id}}|{{mcp_server_alias}}|{{remote_agent_alias}}|{{skill_id}}|{{parent.input.a}}'
const agent = { alias: 'clerk', id: 'v1' }

test.each<[string, Call, string]>([
  ['a tool in-process', call('pay', {}, { agent }), 'pay|clerk|v1||||'],
  ['an agent by alias', call('pay', {}, { agent: 'clerk' }), 'pay|clerk|||||'],
  ['no agent', call('pay'), 'pay||||||'],
  ['a tool of a server', call('pay', {}, { agent, server: 'api' }), 'pay|clerk|v1|api|||'],
  [
    'a local agent',
    call('local', {}, { agent, kind: 'agent', parent: { input: { a: 1 } } }),
    'local|local|v1||||1',
  ],
  ['a remote agent', call('bank', {}, { agent, kind: 'agent' }), 'bank|bank|v1||bank||'],
  ['a skill', call('pay', {}, { agent, kind: 'skill', server: 'bank' }), 'pay|clerk|v1||bank|pay|'],
  ['a tool that is called like a remote agent', call('bank', {}, { agent }), 'bank|clerk|v1||||'],
  [
    'a tool with the input of its parent',
    call('pay', {}, { parent: { input: { a: 1 } } }),
    'pay||||||',
  ],
])('variables of %s', (_, asked, message) => {
  const owner = 'remote_agents: [{ alias: bank, url: "https://b.example" }]'
  const policy = policyOf(
    owner,
    `governance: [{ id: a, approval: { message_template: "${ALL}" } }]`,
  )
  const verdict = askedOf(policy, asked)
  // The undeclared server asks as well, in the default words, which come later.
  expect(verdict.message).toBe(message)
  const empty = ALL.split('|').filter((_, index) => message.split('|')[index] === '')
  expect(verdict.missing).toEqual(empty.map((variable) => variable.slice(2, -2)))
})

test('review without names is anyone who may approve', () => {
  const policy = policyOf('defaults: { undeclared: review }')
  expect(askedOf(policy, pay).requirements).toEqual([
    {
      source: 'default',
      rule: 'defaults.undeclared',
      level: 'review',
      approvers: ['*'],
      quorum: [],
      escalate: [],
    },
  ])
})

test('the word alone is the word of the whole verdict', () => {
  const policy = policyFrom({
    owner: `
      defaults: { undeclared: review, gateway: deny }
      tools:
        pay: { approval: { condition: [{ args_match: { amount: { gt: 5 } } }, { args_match: { order.to: x } }] } }
        read: { approval: false }
        write: { risk: L4 }
      mcp_servers: [{ alias: api, server_ref: x, allowed_tools: [{ name: pay, approval: true }] }]
    `,
    code: { read: { approval: { condition: { args_match: { secret: true } } } } },
    governance: ['governance: [{ id: a, match: { agent: "c*", risk: { gte: L3 } }, deny: "No" }]'],
  })
  const args: JsonObject[] = [
    {},
    { amount: 5 },
    { amount: 6 },
    { amount: '6' },
    { amount: 1, order: { to: 'y' } },
    { secret: false },
  ]
  const places = [
    {},
    { server: 'api' },
    { server: 'x' },
    { kind: 'agent' },
    { agent: 'clerk' },
    { agent: 'clerk', risk: 'L3' },
  ] as const
  const words = new Set<string>()
  for (const tool of ['pay', 'read', 'write', 'other']) {
    for (const given of args) {
      for (const place of places) {
        const asked = call(tool, given, place)
        const { verdict } = evaluate(policy, asked)
        words.add(verdict)
        expect(verdictWord(policy, asked), JSON.stringify(asked)).toBe(verdict)
        expect(evaluate(policy, asked, ANNOTATED)).toEqual(evaluate(policy, asked))
      }
    }
  }
  expect(words).toEqual(new Set(['allow', 'confirm', 'review', 'deny']))
})

test('names invented by a model cost no memory and change no answer', () => {
  const policy = policyOf('tools: { pay: { approval: true } }')
  for (let index = 0; index < 12_000; index++) evaluate(policy, call(`invented-${index}`))
  expect(evaluate(policy, pay).verdict).toBe('confirm')
  expect(evaluate(policy, call('invented-11999')).verdict).toBe('allow')
  expect(evaluate(policy, call('never-seen')).verdict).toBe('allow')
})
