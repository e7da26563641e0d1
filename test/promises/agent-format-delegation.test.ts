import { expect } from 'vitest'
import type { Call } from '../../src/base/call.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { agentFormat, askedOf, call, mistakesOf, policyOf, verdictOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const SPACE = `
local_agents:
  - alias: financial_executor
    source: agents/executor.agf.yaml
    approval:
      message_template: "Delegate to {{agent_alias}} for {{parent.input.action}}?"
      condition:
        args_match:
          parent.input.risk_level: { in: ["high", "critical"] }
  - alias: reader
    source: agents/reader.agf.yaml
remote_agents:
  - alias: bank
    url: https://bank.example
    approval: true
`
const files: [string, Policy][] = [
  ['countersign.yaml', policyOf(SPACE)],
  ['agent.agf.yaml', policyOf(agentFormat(SPACE))],
]

const delegate = (alias: string, input?: Call['args']): Call =>
  call(alias, {}, { kind: 'agent', ...(input ? { parent: { input } } : {}) })

promise.each(['AF-47', 'AF-49'], 'a delegation is asked about', files, (_, policy) => {
  const trade = delegate('financial_executor', { risk_level: 'high', action: 'trade' })
  expect(evaluate(policy, trade)).toMatchObject({
    verdict: 'confirm',
    message: 'Delegate to financial_executor for trade?',
    missing: [],
  })
  expect(verdictOf(policy, delegate('financial_executor', { risk_level: 'low' }))).toBe('allow')
  expect(verdictOf(policy, delegate('financial_executor', {}))).toBe('confirm')
  expect(verdictOf(policy, delegate('financial_executor'))).toBe('confirm')
  expect(verdictOf(policy, delegate('bank'))).toBe('confirm')
  expect(verdictOf(policy, delegate('reader'))).toBe('allow')
})

promise(['AF-48'], 'a sub-agent’s tools are judged by their own declarations', () => {
  const policy = policyOf(`
    tools: { execute_trade: { approval: true }, financial_executor: { approval: false } }
    local_agents:
      - { alias: financial_executor, source: x, approval: true }
      - { alias: execute_trade, source: x, approval: false }
  `)
  const agent = { agent: 'financial_executor' }
  expect(verdictOf(policy, call('execute_trade', {}, agent))).toBe('confirm')
  expect(verdictOf(policy, call('read_news', {}, agent))).toBe('allow')
  expect(verdictOf(policy, delegate('financial_executor'))).toBe('confirm')
  expect(verdictOf(policy, call('financial_executor'))).toBe('allow')
  expect(verdictOf(policy, delegate('execute_trade'))).toBe('allow')
})

promise.each(
  ['AF-49'],
  'parent.input is refused where there is no delegation',
  [
    ['a tool', (approval: string) => `tools: { pay: { approval: ${approval} } }`],
    [
      'a server',
      (approval: string) => `mcp_servers: [{ alias: a, server_ref: x, approval: ${approval} }]`,
    ],
    [
      'an allowed tool',
      (approval: string) =>
        `mcp_servers: [{ alias: a, server_ref: x, allowed_tools: [{ name: b, approval: ${approval} }] }]`,
    ],
    [
      'a skill',
      (approval: string) =>
        `remote_agents: [{ alias: a, url: "https://a.example", allowed_skills: [{ id: b, approval: ${approval} }] }]`,
    ],
  ],
  (_, file) => {
    const condition = '{ condition: { args_match: { parent.input.risk_level: high } } }'
    expect(mistakesOf(file(condition))[0]?.path).toContain('parent.input.risk_level')
  },
)

promise(['AF-49'], 'governance may read the input of the parent, on delegations', () => {
  const rule =
    'governance: [{ id: a, match: { tool: clerk }, condition: { args_match: { parent.input.risk_level: high } }, approval: true }]'
  const policy = policyOf('tools: {}', rule)
  expect(verdictOf(policy, delegate('clerk', { risk_level: 'high' }))).toBe('confirm')
  expect(verdictOf(policy, delegate('clerk', { risk_level: 'low' }))).toBe('allow')
  const forged = call('clerk', { parent: { input: { risk_level: 'low' } } }, { kind: 'agent' })
  expect(verdictOf(policy, forged)).toBe('confirm')
  const tool = call('clerk', {}, { parent: { input: { risk_level: 'low' } } })
  expect(verdictOf(policy, tool)).toBe('confirm')
})

promise(['AF-50'], 'skills follow blanket, entry and exemption', () => {
  const policy = policyOf(`
    remote_agents:
      - alias: bank
        url: https://bank.example
        approval: true
        allowed_skills:
          - balance
          - { id: rates, approval: false }
          - id: process-payment
            approval:
              message_template: "Pay {{skill_args.amount}} by {{skill_id}}?"
              condition: { args_match: { amount: { gt: 100 } } }
  `)
  const skill = (tool: string, args: Call['args'] = {}) =>
    call(tool, args, { kind: 'skill', server: 'bank' })
  expect(verdictOf(policy, skill('balance'))).toBe('confirm')
  expect(verdictOf(policy, skill('rates'))).toBe('allow')
  expect(verdictOf(policy, skill('process-payment', { amount: 100 }))).toBe('allow')
  expect(askedOf(policy, skill('process-payment', { amount: 500 })).message).toBe(
    'Pay 500 by process-payment?',
  )
  expect(verdictOf(policy, skill('close-account'))).toBe('deny')
})
