/** A policy status and an explanation, as the server would give them. */
import type { ExplainedCall, PolicyStatus } from '../src/api/policy-types.ts'

export const STATUS: PolicyStatus = {
  version: '0.1.0',
  loadedAt: new Date(Date.now() - 7_200_000).toISOString(),
  files: [
    { file: 'countersign.yaml', role: 'owner', state: 'changed' },
    { file: 'governance.yaml', role: 'governance', state: 'active' },
  ],
  counts: { tools: 1, servers: 1, agents: 0, governance: 2, tests: 1 },
  rules: [
    {
      source: 'governance',
      name: 'no-production-deletes',
      words: 'delete_* at risk L3 and up when environment is "production"',
      asks: 'deny',
      place: 'governance.yaml:4',
    },
    {
      source: 'governance',
      name: 'unverified-recipients',
      words: 'transfer_* when recipient.verified is not true',
      asks: 'review',
      place: 'governance.yaml:12',
    },
    {
      source: 'tool',
      name: 'transfer_money',
      words:
        'asks when amount is over 10000 and currency is "USD", or recipient_type is "external"',
      asks: 'review',
      risk: 'L4',
      place: 'countersign.yaml:9',
      call: { kind: 'tool', tool: 'transfer_money' },
    },
    {
      source: 'server',
      name: 'files',
      words: 'always asks; only what is listed may be called',
      asks: 'confirm',
      place: 'countersign.yaml:24',
    },
    {
      source: 'default',
      name: 'gateway',
      words: 'servers that say nothing about approval',
      asks: 'confirm',
    },
  ],
  warnings: [
    {
      place: 'countersign.yaml:31',
      path: 'tools.wipe.approval',
      message: 'approval: false stands on a tool of risk L4',
    },
  ],
  examples: [
    {
      name: 'large transfers need two',
      call: {
        tool: 'transfer_money',
        args: { amount: 9000, currency: 'USD', recipient_type: 'external' },
      },
      expect: 'review',
    },
  ],
}

export const EXPLAINED = {
  verdict: { verdict: 'review', message: 'Approve transfer of $9000?', missing: [], reasons: [] },
  risk: 'L4',
  rules: [
    {
      source: 'tool',
      rule: 'tools.transfer_money.approval.condition[1]',
      place: 'countersign.yaml:9:5',
      answer: 'yes',
      asks: 'review',
      why: undefined,
      values: [
        { group: 0, path: 'amount', wanted: '{ gt: 10000 }', saw: '9000', answer: 'no' },
        { group: 0, path: 'currency', wanted: '"USD"', saw: '"USD"', answer: 'yes' },
        {
          group: 1,
          path: 'recipient_type',
          wanted: '"external"',
          saw: '"external"',
          answer: 'yes',
        },
      ],
    },
    {
      source: 'governance',
      rule: 'unverified-recipients',
      place: 'governance.yaml:12:5',
      answer: 'unknown',
      asks: 'review',
      why: undefined,
      values: [
        {
          group: 0,
          path: 'recipient.verified',
          wanted: '{ ne: true }',
          saw: 'missing',
          answer: 'unknown',
        },
      ],
    },
  ],
  unmatched: 1,
  words: {
    who: [
      'A yes from 1 of group finance and 1 of group security, 2 different people.',
      'Never the requester, the agent or the person it works for.',
    ],
    terms: ['Decide within 8 h', 'A yes can be used for 15 min', 'A no needs a reason'],
  },
} as unknown as ExplainedCall
