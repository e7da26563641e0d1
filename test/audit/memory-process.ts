/** Verifies records of two sizes and sends what was held of each: `node --expose-gc FOLDER`. */
import { hash } from 'node:crypto'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fillSqlite } from '../../bench/growth/fill-sqlite.ts'
import { recordsOf } from '../../src/gate/audit/audit-records.ts'
import { verifyAudit } from '../../src/gate/audit/audit-verify.ts'
import { openAuditLog } from '../../src/store/sqlite/audit-log.ts'

export interface Held {
  /** When all entries were read and all rows compared with them. */
  readonly bytes: number
  readonly entries: number
  readonly told: readonly number[]
  readonly ok: boolean
}

/** Buffers are let go of a moment after they were collected. */
async function kept(): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.()
    await sleep(20)
  }
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

async function held(file: string): Promise<Held> {
  const log = openAuditLog(file, { content: true })
  let bytes = 0
  const told: number[] = []
  const before = await kept()
  async function* records() {
    for await (const record of recordsOf(log, { at: Date.now(), rows: true })) {
      if (record.kind === 'end') bytes = (await kept()) - before
      yield record
    }
  }
  const { ok, entries } = await verifyAudit(records, {
    hash: (text) => hash('sha256', text),
    progress: (count) => told.push(count),
  })
  await log.close()
  return { bytes, entries, told, ok }
}

const [, , folder = ''] = process.argv
const [one, ten] = [path.join(folder, 'one.db'), path.join(folder, 'ten.db')] as const
await fillSqlite(one, 500)
await fillSqlite(ten, 5_000)
// Once for what is compiled and cached.
await held(one)
process.send?.([await held(one), await held(ten)])
process.disconnect()
