import type { Pool } from 'pg'
import { NOTICE_KINDS } from '../../approval/transition.ts'
import { isCountersignError } from '../../base/errors.ts'
import { NOTICES_SHOWN, type Outbox, problemText } from '../outbox.ts'
import { outboxRows } from '../sql/outbox-rows.ts'
import { firstOf, numberOf, type Row, textOf, unavailable } from './connect.ts'
import { CLOCK, transaction } from './open.ts'

const COLUMNS = 'channel, id, approval, kind, revision, at, attempts, due_at, problem'

export function createOutbox({ pool, tenant }: { pool: Pool; tenant: string }): Outbox {
  async function query(sql: string, values: readonly unknown[]) {
    try {
      return await pool.query<Row>(sql, [tenant, ...values])
    } catch (error) {
      throw isCountersignError(error) ? error : unavailable(error)
    }
  }

  return {
    async open(channel, kinds) {
      await query(OPEN, [channel, kinds ?? NOTICE_KINDS])
    },
    async shut(channel, problem) {
      await transaction(pool, async (client) => {
        const values = [tenant, channel, problemText(problem)]
        await client.query(SHUT, values)
        await client.query(STICK_ALL, values)
      })
    },
    async take(channels, { limit, lease, patience }) {
      const { rows } = await query(TAKE, [channels, limit, lease, patience ?? null])
      return rows.map(read.notice)
    },
    async settle({ channel, id, attempts }, end) {
      const own = [channel, id, attempts]
      const { rowCount } =
        end.end === 'done'
          ? await query(DONE, own)
          : await query(LATER, [
              ...own,
              end.end === 'later' ? end.after : null,
              problemText(end.problem),
            ])
      return rowCount === 1
    },
    async summary() {
      const counts = firstOf(await query(COUNTS, []))
      return {
        waiting: numberOf(counts, 'waiting'),
        stuck: numberOf(counts, 'stuck'),
        channels: (await query(CHANNELS, [])).rows.map(read.channel),
        notices: (await query(NOTICES, [])).rows.map(read.state),
      }
    },
    async retry() {
      return (await query(RETRY, [])).rowCount ?? 0
    },
  }
}

const read = outboxRows<Row>({ text: textOf, integer: numberOf })

const OPEN = `
  insert into countersign.channels as c (tenant, name, seen_at, kinds) values ($1, $2, ${CLOCK}, $3)
  on conflict (tenant, name) do update set seen_at = excluded.seen_at, problem = null,
    kinds = case when c.kinds is null then excluded.kinds
      else array(select distinct unnest(c.kinds || excluded.kinds)) end`

const SHUT = 'update countersign.channels set problem = $3 where tenant = $1 and name = $2'

const STICK_ALL = `
  update countersign.notices set due_at = null, problem = $3 where tenant = $1 and channel = $2`

/** For what may be undone by a power cut, and is sent once more then: it waits for no disk. */
const UNSYNCED = "with unsynced as (select set_config('synchronous_commit', 'off', true) as level)"

// Rows that another server takes at this moment are left to it.
const TAKE = `
  ${UNSYNCED}
  update countersign.notices n set due_at = ${CLOCK} + $4::bigint, attempts = attempts + 1
  from (
    select position from countersign.notices o
    where tenant = $1 and channel = any($2) and due_at <= ${CLOCK} and not exists (
      select 1 from countersign.notices e where e.tenant = o.tenant and e.channel = o.channel
        and e.approval = o.approval and e.position < o.position and e.due_at is not null
        and ($5::bigint is null or (e.problem is null
          and (e.attempts = 0 or e.due_at > ${CLOCK} + $4::bigint - $5::bigint))))
    order by position limit $3 for update skip locked
  ) due, unsynced
  where n.position = due.position
  returning ${COLUMNS}`

const OWN = 'tenant = $1 and channel = $2 and id = $3 and attempts = $4'

const DONE = `${UNSYNCED} delete from countersign.notices using unsynced where ${OWN}`

const LATER = `
  update countersign.notices set due_at = ${CLOCK} + $5::bigint, problem = $6 where ${OWN}`

const RETRY = `
  update countersign.notices set due_at = ${CLOCK}, attempts = 0
  where tenant = $1 and due_at is null`

const COUNTS = `
  select count(due_at) as waiting, count(*) - count(due_at) as stuck
  from countersign.notices where tenant = $1`

const CHANNELS = `
  select c.name, c.seen_at, c.problem, count(n.due_at) as waiting,
    count(n.id) - count(n.due_at) as stuck
  from countersign.channels c
  left join countersign.notices n on n.tenant = c.tenant and n.channel = c.name
  where c.tenant = $1 group by c.tenant, c.name order by c.name`

const NOTICES = `
  select ${COLUMNS} from countersign.notices where tenant = $1
  order by position limit ${NOTICES_SHOWN}`
