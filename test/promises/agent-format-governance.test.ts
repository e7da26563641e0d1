import fc from 'fast-check'
import { expect } from 'vitest'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import type { Verdict } from '../../src/policy/evaluate/verdict.ts'
import {
  agentFormat,
  call,
  governanceMistakesOf,
  mistakesOf,
  policyFrom,
  policyOf,
  verdictOf,
} from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const pay = call('pay', { amount: 5 })
const ASKS = 'governance: [{ id: ask-first, match: { tool: pay }, approval: true }]'
const SILENT = 'governance: [{ id: elsewhere, match: { tool: other }, approval: true }]'

promise(['AF-42'], 'owner and governance are separate files, and neither needs the other', () => {
  expect(verdictOf(policyFrom({ governance: [ASKS] }), pay)).toBe('confirm')
  expect(verdictOf(policyOf('tools: { pay: { approval: true } }'), pay)).toBe('confirm')
  for (const key of ['tools: {}', 'defaults: {}', 'mcp_servers: []']) {
    expect(governanceMistakesOf(`${ASKS}\n${key}`), key).toHaveLength(1)
  }
})

promise.each(
  ['AF-43', 'AF-44', 'AF-45'],
  'owner and governance together',
  [
    ['neither says anything', 'tools: { pay: {} }', SILENT, 'allow'],
    ['the owner asks', 'tools: { pay: { approval: true } }', SILENT, 'confirm'],
    ['governance asks', 'tools: { pay: {} }', ASKS, 'confirm'],
    ['governance asks, the owner exempts', 'tools: { pay: { approval: false } }', ASKS, 'confirm'],
    ['both ask', 'tools: { pay: { approval: true } }', ASKS, 'confirm'],
    [
      'governance asks, the owner’s condition says no',
      'tools: { pay: { approval: { condition: { args_match: { amount: { gt: 5 } } } } } }',
      ASKS,
      'confirm',
    ],
  ],
  (_, owner, governance, verdict) => {
    expect(verdictOf(policyOf(owner, governance), pay)).toBe(verdict)
  },
)

promise(['AF-43'], 'each of several governance files is enough', () => {
  const names = ['a', 'b', 'c']
  for (const asking of names) {
    const files = names.map(
      (name) =>
        `governance: [{ id: ${name}, match: { tool: ${name === asking ? 'pay' : 'x'} }, approval: true }]`,
    )
    const { reasons, verdict } = evaluate(policyFrom({ governance: files }), pay)
    expect({ verdict, rules: reasons.map(({ rule }) => rule) }).toEqual({
      verdict: 'confirm',
      rules: [`governance.${asking}`],
    })
  }
})

promise(['AF-45'], 'no word of the owner answers for governance', () => {
  const owner = `
    defaults: { undeclared: allow, gateway: allow }
    tools: { pay: { approval: false, risk: L0 } }
    mcp_servers: [{ alias: api, server_ref: x, approval: false, allowed_tools: [{ name: pay, approval: false, risk: L0 }] }]
    local_agents: [{ alias: pay, source: x, approval: false }]
  `
  const calls = [pay, { ...pay, server: 'api' }, { ...pay, kind: 'agent' } as const]
  for (const asked of calls) {
    expect(verdictOf(policyOf(owner), asked)).toBe('allow')
    expect(verdictOf(policyOf(owner, ASKS), asked)).toBe('confirm')
    const denies = 'governance: [{ id: never, deny: "Not here" }]'
    expect(evaluate(policyOf(owner, denies), asked)).toMatchObject({
      verdict: 'deny',
      message: 'Not here',
    })
  }
})

const LEVELS = ['allow', 'confirm', 'review', 'deny']
const level = ({ verdict }: Verdict) => LEVELS.indexOf(verdict)

const approval = fc.constantFrom(
  'true',
  'false',
  '{}',
  '{ approvers: ["*"] }',
  '{ condition: { args_match: { amount: { gt: 5 } } } }',
  '{ condition: { args_match: { amount: { gt: 5 } } }, approvers: [ana@example.com], decide_by: 1h }',
)
const owners = approval.map((text) => `tools: { pay: { approval: ${text} } }`)
const rules = fc.record({
  match: fc.constantFrom(
    '{}',
    '{ tool: "p*" }',
    '{ tool: other }',
    '{ agent: "*" }',
    '{ risk: { gte: L3 } }',
  ),
  condition: fc.constantFrom(
    '{}',
    '{ args_match: { amount: { lte: 5 } } }',
    '{ args_match: { to: x } }',
  ),
  consequence: fc.constantFrom(
    'deny: "No"',
    'approval: true',
    'approval: { approvers: ["*"], decide_by: 30m }',
  ),
})
const file = fc.array(rules, { maxLength: 3 })
const written = (
  file: string,
  list: readonly { match: string; condition: string; consequence: string }[],
) =>
  `governance: [${list
    .map(
      ({ match, condition, consequence }, index) =>
        `{ id: ${file}${index}, match: ${match}, condition: ${condition}, ${consequence} }`,
    )
    .join(', ')}]`

promise(['AF-46'], 'more governance never makes a verdict milder, nor its clock longer', () => {
  const property = fc.property(
    owners,
    file,
    file,
    fc.integer({ min: 0, max: 10 }),
    (owner, less, more, amount) => {
      const asked = call('pay', { amount })
      const before = evaluate(policyOf(owner, written('a', less)), asked)
      const after = evaluate(policyOf(owner, written('a', less), written('b', more)), asked)
      expect(level(after)).toBeGreaterThanOrEqual(level(before))
      if ('terms' in before && 'terms' in after) {
        expect(after.terms.decideBy).toBeLessThanOrEqual(before.terms.decideBy)
        expect(after.requirements).toEqual(expect.arrayContaining([...before.requirements]))
      }
    },
  )
  fc.assert(property, { numRuns: 300 })
})

promise(['AF!3'], 'governance that loosens is refused', () => {
  const rule = 'governance: [{ id: free, match: { tool: pay }, approval: false }]'
  expect(governanceMistakesOf(rule)[0]?.path).toContain('approval')
  expect(mistakesOf(rule)[0]?.path).toContain('approval')
  for (const word of ['allow: true', 'allow: "go"']) {
    expect(governanceMistakesOf(`governance: [{ id: free, ${word} }]`)).not.toEqual([])
  }
})

promise(['AF!3'], 'an Agent Format file cannot switch the invariant off', () => {
  const agent = (constraints: string) =>
    agentFormat('local_tools: [{ alias: pay, approval: true }]', `constraints: { ${constraints} }`)
  expect(mistakesOf(agent('tighten_only_invariant: true'))).toEqual([])
  const [mistake] = mistakesOf(agent('tighten_only_invariant: false'))
  expect(mistake?.path).toBe('constraints.tighten_only_invariant')
  const [unresolved] = mistakesOf(agent('governance_policies: [{ policy_ref: acme.payments }]'))
  expect(unresolved?.path).toContain('constraints.governance_policies')
})
