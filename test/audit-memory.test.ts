import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Held } from './audit/memory-process.ts'
import { temporaryFolder } from './audit/record.ts'

test('verifying holds nothing of entries and approvals, and says how far it is', async () => {
  // A process of its own: what a test runner keeps meanwhile would be counted as well.
  const script = path.join(import.meta.dirname, 'audit/memory-process.ts')
  const execArgv = ['--expose-gc', '--disable-warning=ExperimentalWarning']
  const measuring = fork(script, [temporaryFolder()], { execArgv })
  const [[small, large]] = (await once(measuring, 'message')) as [[Held, Held]]
  expect([small.ok, large.ok]).toEqual([true, true])
  expect(small.entries).toBeGreaterThan(1_900)
  expect(large.entries).toBeGreaterThan(19_000)
  // Of an entry, 16 bytes would be seen; grants and what a process keeps take a few.
  const more = large.bytes - small.bytes
  expect(more / (large.entries - small.entries)).toBeLessThan(16)
  expect(small.told).toEqual([])
  expect(large.told).toEqual([10_000, 20_000])
}, 300_000)
