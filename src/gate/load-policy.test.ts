import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { promise } from '../../test/support/promise.ts'
import { verdictWord } from '../policy/evaluate/evaluate.ts'
import { definePolicy } from '../policy/load/define-policy.ts'
import { loadPolicy } from './load-policy.ts'

function folder(files: Readonly<Record<string, string>>): (name: string) => string {
  const made = mkdtempSync(path.join(tmpdir(), 'countersign-policy-'))
  onTestFinished(() => rmSync(made, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(made, name), text)
  return (name) => path.join(made, name)
}

const pay = { tool: 'pay', args: { amount: 5 } }

promise(
  ['CS-API-1'],
  'loadPolicy reads the owner’s file, and governance that tightens',
  async () => {
    const at = folder({
      'countersign.yaml': 'version: 1\ntools: { pay: { approval: false } }\n',
      'company.yaml':
        'version: 1\ngovernance: [{ id: money, match: { tool: pay }, deny: "No." }]\n',
    })
    const own = await loadPolicy(at('countersign.yaml'))
    expect(verdictWord(own, pay)).toBe('allow')
    const governed = await loadPolicy([at('countersign.yaml'), at('company.yaml')])
    expect(verdictWord(governed, pay)).toBe('deny')
  },
)

promise(['CS-API-1'], 'loadPolicy names the file, the line and what to do', async () => {
  const at = folder({ 'countersign.yaml': 'version: 1\ntools:\n  pay: { aproval: true }\n' })
  const missing = loadPolicy(at('other.yaml'))
  await expect(missing).rejects.toMatchObject({ code: 'policy_unreadable' })
  await expect(missing).rejects.toThrow('other.yaml cannot be read')
  const mistaken = loadPolicy(at('countersign.yaml'))
  await expect(mistaken).rejects.toMatchObject({ code: 'policy_invalid' })
  await expect(mistaken).rejects.toThrow(/countersign\.yaml:3:\d+.*aproval/s)
  await expect(loadPolicy([] as never)).rejects.toMatchObject({ code: 'usage' })
  await expect(loadPolicy('')).rejects.toMatchObject({ code: 'usage' })
  await expect(loadPolicy(undefined as never)).rejects.toMatchObject({ code: 'usage' })
})

promise(['CS-API-1'], 'definePolicy means what the same file means', () => {
  const policy = definePolicy({
    people: { groups: { finance: ['ana@example.com'] } },
    tools: {
      pay: {
        approval: {
          condition: { args_match: { amount: { gt: 10 } } },
          approvers: [{ group: 'finance' }],
        },
      },
    },
    defaults: { undeclared: 'deny' },
  })
  expect(verdictWord(policy, pay)).toBe('allow')
  expect(verdictWord(policy, { tool: 'pay', args: { amount: 11 } })).toBe('review')
  expect(verdictWord(policy, { tool: 'other', args: {} })).toBe('deny')
})

test('a mistake in definePolicy is named by its path', () => {
  const wrong = () => definePolicy({ tools: { pay: { aproval: true } as never } })
  expect(wrong).toThrow(/tools\.pay.*aproval|aproval/s)
  expect(() => definePolicy({ tols: {} })).toThrow(/tols/)
})
