import { expect } from 'vitest'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import type { Policy } from '../../src/policy/policy.ts'
import { agentFormat, call, mistakesOf, policyOf, verdictOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const on = (tool: string, args = {}) => call(tool, args, { server: 'external_api' })

const SERVERS = `
mcp_servers:
  - alias: external_api
    server_ref: partner.example.api-v2
    approval: true
    allowed_tools:
      - name: health_check
        approval: false
      - name: create_resource
        approval:
          message_template: "Approve creating '{{tool_args.resource_type}}'?"
      - name: update_resource
      - list_resources
`

/** The same servers in our own file and in an Agent Format file. */
const files: [string, Policy][] = [
  ['countersign.yaml', policyOf(SERVERS)],
  ['agent.agf.yaml', policyOf(agentFormat(SERVERS))],
]

promise.each(
  ['AF-35', 'AF-36', 'AF-37', 'AF-38', 'AF-39', 'AF-40'],
  'each tool has its answer',
  files,
  (_, policy) => {
    expect(verdictOf(policy, on('health_check'))).toBe('allow')
    expect(evaluate(policy, on('create_resource', { resource_type: 'disk' }))).toMatchObject({
      verdict: 'confirm',
      message: "Approve creating 'disk'?",
    })
    expect(verdictOf(policy, on('update_resource'))).toBe('confirm')
    expect(verdictOf(policy, on('list_resources'))).toBe('confirm')
  },
)

promise(['AF-35'], 'a blanket covers every tool where none is listed', () => {
  const policy = policyOf('mcp_servers: [{ alias: external_api, server_ref: x, approval: true }]')
  const open = policyOf('mcp_servers: [{ alias: external_api, server_ref: x, approval: false }]')
  for (const tool of ['a', 'b.c', 'constructor', 'toString']) {
    expect(verdictOf(policy, on(tool))).toBe('confirm')
    expect(verdictOf(open, on(tool))).toBe('allow')
  }
})

promise(['AF-35'], 'a blanket may have a condition', () => {
  const policy = policyOf(`
    mcp_servers:
      - alias: external_api
        server_ref: x
        approval: { condition: { args_match: { dry_run: false } } }
        allowed_tools: [apply, { name: plan }]
  `)
  for (const tool of ['apply', 'plan']) {
    expect(verdictOf(policy, on(tool, { dry_run: false }))).toBe('confirm')
    expect(verdictOf(policy, on(tool, { dry_run: true }))).toBe('allow')
  }
})

promise.each(
  ['AF-36'],
  'an allowed tool is a name or an object with one',
  [
    ['a number', '5'],
    ['nothing', 'null'],
    ['an object without a name', '{ approval: true }'],
    ['a list', '[a]'],
    ['a name that is none', '"a b"'],
  ],
  (_, entry) => {
    const mistakes = mistakesOf(
      `mcp_servers: [{ alias: a, server_ref: x, allowed_tools: [${entry}] }]`,
    )
    expect(mistakes).not.toEqual([])
    expect(mistakes[0]?.path).toMatch(/^mcp_servers.*allowed_tools/)
  },
)

promise(['AF-36'], 'a tool is listed once', () => {
  const twice =
    'mcp_servers: [{ alias: a, server_ref: x, allowed_tools: [read, { name: read, approval: true }] }]'
  expect(mistakesOf(twice)).toHaveLength(1)
})

promise(
  ['AF-37', 'AF-40'],
  'without a blanket, a listed tool is asked about unless the owner says otherwise',
  () => {
    const servers =
      'mcp_servers: [{ alias: external_api, server_ref: x, allowed_tools: [a, { name: b }] }]'
    for (const tool of ['a', 'b']) {
      expect(verdictOf(policyOf(servers), on(tool))).toBe('confirm')
      expect(verdictOf(policyOf(`defaults: { gateway: allow }\n${servers}`), on(tool))).toBe(
        'allow',
      )
      expect(verdictOf(policyOf(`defaults: { gateway: deny }\n${servers}`), on(tool))).toBe('deny')
    }
  },
)

promise(['AF-38'], 'an entry replaces the blanket in both directions', () => {
  const policy = policyOf(`
    mcp_servers:
      - alias: external_api
        server_ref: x
        approval: { condition: { args_match: { force: true } } }
        allowed_tools:
          - { name: always, approval: true }
          - { name: big, approval: { condition: { args_match: { size: { gt: 5 } } } } }
  `)
  expect(verdictOf(policy, on('always', { force: false }))).toBe('confirm')
  expect(verdictOf(policy, on('big', { force: true, size: 1 }))).toBe('allow')
  expect(verdictOf(policy, on('big', { force: false, size: 6 }))).toBe('confirm')
})

promise(['AF-39'], 'an exemption holds for one tool of one server', () => {
  const policy = policyOf(`
    tools: { health_check: { approval: true } }
    mcp_servers:
      - { alias: external_api, server_ref: x, approval: true, allowed_tools: [{ name: health_check, approval: false }, Health_check] }
      - { alias: other, server_ref: y, approval: true }
  `)
  expect(verdictOf(policy, on('health_check'))).toBe('allow')
  expect(verdictOf(policy, on('Health_check'))).toBe('confirm')
  expect(verdictOf(policy, call('health_check', {}, { server: 'other' }))).toBe('confirm')
  expect(verdictOf(policy, call('health_check'))).toBe('confirm')
})

promise(['AF-41'], 'governance asks about an exempt tool of a server', () => {
  const governance = 'governance: [{ id: all-health, match: { tool: "health_*" }, approval: true }]'
  const policy = policyOf(SERVERS, governance)
  expect(evaluate(policy, on('health_check'))).toMatchObject({
    verdict: 'confirm',
    reasons: [{ source: 'governance', rule: 'governance.all-health' }],
  })
  expect(verdictOf(policy, on('list_resources'))).toBe('confirm')
  const elsewhere = policyOf(
    SERVERS,
    'governance: [{ id: a, match: { server: other }, approval: true }]',
  )
  expect(verdictOf(elsewhere, on('health_check'))).toBe('allow')
})

promise(['CS-POLICY-7', 'SP-22'], 'an undeclared server is asked about at least', () => {
  const strange = call('read', {}, { server: 'strange' })
  const verdicts = ['allow', 'confirm', 'review', 'deny'].map((gateway) =>
    verdictOf(policyOf(`defaults: { gateway: ${gateway}, undeclared: allow }`), strange),
  )
  expect(verdicts).toEqual(['confirm', 'confirm', 'review', 'deny'])
  expect(verdictOf(policyOf('tools: { read: { approval: false } }'), strange)).toBe('confirm')
  const skill = call('read', {}, { kind: 'skill', server: 'strange' })
  expect(verdictOf(policyOf('defaults: { gateway: allow }'), skill)).toBe('confirm')
})

promise(['CS-POLICY-8'], 'what is not in the list of allowed tools or skills is denied', () => {
  const policy = policyOf(`
    defaults: { gateway: allow }
    mcp_servers:
      - { alias: external_api, server_ref: x, approval: false, allowed_tools: [read] }
      - { alias: closed, server_ref: y, allowed_tools: [] }
    remote_agents: [{ alias: bank, url: "https://bank.example", approval: false, allowed_skills: [pay] }]
  `)
  expect(verdictOf(policy, on('read'))).toBe('allow')
  expect(evaluate(policy, on('write'))).toEqual({
    verdict: 'deny',
    message: "Tool 'write' is not in allowed_tools of server 'external_api'.",
    missing: [],
    reasons: [{ source: 'server', rule: 'mcp_servers.external_api.allowed_tools', answer: 'yes' }],
  })
  expect(verdictOf(policy, on('READ'))).toBe('deny')
  expect(verdictOf(policy, call('read', {}, { server: 'closed' }))).toBe('deny')
  expect(evaluate(policy, call('steal', {}, { kind: 'skill', server: 'bank' }))).toMatchObject({
    verdict: 'deny',
    message: "Skill 'steal' is not in allowed_skills of remote agent 'bank'.",
  })
})
