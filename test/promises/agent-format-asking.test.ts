import { expect } from 'vitest'
import { parse } from 'yaml'
import type { JsonObject } from '../../src/base/json/json.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import type { Policy } from '../../src/policy/policy.ts'
import {
  agentFormat,
  call,
  mistakesOf,
  policyFrom,
  policyOf,
  verdictOf,
} from '../support/policy.ts'
import { promise } from '../support/promise.ts'

/** One declaration of the tool `pay`, in each place where a tool can declare approval. */
function declared(approval: string): (readonly [place: string, policy: Policy])[] {
  return [
    ['countersign.yaml', policyOf(`tools: { pay: { approval: ${approval} } }`)],
    [
      'agent.agf.yaml',
      policyOf(agentFormat(`local_tools: [{ alias: pay, approval: ${approval} }]`)),
    ],
    ['code', policyFrom({ code: { pay: { approval: parse(approval) } } })],
  ]
}

const pay = call('pay', { amount: 5 })
const DEFAULT_QUESTION = `Run 'pay' with arguments {"amount":5}?`

promise.each(
  ['AF-1'],
  'approval is true, false or an object',
  [
    ['text', '"true"'],
    ['a YAML 1.1 boolean', 'yes'],
    ['a number', '1'],
    ['nothing', 'null'],
    ['a list', '[{ condition: { args_match: {} } }]'],
  ],
  (_, approval) => {
    const [mistake, ...others] = mistakesOf(`tools: { pay: { approval: ${approval} } }`)
    expect(others).toEqual([])
    expect(mistake?.path).toBe('tools.pay.approval')
  },
)

promise(
  ['AF-1', 'AF-2', 'AF-3', 'AF-4'],
  'each form of approval loads and means what it says',
  () => {
    for (const [place, policy] of declared('true')) {
      expect(evaluate(policy, pay), place).toMatchObject({
        verdict: 'confirm',
        message: DEFAULT_QUESTION,
      })
    }
    for (const [place, policy] of declared('false')) {
      expect(verdictOf(policy, pay), place).toBe('allow')
    }
    const both =
      '{ message_template: "Pay {{tool_args.amount}}?", condition: { args_match: { amount: { gt: 4 } } } }'
    for (const [place, policy] of declared(both)) {
      expect(evaluate(policy, pay), place).toMatchObject({ verdict: 'confirm', message: 'Pay 5?' })
      expect(verdictOf(policy, call('pay', { amount: 4 })), place).toBe('allow')
    }
  },
)

promise(['AF-2'], 'approval: true asks about every call, whatever its arguments', () => {
  const policy = policyOf('tools: { pay: { approval: true } }')
  const given: JsonObject[] = [{}, { amount: 0 }, { approval: false }, { approved: true }]
  for (const args of given) {
    expect(verdictOf(policy, call('pay', args))).toBe('confirm')
  }
})

promise(['AF-3'], 'approval: false outranks blanket, risk and defaults', () => {
  const policy = policyOf(`
    defaults: { undeclared: deny, gateway: deny }
    tools: { read: { approval: false, risk: L5 } }
    mcp_servers:
      - { alias: api, server_ref: x, approval: true, risk: L5, allowed_tools: [{ name: health, approval: false }, ping] }
  `)
  expect(verdictOf(policy, call('read'))).toBe('allow')
  expect(verdictOf(policy, call('health', {}, { server: 'api' }))).toBe('allow')
  expect(verdictOf(policy, call('ping', {}, { server: 'api' }))).toBe('confirm')
})

promise(['AF-5'], 'a tool that says nothing runs, unless something else asks', () => {
  expect(verdictOf(policyOf('tools: { pay: { description: Pays } }'), pay)).toBe('allow')
  expect(verdictOf(policyOf('tools: {}'), pay)).toBe('allow')
  expect(verdictOf(policyFrom({}), pay)).toBe('allow')
  expect(verdictOf(policyOf('defaults: { undeclared: confirm }'), pay)).toBe('confirm')
  expect(verdictOf(policyOf('tools: { pay: { risk: L1 } }'), pay)).toBe('confirm')
  const asks = 'governance: [{ id: all, approval: true }]'
  expect(verdictOf(policyOf('tools: { pay: {} }', asks), pay)).toBe('confirm')
})

promise(
  ['AF-5'],
  'a tool of a server that says nothing is asked about until the owner says otherwise',
  () => {
    const server = 'mcp_servers: [{ alias: api, server_ref: x }]'
    const ping = call('ping', {}, { server: 'api' })
    expect(verdictOf(policyOf(server), ping)).toBe('confirm')
    expect(verdictOf(policyOf(`defaults: { gateway: allow }\n${server}`), ping)).toBe('allow')
  },
)

promise(['AF-6'], 'an empty object asks as true does', () => {
  const empty = declared('{}')
  for (const [index, [place, policy]] of declared('true').entries()) {
    const other = empty[index]?.[1]
    expect(other && evaluate(other, pay), place).toEqual(evaluate(policy, pay))
  }
})

promise(['AF-7'], 'a question alone asks about every call', () => {
  for (const [place, policy] of declared('{ message_template: "Really pay?" }')) {
    const expected = { verdict: 'confirm', message: 'Really pay?' }
    expect(evaluate(policy, call('pay')), place).toMatchObject(expected)
    expect(evaluate(policy, pay), place).toMatchObject(expected)
  }
})

promise(['AF-8'], 'a condition alone asks when it holds, in the default words', () => {
  for (const [place, policy] of declared('{ condition: { args_match: { amount: { gte: 5 } } } }')) {
    expect(evaluate(policy, pay), place).toMatchObject({
      verdict: 'confirm',
      message: DEFAULT_QUESTION,
    })
    expect(verdictOf(policy, call('pay', { amount: 4.99 })), place).toBe('allow')
    expect(verdictOf(policy, call('pay')), place).toBe('confirm')
  }
})

promise.each(
  ['AF-9', 'AF!1'],
  'a typo is refused, with its place and the nearest word',
  [
    ['on a tool', 'tools: { pay: { aproval: true } }', 'tools.pay.aproval', 'approval'],
    [
      'in approval',
      'tools: { pay: { approval: { conditon: {} } } }',
      'tools.pay.approval.conditon',
      'condition',
    ],
    [
      'in a condition',
      'tools: { pay: { approval: { condition: { arg_match: {} } } } }',
      'tools.pay.approval.condition.arg_match',
      'args_match',
    ],
    [
      'in a matcher',
      'tools: { pay: { approval: { condition: { args_match: { amount: { gtt: 5 } } } } } }',
      'tools.pay.approval.condition.args_match.amount.gtt',
      'gt',
    ],
    [
      'in an allowed tool',
      'mcp_servers: [{ alias: api, server_ref: x, allowed_tools: [{ name: a, aproval: true }] }]',
      'mcp_servers.api.allowed_tools.a.aproval',
      'approval',
    ],
    ['at the top', 'tool: { pay: { approval: true } }', 'tool', 'tools'],
    [
      'on a server',
      'mcp_servers: [{ alias: api, aproval: true }]',
      'mcp_servers.api.aproval',
      'approval',
    ],
    [
      'on an agent',
      'local_agents: [{ alias: a, source: x, aproval: true }]',
      'local_agents.a.aproval',
      'approval',
    ],
    [
      'in governance',
      'governance: [{ id: a, macth: { tool: x }, approval: true }]',
      'governance.a.macth',
      'match',
    ],
  ],
  (_, text, path, nearest) => {
    const [mistake] = mistakesOf(text)
    const column = text.indexOf(path.split('.').at(-1) ?? '') + 1
    expect(mistake).toMatchObject({
      place: { file: 'countersign.yaml', line: 2, column },
      message: expect.stringContaining(nearest),
    })
    expect(mistake?.path.split('.').at(-1)).toBe(path.split('.').at(-1))
  },
)

promise.each(
  ['AF-9', 'AF!1'],
  'a typo in an Agent Format file is refused',
  [
    ['on a tool', 'local_tools: [{ alias: pay, aproval: true }]', 'approval'],
    ['in approval', 'local_tools: [{ alias: pay, approval: { conditon: {} } }]', 'condition'],
    ['in the action space', 'local_tool: [{ alias: pay, approval: true }]', 'local_tools'],
  ],
  (_, space, nearest) => {
    const [mistake] = mistakesOf(agentFormat(space))
    expect(mistake).toMatchObject({ place: { line: 4 }, message: expect.stringContaining(nearest) })
  },
)
