import { expect } from 'vitest'
import type { Call } from '../../src/base/call.ts'
import { agentFormat, askedOf, call, mistakesOf, policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const trade: Call = {
  tool: 'execute_trade',
  agent: { alias: 'trading_agent', id: 'financial_analyst_v2' },
  args: { symbol: 'AAPL', quantity: 100, price: 150.25, order: { details: { amount: 15025 } } },
}

/** The question for one call where the tool's template is this. */
function question(template: string, asked: Call = trade) {
  const quoted = JSON.stringify(template)
  const policy = policyOf(`
    tools: { execute_trade: { approval: { message_template: ${quoted} } } }
    mcp_servers: [{ alias: api, server_ref: x, approval: { message_template: ${quoted} } }]
    remote_agents: [{ alias: bank, url: "https://bank.example", approval: { message_template: ${quoted} } }]
  `)
  const { message, missing } = askedOf(policy, asked)
  return { message, missing }
}

const full = (message: string) => ({ message, missing: [] })

promise(['AF-10', 'AF-20'], 'variables are filled in from the call itself', () => {
  const template = `Approve {{tool_args.quantity}} × {{tool_args.symbol}} at \${{tool_args.price}}?`
  expect(question(template)).toEqual(full('Approve 100 × AAPL at $150.25?'))
  const other = { ...trade, args: { quantity: 1, symbol: 'X', price: 2 } }
  expect(question(template, other)).toEqual(full('Approve 1 × X at $2?'))
})

promise.each(
  ['AF-11', 'AF-12', 'AF-13', 'AF-14', 'AF-15', 'AF-18'],
  'each variable has its value',
  [
    ['{{tool_name}}', 'execute_trade'],
    ['{{tool_args.symbol}}', 'AAPL'],
    ['{{tool_args.quantity}}', '100'],
    ['{{tool_args.order.details}}', '{"amount":15025}'],
    ['{{tool_args.order.details.amount}}', '15025'],
    [
      '{{tool_args}}',
      '{"order":{"details":{"amount":15025}},"price":150.25,"quantity":100,"symbol":"AAPL"}',
    ],
    ['{{agent_alias}}', 'trading_agent'],
    ['{{agent_id}}', 'financial_analyst_v2'],
  ],
  (template, message) => {
    expect(question(template)).toEqual(full(message))
  },
)

promise(['AF-13'], 'arguments are shown alike in whatever order they came', () => {
  const [a, b] = [
    { x: 1, y: { b: 2, a: 1 } },
    { y: { a: 1, b: 2 }, x: 1 },
  ]
  const shown = [a, b].map((args) => question('{{tool_args}}', { ...trade, args }).message)
  expect(shown).toEqual(['{"x":1,"y":{"a":1,"b":2}}', '{"x":1,"y":{"a":1,"b":2}}'])
})

promise(['AF-15'], 'the id of an Agent Format file stands in where the call has none', () => {
  const asks = 'local_tools: [{ alias: pay, approval: { message_template: "{{agent_id}}" } }]'
  const policy = policyOf(agentFormat(asks))
  expect(askedOf(policy, call('pay')).message).toBe('clerk_v1')
  expect(askedOf(policy, call('pay', {}, { agent: 'alias' })).message).toBe('clerk_v1')
  expect(askedOf(policy, call('pay', {}, { agent: { id: 'mine' } })).message).toBe('mine')
})

promise(['AF-16'], 'skills have variables of their own', () => {
  const template = '{{skill_id}} {{skill_args.amount}} {{skill_args}} at {{remote_agent_alias}}'
  const skill = call('process-payment', { amount: 500 }, { kind: 'skill', server: 'bank' })
  expect(question(template, skill)).toEqual(full('process-payment 500 {"amount":500} at bank'))
  expect(question('{{skill_id}}{{skill_args}}')).toEqual({
    message: '',
    missing: ['skill_id', 'skill_args'],
  })
})

promise(['AF-17'], 'a variable without a value is empty and listed as missing', () => {
  const template = `Approve transfer of \${{tool_args.amount}} to {{tool_args.to.name}}, {{tool_args.amount}}?`
  expect(question(template)).toEqual({
    message: 'Approve transfer of $ to , ?',
    missing: ['tool_args.amount', 'tool_args.to.name'],
  })
  expect(question('{{tool_args.note}}', { ...trade, args: { note: '' } })).toEqual(full(''))
  expect(question('{{tool_args.note}}', { ...trade, args: { note: null } })).toEqual(full('null'))
})

promise.each(
  ['AF-19'],
  'a question holds no logic',
  [
    ['{{#if tool_args.a}}yes{{/if}}'],
    ['{{#tool_args}}x{{/tool_args}}'],
    ['{{^tool_args}}x{{/tool_args}}'],
    ['{{> partial}}'],
    ['{{tool_args.a | upper}} {{upper tool_args.a}}'],
    ['{{tool_args.a || 5}} {{amount}}'],
    ['{{tool_name'],
  ],
  (template) => {
    const [mistake] = mistakesOf(
      `tools: { pay: { approval: { message_template: ${JSON.stringify(template)} } } }`,
    )
    expect(mistake?.path).toBe('tools.pay.approval.message_template')
  },
)

promise.each(
  ['AF-20'],
  'characters around a variable are text',
  [
    [`\${{tool_name}}`, '$execute_trade'],
    ['$1 $& {tool_name} {{tool_name}}}', '$1 $& {tool_name} execute_trade}'],
    ['\\{{tool_name}}', '\\execute_trade'],
    ['<b>{{tool_args.symbol}}</b> & "x"', '<b>AAPL</b> & "x"'],
  ],
  (template, message) => {
    expect(question(template)).toEqual(full(message))
  },
)

promise(['AF-21', 'SP-10'], 'the default question is one for every door', () => {
  const policy = policyOf(`
    tools: { pay: { approval: true } }
    mcp_servers: [{ alias: api, server_ref: x, approval: true }]
    local_agents: [{ alias: clerk, source: x, approval: true }]
    remote_agents: [{ alias: bank, url: "https://bank.example", approval: true }]
  `)
  const args = { to: 'Ana', amount: 5 }
  const doors: Partial<Call>[] = [
    { tool: 'pay' },
    { tool: 'pay', server: 'api' },
    { tool: 'pay', server: 'undeclared' },
    { tool: 'clerk', kind: 'agent' },
    { tool: 'pay', kind: 'skill', server: 'bank' },
  ]
  for (const door of doors) {
    const { message } = askedOf(policy, { tool: 'pay', args, ...door })
    expect(message).toBe(`Run '${door.tool}' with arguments {"amount":5,"to":"Ana"}?`)
  }
})
