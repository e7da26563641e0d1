import type { DatabaseSync } from 'node:sqlite'
import type { NoticeKind } from '../../approval/transition.ts'
import {
  NOTICES_SHOWN,
  type Outbox,
  openKinds,
  overtakenUntil,
  problemText,
  type Taken,
} from '../outbox.ts'
import { outboxRows } from '../sql/outbox-rows.ts'
import { integer, prepare, type Row, text } from './connection.ts'
import type { RecordParts } from './records.ts'

export interface OutboxParts extends RecordParts {
  /** The same for what may be undone by a power cut: it does not wait for the disk. */
  readonly transactUnsynced: RecordParts['transact']
}

export function createOutbox(
  db: DatabaseSync,
  { tenant, clock, transact, transactUnsynced }: OutboxParts,
): Outbox {
  const sql = prepareOutbox(db)
  return {
    open: (channel, given) =>
      transact(() => {
        const kinds = openKinds(readKinds(sql.kinds.get(tenant, channel)), given)
        sql.open.run(tenant, channel, clock(), JSON.stringify(kinds))
      }),
    shut: (channel, problem) =>
      transact(() => {
        sql.shut.run(problemText(problem), tenant, channel)
        sql.stickAll.run(problemText(problem), tenant, channel)
      }),
    async take(channels, options) {
      const { limit, lease } = options
      const due = (now: number, most: number) => {
        const overtaken = overtakenUntil(now, options) ?? null
        return [tenant, JSON.stringify(channels), now, overtaken, overtaken, most] as const
      }
      // Looked at first without the lock: mostly nothing is due, and no writer should wait for that.
      if (!sql.due.get(...due(clock(), 1))) return []
      return transactUnsynced(() => {
        const now = clock()
        const rows = sql.due.all(...due(now, limit))
        for (const row of rows) sql.lease.run(now + lease, integer(row, 'position'))
        return rows.map(readTaken)
      })
    },
    settle({ channel, id, attempts }, end) {
      const own = [tenant, channel, id, attempts] as const
      if (end.end === 'done') return transactUnsynced(() => sql.done.run(...own) === 1)
      return transact(() => {
        const dueAt = end.end === 'later' ? clock() + end.after : null
        return sql.later.run(dueAt, problemText(end.problem), ...own) === 1
      })
    },
    async summary() {
      const channels = sql.channels.all(tenant).map(read.channel)
      const [all] = sql.counts.all(tenant)
      return {
        waiting: all ? integer(all, 'waiting') : 0,
        stuck: all ? integer(all, 'stuck') : 0,
        channels,
        notices: sql.notices.all(tenant).map(read.state),
      }
    },
    retry: () => transact(() => sql.retry.run(clock(), tenant)),
  }
}

function readKinds(row: Row | undefined): readonly NoticeKind[] | undefined {
  if (!row || row.kinds === null) return undefined
  return JSON.parse(text(row, 'kinds')) as NoticeKind[]
}

function readTaken(row: Row): Taken {
  return { ...read.notice(row), attempts: integer(row, 'attempts') + 1 }
}

const read = outboxRows<Row>({ text, integer })

function prepareOutbox(db: DatabaseSync) {
  const columns = 'position, channel, id, approval, kind, revision, at, attempts, due_at, problem'
  const own = 'tenant = ? and channel = ? and id = ? and attempts = ?'
  return {
    open: prepare(
      db,
      `insert into channels (tenant, name, seen_at, kinds) values (?, ?, ?, ?)
       on conflict (tenant, name) do update
       set seen_at = excluded.seen_at, kinds = excluded.kinds, problem = null`,
    ),
    kinds: prepare(db, 'select kinds from channels where tenant = ? and name = ?'),
    shut: prepare(db, 'update channels set problem = ? where tenant = ? and name = ?'),
    stickAll: prepare(
      db,
      'update notices set due_at = null, problem = ? where tenant = ? and channel = ?',
    ),
    due: prepare(
      db,
      `select ${columns} from notices n
       where tenant = ? and channel in (select value from json_each(?))
         and due_at is not null and due_at <= ? and not exists (
           select 1 from notices e where e.tenant = n.tenant and e.channel = n.channel
             and e.approval = n.approval and e.position < n.position and e.due_at is not null
             and (? is null or (e.problem is null and (e.attempts = 0 or e.due_at > ?))))
       order by position limit ?`,
    ),
    lease: prepare(db, 'update notices set due_at = ?, attempts = attempts + 1 where position = ?'),
    done: prepare(db, `delete from notices where ${own}`),
    later: prepare(db, `update notices set due_at = ?, problem = ? where ${own}`),
    retry: prepare(
      db,
      'update notices set due_at = ?, attempts = 0 where tenant = ? and due_at is null',
    ),
    counts: prepare(
      db,
      `select count(due_at) as waiting, count(*) - count(due_at) as stuck
       from notices where tenant = ?`,
    ),
    channels: prepare(
      db,
      `select name, seen_at, problem,
         (select count(due_at) from notices n where n.tenant = c.tenant and n.channel = c.name)
           as waiting,
         (select count(*) - count(due_at) from notices n
          where n.tenant = c.tenant and n.channel = c.name) as stuck
       from channels c where tenant = ? order by name`,
    ),
    notices: prepare(
      db,
      `select ${columns} from notices where tenant = ? order by position limit ${NOTICES_SHOWN}`,
    ),
  }
}
