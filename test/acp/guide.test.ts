import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parsePolicy } from '../../src/policy/load/parse-policy.ts'

test('the policy in the guide of ACP is read without a mistake', () => {
  const page = path.resolve(import.meta.dirname, '../../docs/guides/acp.md')
  const [, text = ''] = /```yaml\n([\s\S]*?)```/.exec(readFileSync(page, 'utf8')) ?? []
  expect(text).toContain('alias: acp')
  expect(() => parsePolicy({ owner: { file: 'countersign.yaml', text } })).not.toThrow()
})
