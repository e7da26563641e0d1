import { expect } from 'vitest'
import { promise } from '../../../test/support/promise.ts'
import type { Approval } from '../../approval/approval.ts'
import { evidenceOf } from './evidence.ts'

promise(['CS-RULES-5'], 'an agent cannot make proposals look at thousands of values', () => {
  const names = Array.from({ length: 3_000 }, (_, n) => `k${n}`)
  const args = Object.fromEntries(names.map((name) => [name, 1]))
  const by = { issuer: 'local', subject: 'ana' }
  const approval = {
    ...{ status: 'denied', askedAt: 0, decidedAt: 9_000, digest: 'd', askedDigest: 'd' },
    decisions: [{ by, verdict: 'deny' }],
  } as unknown as Approval
  const masked = names.slice(0, 1_500).map((name) => [name])
  const found = evidenceOf({ approval, call: { tool: 'pay', args }, masked })
  expect(found?.values.size).toBe(100)
  expect(found?.values.has('k0')).toBe(false)
})
