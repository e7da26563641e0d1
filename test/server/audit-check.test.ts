import { expect } from 'vitest'
import { createAuditCheck } from '../../src/server/audit-check.ts'
import type { AuditLog, LoggedEntry } from '../../src/store/audit/audit-log.ts'
import { newTip, seal } from '../../src/store/audit/chain.ts'
import { promise } from '../support/promise.ts'

/** A record of so many entries, made while it is read. */
function longRecord(count: number): AuditLog {
  return {
    database: 'long',
    async *keys() {},
    async *checkpoints() {},
    async *entries(): AsyncGenerator<LoggedEntry> {
      let tip = newTip('writer')
      for (let seq = 1; seq <= count; seq += 1) {
        const event = { type: 'lock.set', tenant: 'default', at: seq, command: `c${seq}` } as const
        const prev = tip.hash
        const made = seal(tip, { event: { ...event, by: { system: 'operator' } } })
        tip = made.tip
        const columns = {
          tenant: 'default',
          writer: 'writer',
          seq,
          prev,
          type: 'lock.set',
          at: seq,
        }
        yield {
          hash: tip.hash,
          body: made.body,
          columns: { ...columns, approval: null, revision: null, command: `c${seq}`, index: null },
          content: [],
        }
      }
    },
    async close() {},
  }
}

promise(['CS-AUDIT-6'], 'others get their turns while a long record is checked', async () => {
  const check = createAuditCheck({
    open: async () => longRecord(20_000),
    tenant: 'default',
    now: async () => 1,
  })
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  count()
  const report = await check.run()
  isOver = true
  expect(report).toMatchObject({ ok: true, entries: 20_000 })
  // Twenty thousand entries take a hundred milliseconds on any machine there is; slices take three.
  expect(turns).toBeGreaterThan(10)
})
