import { createGate, parsePolicy } from 'countersign'
import { memoryStore } from 'countersign/memory'
import { expect, onTestFinished, test } from 'vitest'
import { guardTools } from '../../src/adapters/openai-agents/guard-tools.ts'
import { PLAIN } from '../../src/cli/print/colour.ts'
import { changeLines } from '../../src/cli/print/show-tool.ts'
import { PAYLOADS, UNSEEN } from '../corpus-payloads/payloads.ts'

test('B6-07: what a tool says of itself steers no terminal', () => {
  const said = (description: string) => JSON.stringify({ description }, null, 2)
  for (const { text } of PAYLOADS) {
    const change = { from: 'a', to: 'b', before: said('Pays.'), after: said(text) }
    const served = { server: { alias: 'bank' }, tool: { tool: 'pay', change } }
    const lines = changeLines(served as never, PLAIN)
    expect(lines.length).toBeGreaterThan(2)
    expect(lines.join('')).not.toMatch(UNSEEN)
  }
})

test('B6-14: a hosted tool of the OpenAI Agents SDK passes only where it is allowed', () => {
  const store = memoryStore()
  onTestFinished(() => store.close())
  const text = 'version: 1\ntools: { wipe: { approval: true }, search: { approval: false } }\n'
  const gate = createGate({
    policy: parsePolicy({ owner: { file: 'countersign.yaml', text } }),
    store,
  })
  const hosted = (name: string) => ({ type: 'hosted_tool', name, providerData: {} }) as never
  const guard = (name: string) => guardTools(gate, [hosted(name)], { run: 'r' })
  expect(() => guard('wipe')).toThrow(/wipe/)
  expect(guard('search')).toEqual([hosted('search')])
})
