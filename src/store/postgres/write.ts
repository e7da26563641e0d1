import type { ClientBase, QueryResult } from 'pg'
import type { Approval } from '../../approval/approval.ts'
import { LATELY_MS, type Load } from '../../approval/commands/caps.ts'
import { CountersignError } from '../../base/errors.ts'
import { columnsOf, readEntry } from '../audit/audit.ts'
import type { AuditEntry, Head } from '../audit/audit-entry.ts'
import { HELD_KINDS, type Held, heldOf } from '../engine/constraints.ts'
import { callerOf, type Entry, type Plan } from '../engine/plan.ts'
import { newClaim, voteChanges } from '../engine/votes.ts'
import { CHANNEL_MS } from '../outbox.ts'
import { fromBody } from '../sql/rows.ts'
import { numberOf, type Row, textOf } from './connect.ts'
import { INSERT_GRANTS, INSERT_USES, UPDATE_GRANTS } from './grants.ts'
import { CLOCK } from './open.ts'

type Queries = Pick<ClientBase, 'query'>

export function readApproval(row: Row): Approval {
  return fromBody(textOf(row, 'id'), textOf(row, 'body'), textOf(row, 'seal'))
}

export function readAuditRow(row: Row): AuditEntry {
  return readEntry(textOf(row, 'body'), textOf(row, 'hash'))
}

const LOCKED = `select id, body, seal from countersign.approvals where tenant = $1 and id in`
const IN_ORDER = 'order by id for update'

/** Every approval the entries could touch, locked in the order of their ids. */
export function lockFor(
  client: Queries,
  tenant: string,
  entries: readonly Entry[],
): Promise<QueryResult<Row>> {
  const ids = JSON.stringify([...new Set(entries.map(({ id }) => id))])
  const asked = entries.map(({ command }) => callerOf(command)).filter((one) => one !== undefined)
  if (asked.length === 0) {
    const sql = `${LOCKED} (select json_array_elements_text($2)) ${IN_ORDER}`
    return client.query<Row>(sql, [tenant, ids])
  }
  return client.query<Row>(
    `${LOCKED} (
       select json_array_elements_text($2)
       union select a.id from countersign.approvals a
         join json_to_recordset($3) as c(agent text, run text, key text)
         on a.tenant = $1 and a.agent = c.agent and a.run = c.run and a.call_key = c.key
       union select a.id from countersign.approvals a
         join json_to_recordset($3) as c(agent text, run text, key text, digest text)
         on c.key is null and a.tenant = $1 and a.agent = c.agent and a.run = c.run
           and a.asked_digest = c.digest and a.joinable = 1
     ) ${IN_ORDER}`,
    [tenant, ids, JSON.stringify(asked)],
  )
}

/**
 * Readers of the locks take it shared, writers of the locks take it alone: a lock that is set waits
 * for the claims under way, and every later claim sees it. Always after the rows, because two
 * orders would deadlock.
 */
export function barrier(
  client: Queries,
  tenant: string,
  how: 'shared' | 'alone',
): Promise<QueryResult<Row>> {
  const take = how === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  return client.query<Row>(`select ${take}(hashtextextended($1, 4748))`, [tenant])
}

export const HELD_SQL = `
  select kind, id, value from countersign.records where tenant = $1 and kind in (${HELD_KINDS})`

export function readHeld(rows: readonly Row[]): Held {
  return heldOf(
    rows.map((row) => ({
      kind: textOf(row, 'kind'),
      id: textOf(row, 'id'),
      value: JSON.parse(textOf(row, 'value')) as unknown,
    })),
  )
}

/**
 * One question at a time of an agent that has caps, whatever the server: two that count at once
 * would both find room for the last one.
 */
export function holdAgents(
  client: Queries,
  tenant: string,
  agents: readonly string[],
): Promise<QueryResult<Row>> {
  return client.query<Row>(
    `select pg_advisory_xact_lock(hashtextextended($1 || ' ' || agent, 4749))
     from unnest($2::text[]) agent`,
    [tenant, agents],
  )
}

/** What they have asked already: in a statement of its own, after the lock. */
export function countLoads(
  client: Queries,
  tenant: string,
  agents: readonly string[],
): Promise<QueryResult<Row>> {
  return client.query<Row>(LOADS_SQL, [tenant, agents])
}

export function readLoads(rows: readonly Row[]): Map<string, Load> {
  return new Map(
    rows.map((row) => [
      textOf(row, 'agent'),
      { pending: numberOf(row, 'pending'), lately: numberOf(row, 'lately') },
    ]),
  )
}

const LOADS_SQL = `
  with clock as (select ${CLOCK} - ${LATELY_MS} as since)
  select wanted.agent, count(a.id) filter (where a.status = 'pending') as pending,
    count(a.id) filter (where a.asked_at > since) as lately
  from unnest($2::text[]) as wanted(agent) cross join clock
  left join countersign.approvals a on a.tenant = $1 and a.agent = wanted.agent
    and (a.status = 'pending' or a.asked_at > since) and a.body::json ->> 'grant' is null
  group by wanted.agent`

/** Traces of the same commands, when one of them may have been sent before. */
export function earlierOf(
  client: Queries,
  tenant: string,
  entries: readonly Entry[],
): Promise<QueryResult<Row>> {
  return client.query<Row>(
    `select e.body, e.hash from countersign.events e
     join json_to_recordset($2) as c(approval text, command text)
       on e.tenant = $1 and e.approval = c.approval and e.command = c.command
     order by e.position`,
    [
      tenant,
      JSON.stringify(
        entries.map(({ id, command }) => ({ approval: id, command: command.commandId })),
      ),
    ],
  )
}

export function unlinkedHeads(
  client: Queries,
  tenant: string,
  writer: string,
): Promise<QueryResult<Row>> {
  return client.query<Row>(
    `select i.id as writer, e.seq, e.hash from countersign.instances i
     join lateral (
       select seq, hash from countersign.events where writer = i.id order by seq desc limit 1
     ) e on true
     where i.tenant = $1 and i.id <> $2 and exists (
       select 1 from countersign.events
       where writer = i.id and seq > i.linked_seq and type not like 'chain.%'
     )
     order by i.id limit 64`,
    [tenant, writer],
  )
}

export function readHead(row: Row): Head {
  return { writer: textOf(row, 'writer'), seq: numberOf(row, 'seq'), hash: textOf(row, 'hash') }
}

/** Sends everything a plan writes; resolves when all of it was accepted, and nothing is committed. */
export async function writePlan(
  client: Queries,
  tenant: string,
  plan: Plan,
  reached: () => void = () => {},
): Promise<void> {
  const { writes, content, entries, now } = plan
  const sent: Promise<unknown>[] = []
  const send = (sql: string, rows: readonly unknown[], all: number | 'any' = rows.length) => {
    if (rows.length === 0) return
    const done = client.query(sql, [tenant, JSON.stringify(rows)]).then(({ rowCount }) => {
      if (all !== 'any' && rowCount !== all) {
        throw new CountersignError('internal', `${rowCount} of ${all} rows were written`)
      }
    })
    sent.push(done)
  }

  // A joined call must end before its like begins, so changes go before new approvals.
  const changed = writes.flatMap(({ before, row }) =>
    before ? [{ ...row, was: before.revision }] : [],
  )
  send(UPDATE_APPROVALS, changed)
  send(
    INSERT_APPROVALS,
    writes.flatMap(({ before, row }) => (before ? [] : [row])),
  )
  const votes = writes.map((write) => ({ approval: write.after.id, ...voteChanges(write) }))
  const given = votes.flatMap(({ approval, given }) => given.map((one) => voteRow(approval, one)))
  const turned = votes.flatMap(({ approval, turned }) =>
    turned.map((one) => voteRow(approval, one)),
  )
  send(INSERT_VOTES, given)
  send(UPDATE_VOTES, turned)
  send(
    INSERT_CLAIMS,
    writes.flatMap((write) => {
      const claim = newClaim(write)
      return claim ? [{ approval: write.after.id, ...claim }] : []
    }),
  )
  send(
    UPDATE_GRANTS,
    plan.grants.flatMap(({ before, row }) => (before ? [{ ...row, was: before.revision }] : [])),
  )
  send(
    INSERT_GRANTS,
    plan.grants.flatMap(({ before, row }) => (before ? [] : [row])),
  )
  send(INSERT_USES, plan.uses)
  const stored = content.map((one) => ({ ...one, value: JSON.stringify(one.value), at: now }))
  send(
    insertContent('content'),
    stored.filter(({ kind }) => kind !== 'result'),
  )
  send(
    insertContent('results'),
    stored.filter(({ kind }) => kind === 'result'),
  )
  // As many as channels are open; mostly that is none.
  const sinceThen = { open: now - CHANNEL_MS, due_at: now }
  send(
    INSERT_NOTICES,
    plan.notices.map((notice, place) => ({ ...notice, ...sinceThen, place })),
    'any',
  )
  reached()
  send(
    INSERT_EVENTS,
    entries.map(({ entry: { event, writer, seq, prev, hash }, body }) => {
      const { type, at } = event
      const { index, ...columns } = columnsOf(event)
      return { writer, seq, prev, hash, type, at, body, ...columns, command_index: index }
    }),
  )
  await Promise.all(sent)
}

function voteRow(
  approval: string,
  { by, digest, verdict, at }: ReturnType<typeof voteChanges>['given'][number],
) {
  return { approval, issuer: by.issuer, subject: by.subject, digest, verdict, at }
}

const INSERT_NOTICES = `
  insert into countersign.notices (tenant, channel, id, approval, kind, revision, at, due_at)
  select c.tenant, c.name, x.id, x.approval, x.kind, x.revision, x.at, x.due_at
  from json_to_recordset($2) as x(id text, approval text, kind text, revision bigint, at bigint,
    due_at bigint, open bigint, place integer)
  join countersign.channels c on c.tenant = $1 and c.problem is null and c.seen_at > x.open
  order by x.place`

const UPDATE_APPROVALS = `
  update countersign.approvals a
  set revision = x.revision, status = x.status, execution = x.execution, joinable = x.joinable,
    decide_by = x.decide_by, due_at = x.due_at, instance = x.instance, body = x.body, seal = x.seal
  from json_to_recordset($2) as x(id text, was bigint, revision bigint, status text, execution text,
    joinable smallint, decide_by bigint, due_at bigint, instance text, body text, seal text)
  where a.tenant = $1 and a.id = x.id and a.revision = x.was`

const INSERT_APPROVALS = `
  insert into countersign.approvals (tenant, id, revision, status, execution, agent, run, call_key,
    asked_digest, joinable, tool, server, risk, asked_at, decide_by, due_at, instance, body, seal,
    door)
  select $1, x.* from json_to_recordset($2) as x(id text, revision bigint, status text,
    execution text, agent text, run text, call_key text, asked_digest text, joinable smallint,
    tool text, server text, risk smallint, asked_at bigint, decide_by bigint, due_at bigint,
    instance text, body text, seal text, door text)`

const INSERT_VOTES = `
  insert into countersign.votes (tenant, approval, issuer, subject, digest, verdict, at)
  select $1, x.* from json_to_recordset($2) as x(approval text, issuer text, subject text,
    digest text, verdict text, at bigint)`

const UPDATE_VOTES = `
  update countersign.votes v set verdict = x.verdict, at = x.at
  from json_to_recordset($2) as x(approval text, issuer text, subject text, digest text,
    verdict text, at bigint)
  where v.tenant = $1 and v.approval = x.approval and v.issuer = x.issuer
    and v.subject = x.subject and v.digest = x.digest`

const INSERT_CLAIMS = `
  insert into countersign.claims (tenant, approval, claim, instance, at)
  select $1, x.* from json_to_recordset($2) as x(approval text, claim text, instance text, at bigint)`

function insertContent(table: 'content' | 'results'): string {
  return `
    insert into countersign.${table} (tenant, approval, key, kind, at, salt, value)
    select $1, x.* from json_to_recordset($2) as x(approval text, key text, kind text, at bigint,
      salt text, value text)`
}

const INSERT_EVENTS = `
  insert into countersign.events (tenant, writer, seq, prev, hash, approval, revision, type, at,
    command, command_index, body)
  select $1, x.* from json_to_recordset($2) as x(writer text, seq bigint, prev text, hash text,
    approval text, revision bigint, type text, at bigint, command text, command_index integer,
    body text)
  order by x.seq`
