import { hash } from 'node:crypto'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { fillSqlite } from '../bench/growth/fill.ts'
import { recordsOf } from '../src/gate/audit/audit-records.ts'
import { verifyAudit } from '../src/gate/audit/audit-verify.ts'
import { openAuditLog } from '../src/store/sqlite/audit-log.ts'
import { temporaryFolder } from './audit/record.ts'

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')

function kept(): number {
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

/** What verifying holds at the end of a record of this many approvals. */
async function held(
  approvals: number,
): Promise<{ bytes: number; entries: number; told: number[] }> {
  const file = path.join(temporaryFolder(), 'approvals.db')
  await fillSqlite(file, approvals)
  const log = openAuditLog(file, { content: true })
  let bytes = 0
  const told: number[] = []
  const before = kept()
  async function* records() {
    for await (const record of recordsOf(log, { at: Date.now(), rows: true })) {
      // The rows are compared after all entries, with everything that is known of them.
      if (record.kind === 'row' && bytes === 0) bytes = kept() - before
      yield record
    }
  }
  const report = await verifyAudit(records, {
    hash: (text) => hash('sha256', text),
    progress: (entries) => told.push(entries),
  })
  await log.close()
  expect(report.problem).toBeUndefined()
  return { bytes, entries: report.entries, told }
}

test('verifying holds a few dozen bytes of each entry, and says how far it is', async () => {
  // Once for what is compiled and cached.
  await held(100)
  const small = await held(500)
  const large = await held(5_000)
  expect(small.entries).toBeGreaterThan(1_900)
  expect(large.entries).toBeGreaterThan(19_000)
  const each = (large.bytes - small.bytes) / (large.entries - small.entries)
  expect(each).toBeLessThan(64)
  expect(small.told).toEqual([])
  expect(large.told).toEqual([10_000, 20_000])
}, 120_000)
