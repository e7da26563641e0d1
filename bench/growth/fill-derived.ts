import type { DatabaseSync } from 'node:sqlite'
import { isApprovalEvent } from '../../src/store/audit/chain.ts'
import { createCursors } from '../../src/store/engine/cursor.ts'
import type { Plan } from '../../src/store/engine/plan.ts'
import { type BlockRow, blockPrefixes } from '../../src/store/search/block.ts'
import { BLOCK } from '../../src/store/search/search.ts'
import { added, additionsOf } from '../../src/store/statistics/count.ts'
import { type Counter, countsText, dayOf } from '../../src/store/statistics/statistics.ts'
import { TENANT } from './history.ts'

/*
 * The index for searching and the counters by day. A store makes both in the background from what is
 * recorded, a little at a time; here they are made by the same code while the rows are at hand.
 */

export function createDerived(db: DatabaseSync) {
  const addBlock = db.prepare('insert into search_blocks (id, words) values (?, ?)')
  const addCounter = db.prepare(
    'insert into statistics (tenant, day, dimension, key, counts) values (?, ?, ?, ?, ?)',
  )
  // The first of a database has number 1; its blocks are numbered from 2^32 on.
  const firstBlock = 2 ** 32
  let block: BlockRow[] = []
  let position = 0
  let events = 0
  let day = -1
  let additions: ReturnType<typeof additionsOf> = []
  let until = 0

  function endDay(): void {
    for (const one of added([], additions)) write(one)
    additions = []
  }

  function write({ day, dimension, key, counts }: Counter): void {
    addCounter.run(TENANT, day, dimension, key, countsText(counts))
  }

  return {
    take({ writes, content, entries }: Plan): void {
      const questions = Map.groupBy(
        content.filter(({ kind }) => kind === 'question'),
        ({ approval }) => approval,
      )
      const known = new Map(writes.map(({ after }) => [after.id, after]))
      for (const { row } of writes) {
        position += 1
        const asked = (questions.get(row.id) ?? []).map(({ text }) => text)
        block.push({ body: row.body, questions: asked })
        // Position 0 is never given out, so the first block has one less.
        if ((position + 1) % BLOCK !== 0) continue
        const number = firstBlock + Math.floor(position / BLOCK)
        addBlock.run(number, blockPrefixes(block).join(' '))
        block = []
      }
      for (const { entry } of entries) {
        events += 1
        until = entry.event.at
        if (!isApprovalEvent(entry.event)) continue
        const approval = known.get(entry.event.approval)
        if (!approval) throw new Error('an event of an approval that is not in its batch')
        // A batch is asked at one moment.
        if (dayOf(approval.askedAt) !== day) endDay()
        day = dayOf(approval.askedAt)
        additions.push(...additionsOf(entry.event, approval))
      }
    },
    /** Once every row is there. */
    finish(): void {
      endDay()
      db.exec("insert into search_words (search_words) values ('rebuild')")
      db.prepare(
        'insert into search_tenants (number, tenant, next_block, seen_event) values (1, ?, ?, ?)',
      ).run(TENANT, Math.floor((position + 1) / BLOCK), events)
      const { database } = db.prepare('select database from identity').get() ?? {}
      const cursor = createCursors(String(database), TENANT).write([events])
      db.prepare('insert into statistics_progress (tenant, cursor, until) values (?, ?, ?)').run(
        TENANT,
        cursor,
        until,
      )
    },
  }
}
