import { expect } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import { askedOf, call, mistakesOf, policyFrom, policyOf, verdictOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const remote = { server: 'api' }

/** The same declaration on a tool of our own and on one of a server. */
function declared(hitl: string, ...governance: string[]) {
  return policyOf(
    `
      tools: { pay: { humanInTheLoop: ${hitl} } }
      mcp_servers: [{ alias: api, server_ref: x, allowed_tools: [{ name: pay, humanInTheLoop: ${hitl} }] }]
    `,
    ...governance,
  )
}
const both = [call('pay', { amount: 5 }), call('pay', { amount: 5 }, remote)]

promise(['SP-3'], 'a tool has one declaration', () => {
  const hitl = 'humanInTheLoop: { mode: REQUIRED }'
  for (const approval of ['true', 'false', '{}']) {
    expect(mistakesOf(`tools: { pay: { approval: ${approval}, ${hitl} } }`)).toHaveLength(1)
    const server = `mcp_servers: [{ alias: a, server_ref: x, allowed_tools: [{ name: b, approval: ${approval}, ${hitl} }] }]`
    expect(mistakesOf(server)).toHaveLength(1)
  }
})

promise.each(
  ['SP-4'],
  'humanInTheLoop holds a mode and a prompt',
  [
    ['no mode', '{ promptTemplate: "Go?" }'],
    ['another key', '{ mode: REQUIRED, prompt: "Go?" }'],
    ['text', 'REQUIRED'],
    ['true', 'true'],
    ['a prompt that is no text', '{ mode: REQUIRED, promptTemplate: 5 }'],
  ],
  (_, hitl) => {
    expect(mistakesOf(`tools: { pay: { humanInTheLoop: ${hitl} } }`)[0]?.path).toContain(
      'tools.pay.humanInTheLoop',
    )
  },
)

promise(['SP-4', 'SP-6', 'SP-26'], 'REQUIRED asks about every call, here and over MCP', () => {
  const policy = declared('{ mode: REQUIRED, promptTemplate: "Go?" }')
  for (const asked of both) {
    const given: JsonObject[] = [{}, { amount: 0 }, { confirmed: true }]
    for (const args of given) {
      expect(evaluate(policy, { ...asked, args })).toMatchObject({
        verdict: 'confirm',
        message: 'Go?',
      })
    }
  }
})

promise(['SP-5'], 'without humanInTheLoop nothing asks', () => {
  expect(verdictOf(policyOf('tools: { pay: { description: Pays } }'), call('pay'))).toBe('allow')
})

promise(
  ['SP-7', 'SP-26'],
  'DISABLED asks about no call, here and over MCP, unless governance does',
  () => {
    const policy = declared('{ mode: DISABLED }')
    const governed = declared(
      '{ mode: DISABLED }',
      'governance: [{ id: a, match: { tool: pay }, approval: true }]',
    )
    for (const asked of both) {
      expect(verdictOf(policy, asked)).toBe('allow')
      expect(verdictOf(governed, asked)).toBe('confirm')
    }
  },
)

promise.each(
  ['SP-8'],
  'another mode is refused',
  [['required'], ['OPTIONAL'], ['ON'], ['true'], ['null'], ['""']],
  (mode) => {
    const [mistake] = mistakesOf(`tools: { pay: { humanInTheLoop: { mode: ${mode} } } }`)
    expect(mistake?.path).toBe('tools.pay.humanInTheLoop.mode')
    if (mode !== 'null') expect(mistake?.message).toMatch(/REQUIRED.*DISABLED/)
  },
)

promise(['SP-9'], 'a prompt fills in the tool and its arguments', () => {
  const policy = declared(
    '{ mode: REQUIRED, promptTemplate: "Run {toolName} with {args}, {{tool_args.amount}}?" }',
  )
  for (const asked of both) {
    expect(askedOf(policy, asked).message).toBe('Run pay with {"amount":5}, 5?')
  }
})

promise(['SP-9'], 'single braces mean nothing elsewhere', () => {
  const policy = policyOf('tools: { pay: { approval: { message_template: "{toolName} {args}" } } }')
  expect(askedOf(policy, call('pay')).message).toBe('{toolName} {args}')
  const hostile = declared('{ mode: REQUIRED, promptTemplate: "{args}" }')
  const args = { note: '{toolName} {{tool_name}}' }
  expect(askedOf(hostile, call('pay', args)).message).toBe('{"note":"{toolName} {{tool_name}}"}')
})

promise(['SP-10'], 'the default question', () => {
  for (const asked of both) {
    expect(askedOf(declared('{ mode: REQUIRED }'), asked).message).toBe(
      `Run 'pay' with arguments {"amount":5}?`,
    )
  }
})

const SERVER = 'mcp_servers: [{ alias: api, server_ref: x }]'
const ping = call('ping', {}, remote)
const pong = call('pong', {}, remote)

promise(
  ['SP-22'],
  'tools of a foreign server are asked about until the owner says otherwise',
  () => {
    expect(verdictOf(policyFrom({}), ping)).toBe('confirm')
    expect(verdictOf(policyOf(SERVER), ping)).toBe('confirm')
    expect(
      verdictOf(policyOf('mcp_servers: [{ alias: api, server_ref: x, approval: false }]'), ping),
    ).toBe('allow')
  },
)

promise(['SP-24'], 'a switch turns asking on and off, for one tool', () => {
  const open = `defaults: { gateway: allow }\n${SERVER}`
  const on = policyFrom({ owner: open, switches: { 'api/ping': true } })
  expect(evaluate(on, ping)).toMatchObject({
    verdict: 'confirm',
    reasons: [{ source: 'operator', rule: 'operator.api/ping' }],
  })
  expect(verdictOf(on, pong)).toBe('allow')
  expect(verdictOf(on, call('ping'))).toBe('allow')
  const off = policyFrom({ owner: SERVER, switches: { 'api/ping': false } })
  expect(verdictOf(off, ping)).toBe('allow')
  expect(verdictOf(off, pong)).toBe('confirm')
  const whole = policyFrom({ owner: open, switches: { api: true } })
  expect(verdictOf(whole, pong)).toBe('confirm')
})

promise(['CS-POLICY-9'], 'a switch never overrides what a file says', () => {
  const owner = `
    mcp_servers:
      - { alias: api, server_ref: x, allowed_tools: [{ name: ping, approval: true }, { name: pong, approval: false }, other] }
      - { alias: blanket, server_ref: y, approval: true }
  `
  const switches = {
    'api/ping': false,
    'api/pong': true,
    'api/hidden': false,
    blanket: false,
    'strange/x': false,
    strange: false,
  }
  const policy = policyFrom({
    owner,
    switches,
    governance: ['governance: [{ id: a, match: { tool: other }, deny: "No" }]'],
  })
  expect(verdictOf(policy, ping)).toBe('confirm')
  expect(verdictOf(policy, pong)).toBe('allow')
  expect(verdictOf(policy, call('hidden', {}, remote))).toBe('deny')
  expect(verdictOf(policy, call('x', {}, { server: 'blanket' }))).toBe('confirm')
  expect(verdictOf(policy, call('x', {}, { server: 'strange' }))).toBe('confirm')
  expect(verdictOf(policy, call('other', {}, remote))).toBe('deny')
})

promise(
  ['SP-26'],
  'each declaration means the same on a tool of our own and on a foreign one',
  () => {
    const forms = [
      'true',
      'false',
      '{}',
      '{ approvers: ["*"], decide_by: 1h }',
      '{ condition: { args_match: { amount: { gt: 5 } } } }',
      '{ message_template: "{{tool_args.amount}}" }',
    ]
    for (const approval of forms) {
      const policy = policyOf(`
      tools: { pay: { approval: ${approval} } }
      mcp_servers: [{ alias: api, server_ref: x, allowed_tools: [{ name: pay, approval: ${approval} }] }]
    `)
      const [own, foreign] = both.map((asked) => {
        const { verdict, message, missing, ...rest } = evaluate(policy, asked)
        return { verdict, message, missing, terms: 'terms' in rest ? rest.terms : undefined }
      })
      expect(own).toEqual(foreign)
    }
  },
)

promise(['SP-30'], 'rules are found by exact name, and doors do not share them', () => {
  const policy = policyOf(`
    tools: { pay: { approval: true } }
    mcp_servers: [{ alias: api, server_ref: x, approval: false }]
    local_agents: [{ alias: clerk, source: x, approval: true }]
  `)
  for (const other of ['Pay', 'pay_', 'payx', 'p', 'constructor', '__proto__', 'toString']) {
    expect(verdictOf(policy, call(other)), other).toBe('allow')
  }
  expect(verdictOf(policy, call('pay'))).toBe('confirm')
  expect(verdictOf(policy, call('pay', {}, remote))).toBe('allow')
  expect(verdictOf(policy, call('pay', {}, { kind: 'agent' }))).toBe('allow')
  expect(verdictOf(policy, call('clerk'))).toBe('allow')
})

promise(['SP-55'], 'risk asks above L0, where nothing is declared', () => {
  const verdicts = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5'].map((risk) =>
    verdictOf(policyOf(`tools: { pay: { risk: ${risk} } }`), call('pay')),
  )
  expect(verdicts).toEqual(['allow', 'confirm', 'confirm', 'confirm', 'confirm', 'confirm'])
  const named = policyOf('defaults: { approvers: ["*"] }\ntools: { pay: { risk: L1 } }')
  expect(evaluate(named, call('pay'))).toMatchObject({
    verdict: 'review',
    reasons: [{ source: 'risk', rule: 'tools.pay.risk' }],
  })
})

promise(['SP-57'], 'asking never lowers a risk', () => {
  const governance = 'governance: [{ id: high, match: { risk: { gte: L4 } }, deny: "Too high" }]'
  for (const approval of ['true', 'false', '{ approvers: ["*"] }']) {
    const policy = policyOf(`tools: { pay: { risk: L4, approval: ${approval} } }`, governance)
    expect(verdictOf(policy, call('pay'))).toBe('deny')
    const lower = policyOf(`tools: { pay: { risk: L3, approval: ${approval} } }`, governance)
    expect(verdictOf(lower, call('pay'))).not.toBe('deny')
  }
})

promise(['SP-58'], 'a declaration outranks risk, and governance may match on it', () => {
  const owner = 'tools: { pay: { risk: L5, approval: false } }'
  expect(verdictOf(policyOf(owner), call('pay'))).toBe('allow')
  const governance = 'governance: [{ id: final, match: { risk: L5 }, approval: true }]'
  expect(verdictOf(policyOf(owner, governance), call('pay'))).toBe('confirm')
})
