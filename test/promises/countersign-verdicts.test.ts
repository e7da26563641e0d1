import fc from 'fast-check'
import { expect } from 'vitest'
import { RISKS } from '../../src/base/call.ts'
import { evaluate } from '../../src/policy/evaluate/evaluate.ts'
import { explain } from '../../src/policy/tooling/explain.ts'
import { call, policyFrom, policyOf, verdictOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const pay = call('pay', { amount: 5 })
const words = ['allow', 'confirm', 'review', 'deny'] as const

/** An owner and a governance file that each answer with the given word about `pay`. */
const OWNER = {
  allow: 'tools: { pay: { approval: false } }',
  confirm: 'tools: { pay: { approval: true } }',
  review: 'tools: { pay: { approval: { approvers: ["*"] } } }',
  deny: 'defaults: { undeclared: deny }',
}
const GOVERNANCE = {
  allow: 'governance: []',
  confirm: 'governance: [{ id: g, approval: true }]',
  review: 'governance: [{ id: g, approval: { approvers: ["*"] } }]',
  deny: 'governance: [{ id: g, deny: "No" }]',
}

promise(['CS-POLICY-1'], 'the strictest of owner and governance wins, in every pairing', () => {
  for (const [i, owner] of words.entries()) {
    for (const [j, governance] of words.entries()) {
      const verdict = verdictOf(policyOf(OWNER[owner], GOVERNANCE[governance]), pay)
      expect(verdict, `${owner} with ${governance}`).toBe(words[Math.max(i, j)])
    }
  }
})

const RULES = [
  '{ id: a, approval: true }',
  '{ id: b, match: { tool: "p*" }, approval: { approvers: ["*"], decide_by: 2h, edit: [amount, to] } }',
  '{ id: c, condition: { args_match: { amount: { gt: 5 } } }, deny: "Too much" }',
  '{ id: d, condition: { args_match: { to: x } }, approval: { message_template: "To {{tool_args.to}}?", edit: [to] } }',
  '{ id: e, match: { risk: { gte: L2 } }, approval: { min_assurance: passkey } }',
]

promise(['CS-POLICY-2'], 'rules, keys and files may come in any order', () => {
  const orders = fc.shuffledSubarray(RULES, { minLength: RULES.length })
  const property = fc.property(
    orders,
    fc.nat(RULES.length),
    fc.integer({ min: 4, max: 6 }),
    (rules, cut, amount) => {
      const file = (list: readonly string[]) => `governance: [${list.join(', ')}]`
      const owner = 'tools: { pay: { approval: true }, read: { approval: false } }'
      const turned = 'tools: { read: { approval: false }, pay: { approval: true } }'
      const asked = call('pay', { amount })
      const expected = evaluate(policyOf(owner, file(RULES)), asked)
      expect(evaluate(policyOf(owner, file(rules)), asked)).toEqual(expected)
      const split = policyOf(turned, file(rules.slice(cut)), file(rules.slice(0, cut)))
      expect(evaluate(split, asked)).toEqual(expected)
    },
  )
  fc.assert(property, { numRuns: 100 })
})

promise(['CS-POLICY-3'], 'unknown counts against the call in every kind of rule', () => {
  const unknown = 'condition: { args_match: { amount: { gt: 10 } } }'
  const asked = call('pay', { amount: '5' })
  const places = [
    [`tools: { pay: { approval: { ${unknown} } } }`, 'confirm'],
    [`tools: { pay: { approval: { ${unknown}, approvers: ["*"] } } }`, 'review'],
    [`governance: [{ id: g, ${unknown}, approval: true }]`, 'confirm'],
    [`governance: [{ id: g, approval: { ${unknown} } }]`, 'confirm'],
    [`governance: [{ id: g, ${unknown}, deny: "No" }]`, 'deny'],
  ] as const
  for (const [owner, verdict] of places) {
    const answer = evaluate(policyOf(owner), asked)
    expect([answer.verdict, answer.reasons[0]?.answer], owner).toEqual([verdict, 'unknown'])
    expect(verdictOf(policyOf(owner), pay), owner).toBe('allow')
  }
})

const PEOPLE =
  'people: { groups: { finance: [ana@example.com, bo@example.com], it: { claim: dept } } }'

promise.each(
  ['CS-POLICY-4'],
  'asking means confirm, or review where people are named',
  [
    ['plain', 'tools: { pay: { approval: true } }', 'confirm'],
    [
      'with terms only',
      'tools: { pay: { approval: { decide_by: 1h, reason: required } } }',
      'confirm',
    ],
    ['with approvers', 'tools: { pay: { approval: { approvers: [ana@example.com] } } }', 'review'],
    ['with anyone', 'tools: { pay: { approval: { approvers: ["*"] } } }', 'review'],
    [
      'with a quorum',
      `${PEOPLE}\ntools: { pay: { approval: { quorum: [{ group: finance, n: 2 }] } } }`,
      'review',
    ],
    [
      'with approvers by default',
      'defaults: { approvers: [ana@example.com] }\ntools: { pay: { approval: true } }',
      'review',
    ],
    ['as a default', 'defaults: { undeclared: review }', 'review'],
  ],
  (_, owner, verdict) => {
    expect(verdictOf(policyOf(owner), pay)).toBe(verdict)
  },
)

promise(['CS-POLICY-4'], 'defaults of the owner name nobody for governance from outside', () => {
  const owner = 'defaults: { approvers: [ana@example.com] }'
  const rule = 'governance: [{ id: g, approval: true }]'
  expect(verdictOf(policyOf(owner, rule), pay)).toBe('confirm')
  expect(verdictOf(policyOf(`${owner}\n${rule}`), pay)).toBe('review')
})

promise(['CS-POLICY-5'], 'the first source that is present answers, whatever it says', () => {
  const no = '{ condition: { args_match: { amount: { gt: 5 } } } }'
  const owner = `
    defaults: { undeclared: deny, gateway: deny }
    tools: { pay: { approval: ${no}, risk: L5 }, read: { risk: L0 }, write: { risk: L1 } }
    mcp_servers:
      - { alias: api, server_ref: x, approval: true, allowed_tools: [{ name: pay, approval: ${no} }, ping, pong] }
      - { alias: quiet, server_ref: y }
  `
  const policy = policyFrom({ owner, switches: { 'api/ping': false, quiet: true } })
  const answers = [
    [pay, 'allow'],
    [call('read'), 'allow'],
    [call('write'), 'confirm'],
    [call('other'), 'deny'],
    [{ ...pay, server: 'api' }, 'allow'],
    [call('ping', {}, { server: 'api' }), 'allow'],
    [call('pong', {}, { server: 'api' }), 'confirm'],
    [call('x', {}, { server: 'quiet' }), 'confirm'],
    [call('x', {}, { server: 'strange' }), 'deny'],
  ] as const
  for (const [asked, verdict] of answers) expect(verdictOf(policy, asked), asked.tool).toBe(verdict)
})

promise.each(
  ['CS-POLICY-6'],
  'code and file together: the stricter',
  [
    ['both ask', 'true', true, 'confirm', ['code.pay.approval', 'tools.pay.approval']],
    ['the file asks', 'true', false, 'confirm', ['tools.pay.approval']],
    ['code asks', 'false', true, 'confirm', ['code.pay.approval']],
    ['neither asks', 'false', false, 'allow', []],
    [
      'code asks for more',
      'true',
      { approvers: ['*'] },
      'review',
      ['code.pay.approval', 'tools.pay.approval'],
    ],
    [
      'the file asks for more',
      '{ approvers: ["*"] }',
      true,
      'review',
      ['tools.pay.approval', 'code.pay.approval'],
    ],
  ],
  (_, file, approval, verdict, rules) => {
    const policy = policyFrom({
      owner: `tools: { pay: { approval: ${file} } }`,
      code: { pay: { approval } },
    })
    const answer = evaluate(policy, pay)
    expect([answer.verdict, answer.reasons.map(({ rule }) => rule)]).toEqual([verdict, rules])
  },
)

promise(['CS-POLICY-10'], 'a rule about risk applies where nobody knows the risk', () => {
  const rule = 'governance: [{ id: g, match: { risk: { gte: L3 } }, deny: "Too risky" }]'
  expect(verdictOf(policyOf('tools: { pay: {} }', rule), pay)).toBe('deny')
  expect(verdictOf(policyOf('tools: { pay: { risk: L2, approval: false } }', rule), pay)).toBe(
    'allow',
  )
  expect(verdictOf(policyOf('tools: { pay: { risk: L3, approval: false } }', rule), pay)).toBe(
    'deny',
  )
  // What the call claims is no knowledge: the tool stays unrated (S5).
  expect(verdictOf(policyOf('tools: {}', rule), { ...pay, risk: 'L0' })).toBe('deny')
})

promise(['CS-POLICY-11'], 'a group of governance is not the owner’s to define', () => {
  const people = (who: string) => `people: { groups: { finance: [${who}] } }`
  const governance = `${people('ana@example.com')}\ngovernance: []`
  const refused = expect.objectContaining({
    code: 'policy_invalid',
    message: expect.stringContaining('finance'),
  })
  expect(() => policyOf(people('me@example.com'), governance)).toThrow(refused)
  expect(() => policyOf(people('ana@example.com'), governance)).toThrow(refused)
  expect(() => policyOf('tools: {}', governance)).not.toThrow()
})

promise(['CS-POLICY-12'], 'every source that objects is named, strictest first', () => {
  const owner = `
    tools: { pay: { approval: { condition: [{ args_match: { to: x } }, { args_match: { amount: { gt: 1 } } }] } } }
    governance: [{ id: own, approval: true }, { id: silent, match: { tool: other }, approval: true }]
  `
  const governance = `
    governance:
      - { id: z-deny, deny: "Never" }
      - { id: a-deny, condition: { args_match: { amount: { gte: 9 } } }, deny: "Not today" }
  `
  const strict = 'governance: [{ id: people, approval: { approvers: ["*"] } }]'
  expect(evaluate(policyOf(owner, governance, strict), call('pay', { amount: 10 }))).toEqual({
    verdict: 'deny',
    message: 'Not today',
    missing: [],
    reasons: [
      { source: 'governance', rule: 'governance.a-deny', answer: 'yes' },
      { source: 'governance', rule: 'governance.z-deny', answer: 'yes' },
      { source: 'governance', rule: 'governance.people', answer: 'yes' },
      { source: 'tool', rule: 'tools.pay.approval.condition[1]', answer: 'yes' },
      { source: 'governance', rule: 'governance.own', answer: 'yes' },
    ],
  })
})

promise(
  ['CS-POLICY-18'],
  'an explanation gives the same verdict, the rules and the values they saw',
  () => {
    const policy = policyOf(
      `
      tools:
        pay:
          approval:
            condition: { args_match: { amount: { gt: 4 }, to: x } }
    `,
      'governance: [{ id: g, condition: { args_match: { amount: { gt: 9 } } }, deny: "No" }, { id: h, match: { tool: z }, deny: "No" }]',
    )
    const explanation = explain(policy, pay)
    expect(explanation.verdict).toEqual(evaluate(policy, pay))
    expect(explanation.unmatched).toBe(1)
    expect(explanation.rules).toEqual([
      {
        source: 'tool',
        rule: 'tools.pay.approval.condition',
        words: 'asks when amount is over 4 and to is "x"',
        place: expect.stringMatching(/^countersign\.yaml:\d+:\d+$/),
        answer: 'unknown',
        asks: 'confirm',
        why: undefined,
        values: [
          { group: 0, path: 'amount', ...over(4), saw: '5', answer: 'yes' },
          {
            group: 0,
            path: 'to',
            wanted: '"x"',
            words: 'is "x"',
            tests: [{ op: 'eq', values: ['x'] }],
            saw: 'missing',
            answer: 'unknown',
          },
        ],
      },
      {
        source: 'governance',
        rule: 'governance.g',
        words: 'denies every call when amount is over 9',
        place: expect.stringMatching(/^governance-0\.yaml:\d+:\d+$/),
        answer: 'no',
        asks: 'allow',
        why: 'No',
        values: [{ group: 0, path: 'amount', ...over(9), saw: '5', answer: 'no' }],
      },
    ])
  },
)

/** A condition as the file has it, and in words. */
const over = (limit: number) => ({
  wanted: `{ gt: ${limit} }`,
  words: `is over ${limit}`,
  tests: [{ op: 'gt', values: [limit] }],
})

promise(['CS-POLICY-19'], 'an agent can raise the risk of its call and never lower it', () => {
  const rule = 'governance: [{ id: g, match: { risk: { gte: L3 } }, deny: "Too risky" }]'
  const policy = policyOf(
    `
      tools: { safe: { risk: L1, approval: false }, risky: { risk: L3, approval: false } }
      mcp_servers: [{ alias: api, server_ref: x, approval: false, risk: L4, allowed_tools: [a, { name: b, risk: L1 }] }]
    `,
    rule,
  )
  expect(verdictOf(policy, call('safe'))).toBe('allow')
  expect(verdictOf(policy, call('safe', {}, { risk: 'L3' }))).toBe('deny')
  expect(verdictOf(policy, call('risky', {}, { risk: 'L0' }))).toBe('deny')
  expect(verdictOf(policy, call('a', {}, { server: 'api', risk: 'L0' }))).toBe('deny')
  expect(verdictOf(policy, call('b', {}, { server: 'api' }))).toBe('allow')
  expect(verdictOf(policy, call('b', {}, { server: 'api', risk: 'L5' }))).toBe('deny')
  expect(verdictOf(policy, call('unrated', {}, { risk: 'L0' }))).toBe('deny')
})

promise(['CS-POLICY-19'], 'a claimed risk takes no call out of a governance rule', () => {
  const rules = ['L2', '{ lte: L2 }', '{ in: [L1, L2] }', '{ ne: L5 }', '{ gt: L0, lt: L4 }']
  for (const risk of rules) {
    const rule = `governance: [{ id: g, match: { risk: ${risk} }, deny: "No" }]`
    const policy = policyOf('tools: { rated: { risk: L2, approval: false } }', rule)
    for (const claimed of RISKS) {
      expect(verdictOf(policy, call('rated', {}, { risk: claimed }))).toBe('deny')
      expect(verdictOf(policy, call('unrated', {}, { risk: claimed }))).toBe('deny')
      const delegated = { kind: 'agent', risk: claimed } as const
      expect(verdictOf(policy, call('helper', {}, delegated))).toBe('deny')
    }
  }
})
