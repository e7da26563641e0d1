import type { DatabaseSync } from 'node:sqlite'
import { HELD_KINDS } from '../engine/constraints.ts'
import { COUNT_COLUMNS } from '../engine/counts.ts'
import { RANKS } from '../sql/list-sql.ts'
import { prepare } from './connection.ts'
import { prepareGrants } from './grants.ts'

const COLUMNS = 'tenant = ? and id = ?'

/** Everything this store says to SQLite, except lists, which depend on their filter. */
export function prepareAll(db: DatabaseSync) {
  return {
    grants: prepareGrants(db),
    approval: prepare(db, `select id, body, seal from approvals where ${COLUMNS}`),
    approvals: prepare(
      db,
      `select id, body, seal from approvals
       where tenant = ? and id in (select value from json_each(?))`,
    ),
    seal: prepare(db, `select seal from approvals where ${COLUMNS}`),
    approvalByKey: prepare(
      db,
      `select id, body, seal from approvals
       where tenant = ? and agent = ? and run = ? and call_key = ?`,
    ),
    approvalByDigest: prepare(
      db,
      `select id, body, seal from approvals
       where tenant = ? and agent = ? and run = ? and asked_digest = ? and joinable = 1`,
    ),
    tools: prepare(
      db,
      `with recursive known(tool) as (
         select min(tool) from approvals indexed by approvals_counted
         where tenant = ? and due_at is null
         union all
         select (select min(tool) from approvals indexed by approvals_counted
           where tenant = ? and due_at is null and tool > known.tool)
         from known where tool is not null)
       select tool from known where tool is not null`,
    ),
    denied: prepare(
      db,
      `select id, body, seal from approvals indexed by approvals_denied
       where tenant = ? and agent = ? and run = ? and status = 'denied' and tool = ?
       order by asked_digest = ? desc, position desc limit ?`,
    ),
    isDenied: prepare(
      db,
      `select 1 as found from approvals indexed by approvals_denied
       where tenant = ? and agent = ? and run = ? and status = 'denied' and tool = ? limit 1`,
    ),
    lastAsked: prepare(db, 'select coalesce(max(position), 0) as position from approvals'),
    // Of any tenant: positions and times are in one order for all of them.
    askedAt: prepare(
      db,
      'select asked_at from approvals where position >= ? order by position limit 1',
    ),
    counts: prepare(
      db,
      `select ${COUNT_COLUMNS}, count(*) as n from approvals indexed by approvals_counted
       where tenant = ? and tool = ? and due_at is null and asked_at >= ? group by ${COUNT_COLUMNS}`,
    ),
    openTools: prepare(
      db,
      `select distinct tool from approvals indexed by approvals_open
       where tenant = ? and due_at is not null`,
    ),
    openCounts: prepare(
      db,
      `select ${COUNT_COLUMNS}, count(*) as n from approvals indexed by approvals_open
       where tenant = ? and tool = ? and due_at is not null and asked_at >= ?
       group by ${COUNT_COLUMNS}`,
    ),
    held: prepare(
      db,
      `select kind, id, value from records where tenant = ? and kind in (${HELD_KINDS})`,
    ),
    insertApproval: prepare(
      db,
      `insert or rollback into approvals (tenant, id, revision, status, execution, agent, run, call_key,
         asked_digest, joinable, tool, server, risk, asked_at, decide_by, due_at, instance, seal, door,
         body)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    updateApproval: prepare(
      db,
      `update or rollback approvals set revision = ?, status = ?, execution = ?, joinable = ?, decide_by = ?,
         due_at = ?, instance = ?, body = ?, seal = ?
       where ${COLUMNS} and revision = ?`,
    ),
    insertVote: prepare(
      db,
      `insert or rollback into votes (tenant, approval, issuer, subject, digest, verdict, at)
       values (?, ?, ?, ?, ?, ?, ?)`,
    ),
    updateVote: prepare(
      db,
      `update votes set verdict = ?, at = ?
       where tenant = ? and approval = ? and issuer = ? and subject = ? and digest = ?`,
    ),
    insertClaim: prepare(
      db,
      'insert or rollback into claims (tenant, approval, claim, instance, at) values (?, ?, ?, ?, ?)',
    ),
    insertEvent: prepare(
      db,
      `insert or rollback into events (tenant, writer, seq, prev, hash, approval, revision, type, at, command,
         command_index, body)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertContent: prepare(
      db,
      `insert or rollback into content (tenant, approval, key, kind, at, salt, value)
       values (?, ?, ?, ?, ?, ?, ?)`,
    ),
    insertResult: prepare(
      db,
      `insert or rollback into results (tenant, approval, key, kind, at, salt, value)
       values (?, ?, ?, ?, ?, ?, ?)`,
    ),
    load: prepare(
      db,
      `with asked(status, asked_at, id) as (
         select status, asked_at, id from approvals indexed by approvals_open
         where tenant = ? and agent = ? and due_at is not null
         union all
         select a.status, a.asked_at, a.id
         from (values ${RANKS}) as r cross join approvals a indexed by approvals_by_agent
         where a.tenant = ? and a.agent = ? and a.due_at is null and a.risk = r.column1
           and a.position > coalesce((
             select position from approvals indexed by approvals_by_agent
             where tenant = ? and agent = ? and due_at is null and risk = r.column1
               and asked_at <= ? order by position desc limit 1), 0))
       select asked_at as at, count(*) as asked,
         count(*) filter (where status = 'pending') as pending
       from asked where (status = 'pending' or asked_at > ?)
         and not exists (select 1 from grant_uses u where u.tenant = ? and u.approval = asked.id)
       group by asked_at order by asked_at`,
    ),
    isChannelOpen: prepare(
      db,
      'select 1 as found from channels where tenant = ? and problem is null and seen_at > ? limit 1',
    ),
    insertNotice: prepare(
      db,
      `insert into notices (tenant, channel, id, approval, kind, revision, at, due_at)
       select tenant, name, ?, ?, ?, ?, ?, ? from channels
       where tenant = ? and problem is null and seen_at > ?
         and (kinds is null or exists (select 1 from json_each(kinds) where value = ?))`,
    ),
    content: prepare(
      db,
      `select key, kind, value from content where tenant = ? and approval = ?
       union all
       select key, kind, value from results where tenant = ? and approval = ? and at > ?`,
    ),
    contentOfKinds: prepare(
      db,
      `select approval, key, kind, value from content
       where tenant = ? and approval in (select value from json_each(?))
         and kind in (select value from json_each(?))
       union all
       select approval, key, kind, value from results
       where tenant = ? and approval in (select value from json_each(?))
         and kind in (select value from json_each(?)) and at > ?`,
    ),
    eventsOf: prepare(
      db,
      'select body, hash from events where tenant = ? and approval = ? order by position',
    ),
    eventsOfCommand: prepare(
      db,
      `select body, hash from events
       where tenant = ? and approval = ? and command = ? order by command_index`,
    ),
    newestPolicyEvent: prepare(
      db,
      `select body, hash from events
       where tenant = ? and type in ('policy.loaded', 'policy.applied')
       order by position desc limit 1`,
    ),
    changedSince: prepare(
      db,
      'select position, approval, type from events where position > ? order by position limit 1000',
    ),
    recordedAt: prepare(db, 'select at from events where position >= ? order by position limit 1'),
    lastPosition: prepare(db, 'select coalesce(max(position), 0) as position from events'),
    lastEvent: prepare(db, 'select position, hash, at from events order by position desc limit 1'),
    history: prepare(
      db,
      `select database, (select hash from events order by position desc limit 1) as hash from identity`,
    ),
    eventAt: prepare(db, 'select hash from events where position = ?'),
    headAt: prepare(db, 'select hash from events where writer = ? and seq = ?'),
    due: prepare(
      db,
      `select a.id, a.body, a.seal, i.seen_at from approvals a indexed by approvals_open
       left join instances i on i.id = a.instance
       where a.tenant = ? and a.due_at is not null and a.due_at <= ?
         and (a.instance is null or coalesce(i.seen_at, 0) < ?)
       order by a.due_at limit ?`,
    ),
    register: prepare(
      db,
      `insert into instances (id, tenant, started_at, seen_at, newest_at) values (?, ?, ?, ?, ?)`,
    ),
    heartbeat: prepare(
      db,
      'update instances set seen_at = ?, newest_at = ?, stopped_at = null where id = ?',
    ),
    stop: prepare(db, 'update instances set stopped_at = ?, newest_at = ? where id = ?'),
    linked: prepare(db, 'update instances set linked_seq = ? where id = ?'),
    instances: prepare(
      db,
      `select id, started_at, seen_at, stopped_at from instances
       where tenant = ? order by started_at desc, id limit 1000`,
    ),
    newestOfInstances: prepare(db, 'select coalesce(max(newest_at), 0) as at from instances'),
    unlinked: prepare(
      db,
      `select i.id as writer, e.seq, e.hash from instances i
       join events e on e.writer = i.id
         and e.seq = (select max(seq) from events where writer = i.id)
       where i.tenant = ? and i.id <> ? and exists (
         select 1 from events where writer = i.id and seq > i.linked_seq and type not like 'chain.%'
       )
       order by i.id limit 64`,
    ),
    dataVersion: prepare(db, 'pragma data_version'),
    identity: prepare(db, 'select database, place, has_head from identity'),
    insertIdentity: prepare(
      db,
      'insert into identity (one_row, database, place, created_at) values (1, ?, ?, ?)',
    ),
    updateIdentity: prepare(db, 'update identity set database = ?, place = ?, has_head = 0'),
    setPlace: prepare(db, 'update identity set place = ?'),
    setWritten: prepare(db, 'update identity set written_at = ?'),
    setHasHead: prepare(db, 'update identity set has_head = 1'),
    quarantineAll: prepare(
      db,
      `insert or ignore into quarantines (tenant, at, reason)
       select tenant, ?, ? from (select tenant from approvals union select tenant from grants)`,
    ),
    quarantineOne: prepare(
      db,
      'insert or ignore into quarantines (tenant, at, reason) values (?, ?, ?)',
    ),
    quarantine: prepare(
      db,
      'select at, reason, done_at from quarantines where tenant = ? order by at desc limit 1',
    ),
    endQuarantines: prepare(
      db,
      'update quarantines set done_at = ? where tenant = ? and done_at is null',
    ),
    live: prepare(
      db,
      `select id from approvals a
       where tenant = ? and execution is null and id > ? and (status = 'approved' or (
         status = 'pending' and exists (
           select 1 from votes v where v.tenant = a.tenant and v.approval = a.id)))
       order by id limit 64`,
    ),
  }
}

export type Statements = ReturnType<typeof prepareAll>
