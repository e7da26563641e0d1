import { expect } from 'vitest'
import { agentFormat, askedOf, call, policyFrom, policyOf } from '../support/policy.ts'
import { promise } from '../support/promise.ts'

const pay = call('pay', { amount: 5 })
const PEOPLE =
  'people: { groups: { finance: [ana@example.com, bo@example.com], it: { claim: dept } } }'

promise(['CS-POLICY-13'], 'each source keeps its own people, and all must be satisfied', () => {
  const owner = `
    ${PEOPLE}
    tools: { pay: { approval: { quorum: [{ group: finance, n: 2 }, { group: it, n: 1 }] } } }
  `
  const governance =
    'governance: [{ id: g, approval: { approvers: [cy@example.com] } }, { id: h, approval: true }]'
  expect(askedOf(policyOf(owner, governance), pay).requirements).toEqual([
    {
      source: 'tool',
      rule: 'tools.pay.approval',
      level: 'review',
      approvers: [],
      quorum: [
        { group: 'finance', n: 2 },
        { group: 'it', n: 1 },
      ],
      escalate: [],
    },
    {
      source: 'governance',
      rule: 'governance.g',
      level: 'review',
      approvers: [{ email: 'cy@example.com' }],
      quorum: [],
      escalate: [],
    },
    {
      source: 'governance',
      rule: 'governance.h',
      level: 'confirm',
      approvers: [],
      quorum: [],
      escalate: [],
    },
  ])
})

promise(['CS-POLICY-14'], 'terms are the strictest of all sources', () => {
  const owner = `
    defaults: { decide_by: 6h, use_by: 20m, wait_for: 2m, min_assurance: chat, reason: optional }
    tools: { pay: { approval: { decide_by: 8h, remind_after: 1h, reason: required } } }
  `
  const governance = `
    governance:
      - { id: g, approval: { use_by: 5m, remind_after: 30m, min_assurance: signed-in, grants: false } }
      - { id: h, approval: { use_by: 10m, reason: optional, grants: true } }
  `
  expect(askedOf(policyOf(owner, governance), pay).terms).toEqual({
    decideBy: 8 * 3_600_000,
    useBy: 5 * 60_000,
    waitFor: 2 * 60_000,
    remindAfter: 30 * 60_000,
    minAssurance: 'signed-in',
    reason: 'required',
    edit: true,
    grants: false,
  })
})

promise.each(
  ['CS-POLICY-15'],
  'a quorum that cannot be met is refused',
  [
    [
      'in the owner’s file',
      {
        owner:
          'people: { groups: { it: [ana@example.com] } }\ntools: { pay: { approval: { quorum: [{ group: it, n: 2 }] } } }',
      },
    ],
    [
      'in one governance file',
      {
        governance: [
          'people: { groups: { it: [ana@example.com] } }\ngovernance: [{ id: g, approval: { quorum: [{ group: it, n: 2 }] } }]',
        ],
      },
    ],
    [
      'over several files',
      {
        owner: 'people: { groups: { it: [ana@example.com] } }',
        governance: [
          'people: { groups: { ops: [ana@example.com] } }\ngovernance: []',
          'governance: [{ id: g, approval: { quorum: [{ group: it, n: 1 }, { group: ops, n: 1 }] } }]',
        ],
      },
    ],
    [
      'by a group that nobody defines',
      { governance: ['governance: [{ id: g, approval: { quorum: [{ group: it, n: 1 }] } }]'] },
    ],
    [
      'in code',
      {
        owner: 'people: { groups: { it: [ana@example.com] } }',
        code: { pay: { approval: { quorum: [{ group: 'it', n: 2 }] } } },
      },
    ],
    [
      'in code, by a group that nobody defines',
      { code: { pay: { approval: { approvers: [{ group: 'it' }] } } } },
    ],
    [
      'in an Agent Format file, by a group that nobody defines',
      {
        owner: agentFormat(
          'local_tools: [{ alias: pay, approval: { quorum: [{ group: it, n: 1 }] } }]',
        ),
      },
    ],
  ],
  (_, sources) => {
    expect(() => policyFrom(sources)).toThrow(expect.objectContaining({ code: 'policy_invalid' }))
  },
)

promise(['CS-POLICY-20'], 'no grant for what cannot be undone', () => {
  const policy = (risk: string) =>
    policyOf(`tools: { pay: { risk: ${risk}, approval: { grants: true } } }`)
  expect(askedOf(policy('L4'), pay).terms.grants).toBe(true)
  expect(askedOf(policy('L5'), pay).terms.grants).toBe(false)
  expect(askedOf(policy('L4'), { ...pay, risk: 'L5' }).terms.grants).toBe(false)
})
