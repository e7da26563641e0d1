import { expect, test } from 'vitest'
import type { Call } from '../../base/call.ts'
import { evaluate } from '../../policy/evaluate/evaluate.ts'
import { combinePolicy } from '../../policy/load/combine.ts'
import { loadOwner } from '../../policy/load/load.ts'
import { statusOf } from './status.ts'

const ENTRIES = `
tools:
  plain: {}
  safe: { risk: L0 }
  risky: { risk: L3 }
  free: { approval: false }
  asked: { approval: true }
  named: { approval: { approvers: [ana@example.com] } }
mcp_servers:
  - { alias: quiet, server_ref: a, allowed_tools: [one, { name: two, approval: true }] }
  - { alias: loud, server_ref: b, approval: true, allowed_tools: [one, { name: two, approval: false }] }
local_agents:
  - { alias: helper }
  - { alias: asking, approval: true }
remote_agents:
  - { alias: far, url: "https://far.example.com", allowed_skills: [sum] }
  - { alias: wide, url: "https://wide.example.com" }
`

test('groups are listed with their members, or with the claim that says who is one', () => {
  const loaded = loadOwner({
    file: 'countersign.yaml',
    text: 'version: 1\npeople: { groups: { finance: [ana@example.com, bo@example.com], ops: { claim: eng } } }',
  })
  if (!loaded.ok) throw new Error(loaded.mistakes.map(({ message }) => message).join('\n'))
  const owner = loaded.document
  const { groups } = statusOf({
    ...{ version: '1', loadedAt: new Date(0), policy: combinePolicy({ owner }) },
    ...{ documents: [owner], warnings: [], files: () => [] },
  })
  expect(groups).toEqual([
    { name: 'finance', emails: ['ana@example.com', 'bo@example.com'] },
    { name: 'ops', claim: 'eng' },
  ])
})

test.each([
  '{}',
  '{ undeclared: deny }',
  '{ undeclared: review, gateway: allow }',
  '{ gateway: review }',
  '{ approvers: [cfo@example.com] }',
  '{ approvers: [cfo@example.com], gateway: deny, undeclared: confirm }',
])('with defaults %s, each row says what a call to it gets', (defaults) => {
  const loaded = loadOwner({
    file: 'countersign.yaml',
    text: `version: 1\ndefaults: ${defaults}${ENTRIES}`,
  })
  if (!loaded.ok) throw new Error(loaded.mistakes.map(({ message }) => message).join('\n'))
  const owner = loaded.document
  const policy = combinePolicy({ owner })
  const { rules } = statusOf({
    ...{ version: '1', loadedAt: new Date(0), policy, documents: [owner], warnings: [] },
    files: () => [],
  })
  const tried = rules.filter(({ call }) => call !== undefined)
  expect(tried.length).toBeGreaterThan(12)
  for (const { name, call, asks } of tried) {
    const { verdict } = evaluate(policy, { ...call, args: {} } as unknown as Call)
    expect([name, asks]).toEqual([name, verdict])
  }
})
