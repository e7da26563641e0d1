import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { PolicyDocument } from '../document.ts'
import { formatMistake, loadOwner, type OwnerOptions } from './load.ts'

const HEAD = 'schema_version: "1.0.0"\nmetadata: { id: helper }\n'

function load(text: string, options?: OwnerOptions) {
  return loadOwner({ file: 'a.agf.yaml', text: HEAD + text }, options)
}

function read(text: string): PolicyDocument {
  const loaded = load(text)
  if (!loaded.ok) throw new Error(loaded.mistakes.map(formatMistake).join('\n'))
  return loaded.document
}

function refused(text: string, options?: OwnerOptions): string[] {
  const loaded = load(text, options)
  return loaded.ok ? [] : loaded.mistakes.map(({ kind, path: at }) => `${kind} ${at}`)
}

test('a complete file gives the agent, its tools, servers and agents', () => {
  const file = path.resolve(
    import.meta.dirname,
    '../../../test/corpus/good/agent-format-complete.agf.yaml',
  )
  const loaded = loadOwner({ file, text: readFileSync(file) })
  if (!loaded.ok) throw new Error(loaded.mistakes.map(formatMistake).join('\n'))
  const { document } = loaded
  expect(document.agentId).toBe('financial_analyst_v2')
  expect(document.tools.get('execute_trade')?.approval?.rule).toBe(
    'action_space.local_tools.execute_trade.approval',
  )
  expect(document.tools.get('get_quote')?.approval?.asks).toBe('never')
  const ledger = document.servers.get('ledger')
  expect(ledger?.rule).toBe('action_space.mcp_servers.ledger')
  expect([...(ledger?.allowed?.keys() ?? [])]).toEqual(['read_book', 'post_entry'])
  expect(ledger?.allowed?.get('post_entry')?.approval?.rule).toBe(
    'action_space.mcp_servers.ledger.allowed_tools.post_entry.approval',
  )
  expect(document.localAgents.get('reporter')?.rule).toBe('action_space.local_agents.reporter')
  const broker = document.remoteAgents.get('broker')
  expect(broker?.allowed?.get('process-payment')?.approval?.rule).toBe(
    'action_space.remote_agents.broker.allowed_skills.process-payment.approval',
  )
  expect(document.warnings.map(({ kind }) => kind)).toEqual(['policy_not_here'])
})

test('an unknown key beside the published ones is ignored, a misspelt one is not', () => {
  expect(refused('telemetry: { on: true }\nx-any: 1\n')).toEqual([])
  expect(refused('constraint: { tighten_only_invariant: false }\n')).toEqual([
    'unknown_key constraint',
  ])
  expect(refused('Action-Space: {}\n')).toEqual(['unknown_key Action-Space'])
})

test('sections that are not read may hold what they like, null too', () => {
  expect(refused('interface:\n  input: { default: null, enum: [1, ~] }\nmemory:\n')).toEqual([])
})

test.each([
  ['local_tools', 'aproval'],
  ['mcp_servers', 'aproval'],
  ['local_agents', 'aproval'],
  ['remote_agents', 'aproval'],
  ['mcp_servers', 'timeout'],
])('a slip in %s is never silent: %s', (list, key) => {
  const text = `action_space: { ${list}: [{ alias: a, ${key}: true }] }\n`
  expect(refused(text)).toEqual([`unknown_key action_space.${list}[0].${key}`])
})

test('vendor keys are ignored where the schema is open', () => {
  const { tools } = read(
    'action_space: { local_tools: [{ alias: a, x-team: b, approval: true }] }\n',
  )
  expect(tools.get('a')?.approval?.asks).toBe('when')
})

test('both spellings of the lists are read', () => {
  const { servers, remoteAgents } = read(`
action_space:
  mcp_servers: [{ alias: a, allow_tools: [x] }, { alias: b, allowed_tools: [y] }]
  remote_agents: [{ alias: c, allow_skills: [x] }, { alias: d, allowed_skills: [y] }]
`)
  expect([...(servers.get('a')?.allowed?.keys() ?? [])]).toEqual(['x'])
  expect([...(servers.get('b')?.allowed?.keys() ?? [])]).toEqual(['y'])
  expect([...(remoteAgents.get('c')?.allowed?.keys() ?? [])]).toEqual(['x'])
  expect([...(remoteAgents.get('d')?.allowed?.keys() ?? [])]).toEqual(['y'])
})

test('a required policy must be at hand', () => {
  const text = 'constraints: { governance_policies: [{ policy_ref: example.pay }] }\n'
  const at = 'policy_not_here constraints.governance_policies[0].policy_ref'
  expect(refused(text)).toEqual([at])
  expect(refused(text, { knownPolicies: new Set(['other']) })).toEqual([at])
  expect(refused(text, { knownPolicies: new Set(['example.pay']) })).toEqual([])
})

test('nothing in the file can loosen governance', () => {
  expect(refused('constraints: { tighten_only_invariant: true }\n')).toEqual([])
  expect(refused('constraints: { tighten_only_invariant: false }\n')).toEqual([
    'loosens constraints.tighten_only_invariant',
  ])
})

test('groups are left to be found in governance files', () => {
  const { warnings } = read(
    'action_space: { local_tools: [{ alias: a, approval: { approvers: [{ group: board }] } }] }\n',
  )
  expect(warnings.map(({ kind }) => kind)).toEqual(['group_not_here'])
})
