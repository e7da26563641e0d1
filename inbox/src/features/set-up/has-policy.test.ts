import { expect, test } from 'vitest'
import { combinePolicy } from '../../../../src/policy/load/combine.ts'
import { loadOwner } from '../../../../src/policy/load/load.ts'
import { statusOf } from '../../../../src/server/policy/status.ts'
import { hasPolicy } from './has-policy.ts'

function status(text: string | undefined, isInCode = false) {
  const loaded = text === undefined ? undefined : loadOwner({ file: 'countersign.yaml', text })
  const owner = loaded?.ok ? loaded.document : undefined
  const file = { file: 'countersign.yaml', role: 'owner', state: 'active' } as const
  return statusOf({
    version: '1',
    loadedAt: new Date(0),
    policy: combinePolicy(owner ? { owner } : {}),
    documents: owner ? [owner] : [],
    warnings: [],
    files: () => (owner && !isInCode ? [file] : []),
  })
}

test('a server without a policy still has one to write', () => {
  expect(hasPolicy(status(undefined))).toBe(false)
  expect(hasPolicy(status('version: 1\ndefaults: { undeclared: review }\n'))).toBe(true)
  expect(hasPolicy(status('version: 1\ntools: { pay: { approval: true } }\n', true))).toBe(true)
})
