import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { expect, test } from 'vitest'
import type { Held } from './audit/memory-process.ts'
import { temporaryFolder } from './audit/record.ts'

test('verifying holds a few dozen bytes of each entry, and says how far it is', async () => {
  // A process of its own: what a test runner keeps meanwhile would be counted as well.
  const script = path.join(import.meta.dirname, 'audit/memory-process.ts')
  const execArgv = ['--expose-gc', '--disable-warning=ExperimentalWarning']
  const measuring = fork(script, [temporaryFolder()], { execArgv })
  const [[small, large]] = (await once(measuring, 'message')) as [[Held, Held]]
  expect([small.ok, large.ok]).toEqual([true, true])
  expect(small.entries).toBeGreaterThan(1_900)
  expect(large.entries).toBeGreaterThan(19_000)
  const each = (large.bytes - small.bytes) / (large.entries - small.entries)
  expect(each).toBeLessThan(64)
  expect(small.told).toEqual([])
  expect(large.told).toEqual([10_000, 20_000])
}, 120_000)
