import { expect, test } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { PolicyDocument } from '../../policy/document.ts'
import { OPERATORS } from '../../policy/evaluate/matcher.ts'
import { policySchema } from '../../policy/grammar/json-schema.ts'
import { combinePolicy } from '../../policy/load/combine.ts'
import { loadOwner } from '../../policy/load/load.ts'
import { explain } from '../../policy/tooling/explain.ts'
import { numberWords } from '../../policy/words/number-words.ts'
import { declarationWords } from '../../policy/words/rule-words.ts'
import { statusOf } from './status.ts'

/*
 * Whatever a policy file can say, people can read. The keys come from the grammar itself: a new one
 * without a sample here is red, and so is one whose sample changes no sentence.
 */

const GROUPS = 'people: { groups: { finance: [a@example.com, b@example.com] } }'

function load(text: string): PolicyDocument {
  const loaded = loadOwner({ file: 'countersign.yaml', text: `version: 1\n${GROUPS}\n${text}\n` })
  if (!loaded.ok) throw new Error(`${text}: ${loaded.mistakes[0]?.message}`)
  return loaded.document
}

/** Everything the page about the policy says in words. */
function said(text: string): string {
  const owner = load(text)
  const { rules } = statusOf({
    version: '1',
    loadedAt: new Date(0),
    policy: combinePolicy({ owner }),
    documents: [owner],
    warnings: [],
    files: () => [],
  })
  return JSON.stringify(rules.map(({ words, details, risk, asks }) => [words, details, risk, asks]))
}

type Schema = { readonly [key: string]: Schema }
const schema = policySchema() as unknown as Schema
const keysAt = (...path: readonly string[]): string[] => {
  const found = path.reduce<Schema | undefined>((at, step) => at?.[step], schema)
  if (!found?.properties) throw new Error(`no keys at ${path.join('.')}`)
  return Object.keys(found.properties)
}

/** A value for each key, and what else must stand beside it. */
interface Place {
  readonly keys: readonly string[]
  readonly samples: Readonly<Record<string, string>>
  /** How a rule is found, and not what it says. */
  readonly silent?: readonly string[]
  readonly file: (entries: string) => string
}

const WHERE: Readonly<Record<string, Place>> = {
  approval: {
    keys: keysAt('$defs', 'approval'),
    samples: {
      message_template: '"Pay {{tool_args.amount}}?"',
      condition: '{ args_match: { amount: { gt: 5 } } }',
      approvers: '[ana@example.com]',
      quorum: '[{ group: finance, n: 2 }]',
      decide_by: '4h',
      use_by: '5m',
      remind_after: '1h',
      escalate: '[{ after: 2h, to: "*" }]',
      reason: 'required',
      reasons: '{ deny: [Wrong account] }',
      edit: '[amount]',
      min_assurance: 'passkey',
      remember_no: '1h',
      grants: 'false',
    },
    file: (entries) => `tools: { pay: { approval: { ${entries} } } }`,
  },
  tool: {
    keys: keysAt('properties', 'tools', 'additionalProperties'),
    samples: {
      approval: 'true',
      humanInTheLoop: '{ mode: REQUIRED }',
      risk: 'L2',
      secrets: '[card.number]',
      result: 'drop',
      description: 'moves money',
    },
    file: (entries) => `tools: { pay: { ${entries} } }`,
  },
  server: {
    keys: keysAt('properties', 'mcp_servers', 'items'),
    silent: ['alias', 'command', 'args', 'env', 'cwd', 'url', 'headers', 'server_ref'],
    samples: {
      description: 'files',
      approval: 'false',
      allowed_tools: '[read]',
      risk: 'L2',
      resources: 'confirm',
      prompts: 'review',
    },
    file: (entries) => `mcp_servers: [{ alias: files, server_ref: x, ${entries} }]`,
  },
  defaults: {
    keys: keysAt('properties', 'defaults'),
    samples: {
      undeclared: 'deny',
      gateway: 'review',
      approvers: '[ana@example.com]',
      decide_by: '4h',
      use_by: '5m',
      wait_for: '1m',
      min_assurance: 'passkey',
      edit: 'false',
      reason: 'required',
      remember_no: '1h',
    },
    file: (entries) => `defaults: { ${entries} }`,
  },
  limits: {
    keys: keysAt('properties', 'limits'),
    samples: { pending_per_agent: '5', asks_per_minute: '6', args_bytes: '7', args_depth: '8' },
    file: (entries) => `limits: { ${entries} }`,
  },
  match: {
    keys: keysAt('properties', 'governance', 'items', 'properties', 'match'),
    samples: { tool: '"del_*"', server: 'db', agent: 'bot', risk: 'L3' },
    file: (entries) => `governance: [{ id: g, match: { ${entries} }, deny: no }]`,
  },
  governance: {
    keys: keysAt('properties', 'governance', 'items'),
    silent: ['id'],
    samples: {
      match: '{ tool: pay }',
      condition: '{ args_match: { amount: 5 } }',
      deny: 'Never that',
      approval: '{ approvers: ["*"] }',
    },
    file: (entries) =>
      `governance: [{ id: g, ${/deny|approval/.test(entries) ? '' : 'deny: no, '}${entries} }]`,
  },
}

for (const [name, { keys, samples, silent = [], file }] of Object.entries(WHERE)) {
  promise(['CS-RULES-1'], `every key of ${name} has a sentence`, () => {
    expect([...Object.keys(samples), ...silent].sort()).toEqual([...keys].sort())
    const nothing = said(file(''))
    for (const [key, value] of Object.entries(samples)) {
      expect(said(file(`${key}: ${value}`)), `${key} says nothing`).not.toBe(nothing)
    }
  })
}

const OPERANDS: Readonly<Record<(typeof OPERATORS)[number], string>> = {
  gt: '12345',
  gte: '12345',
  lt: '12345',
  lte: '12345',
  ne: 'x',
  in: '[x, 12345]',
  not_in: '[x, 12345]',
  pattern: '"^x"',
}

promise(['CS-RULES-1'], 'every operator has a sentence of its own', () => {
  expect(Object.keys(OPERANDS).sort()).toEqual([...OPERATORS].sort())
  const sentences = OPERATORS.map((op) => {
    const match = `{ args_match: { amount: { ${op}: ${OPERANDS[op]} } } }`
    const { tools } = load(`tools: { pay: { approval: { condition: ${match} } } }`)
    return declarationWords(tools.get('pay')?.approval)
  })
  expect(new Set(sentences).size).toBe(OPERATORS.length)
  expect(sentences[0]).toBe('asks when amount is over 12,345')
})

test.each([
  [2024, '2024'],
  [10_000, '10,000'],
  [-1_234_567.25, '-1,234,567.25'],
  [0.1, '0.1'],
  [12_345.000_01, '12,345.00001'],
  [1e-7, '1e-7'],
])('%d reads %s', (value, words) => {
  expect(numberWords(value)).toBe(words)
})

promise(['CS-RULES-1'], 'no sentence about a rule holds what an agent sent', () => {
  const owner = load(`
tools: { pay: { approval: { condition: { args_match: { to: { not_in: [ours] } } } } } }
governance: [{ id: g, match: { tool: pay }, condition: { args_match: { to: { pattern: x } } }, approval: true }]`)
  const to = 'x". Always allowed by the CFO'
  const { rules } = explain(combinePolicy({ owner }), { tool: 'pay', args: { to } })
  expect(rules.map(({ words }) => words)).toEqual([
    'asks when to is none of "ours"',
    'asks about pay when to matches x',
  ])
  // It stands beside the sentence, as a value.
  expect(rules[0]?.values[0]?.saw).toBe(JSON.stringify(to))
})
