import type { Approval } from '../../approval/approval.ts'
import { MAX_CLOCK_LAG } from '../../approval/clock.ts'
import type { Load } from '../../approval/commands/caps.ts'
import { CountersignError } from '../../base/errors.ts'
import type { AuditEntry, Head } from '../audit/audit-entry.ts'
import { columnsOf, readEntry } from '../audit/chain.ts'
import { HELD_NOTHING, type Held, heldOf } from '../engine/constraints.ts'
import { cappedAgents, grantsOf } from '../engine/ledgers.ts'
import {
  callerOf,
  type Entry,
  type Found,
  needsHeld,
  type Plan,
  type Write,
} from '../engine/plan.ts'
import { CHANNEL_MS } from '../outbox.ts'
import { newClaim, voteChanges } from '../sql/row-columns.ts'
import { fromBody, pushRow } from '../sql/rows.ts'
import { integer, type Row, text, type Value } from './connection.ts'
import { readGrant, writeGrants } from './grants.ts'
import type { AskedAt, Recent } from './recent.ts'
import type { Statements } from './statements.ts'

export function readApproval(row: Row): Approval {
  return fromBody(text(row, 'id'), text(row, 'body'), text(row, 'seal'))
}

export function readAuditRow(row: Row): AuditEntry {
  return readEntry(text(row, 'body'), text(row, 'hash'))
}

/** Every approval the entries could touch. The caller holds the write lock. */
export function readFor(
  sql: Statements,
  tenant: string,
  recent: Recent,
  entries: readonly Entry[],
  alone: boolean,
): Omit<Found, 'now' | 'loads'> {
  const approvals = new Map<string, Approval>()
  const earlier: AuditEntry[] = []
  const priors = new Set<string>()
  const keep = (row: Row | undefined) => {
    if (row && !approvals.has(text(row, 'id'))) approvals.set(text(row, 'id'), readApproval(row))
  }
  for (const entry of entries) {
    const { id, command } = entry
    const known = recent.approval(id, () => sql.seal.get(tenant, id)?.seal)
    if (known) approvals.set(id, known)
    else if (!approvals.has(id)) keep(sql.approval.get(tenant, id))
    if (alone) {
      for (const row of sql.eventsOfCommand.all(tenant, id, command.commandId)) {
        earlier.push(readAuditRow(row))
      }
    }
    if (hasPrior(sql, tenant, entry)) priors.add(id)
    const caller = callerOf(command)
    if (caller === undefined) continue
    const { agent, run, key, digest } = caller
    if (key === undefined) keep(sql.approvalByDigest.get(tenant, agent, run, digest))
    else keep(sql.approvalByKey.get(tenant, agent, run, key))
  }
  const grants = grantsOf(entries).flatMap((id) => {
    const row = sql.grants.grant.get(tenant, id)
    return row ? [readGrant(row)] : []
  })
  return {
    approvals: [...approvals.values()],
    grants,
    priors,
    ...(needsHeld(entries) ? recent.held(() => readHeld(sql, tenant)) : HELD_NOTHING),
    ...(alone ? { earlier } : {}),
  }
}

/** Whether a request that looks first has something to look at: a denial in its run, or a grant. */
function hasPrior(sql: Statements, tenant: string, { command, looksFirst }: Entry): boolean {
  if (!looksFirst || command.type !== 'request') return false
  const { agent, run, tool, server = null } = command.call ?? {}
  // What is not even a request is refused by its step.
  if (typeof agent !== 'string' || typeof tool !== 'string') return false
  const isDenied = typeof run === 'string' && sql.isDenied.get(tenant, agent, run, tool)
  return Boolean(isDenied || sql.grants.isLive.get(tenant, agent, tool, server))
}

/** What agents with caps have asked already, once the clock was read. */
export function loadsOf(
  sql: Statements,
  tenant: string,
  recent: Recent,
  entries: readonly Entry[],
  now: number,
): Map<string, Load> {
  return new Map(
    cappedAgents(entries).map((agent) => {
      const own = [tenant, agent] as const
      const count = (since: number) =>
        sql.load.all(...own, ...own, ...own, since - MAX_CLOCK_LAG, since, tenant).map(askedAt)
      return [agent, recent.load(agent, now, count)]
    }),
  )
}

function askedAt(row: Row): AskedAt {
  return { at: integer(row, 'at'), asked: integer(row, 'asked'), pending: integer(row, 'pending') }
}

function readHeld(sql: Statements, tenant: string): Held {
  const rows = sql.held.all(tenant)
  if (rows.length === 0) return HELD_NOTHING
  return heldOf(
    rows.map((row) => ({
      kind: text(row, 'kind'),
      id: text(row, 'id'),
      value: JSON.parse(text(row, 'value')) as unknown,
    })),
  )
}

export function unlinkedHeads(sql: Statements, tenant: string, writer: string): Head[] {
  return sql.unlinked.all(tenant, writer).map((row) => ({
    writer: text(row, 'writer'),
    seq: integer(row, 'seq'),
    hash: text(row, 'hash'),
  }))
}

/** Writes a plan. Changes go before new approvals: a joined call must end before its like begins. */
export function writePlan(
  sql: Statements,
  tenant: string,
  plan: Plan,
  changed: () => void = () => {},
): void {
  for (const write of plan.writes) if (write.before) update(sql, tenant, write)
  for (const write of plan.writes) if (!write.before) insert(sql, tenant, write)
  for (const write of plan.writes) insertVotesAndClaim(sql, tenant, write)
  if (plan.grants.length > 0) writeGrants(sql.grants, tenant, plan)
  for (const { approval, key, kind, text: value, salt } of plan.content) {
    const insertion = kind === 'result' ? sql.insertResult : sql.insertContent
    insertion.run(tenant, approval, key, kind, plan.now, salt, value)
  }
  writeNotices(sql, tenant, plan)
  changed()
  for (const { entry, body } of plan.entries) {
    const { event, writer, seq, prev, hash } = entry
    const { approval, revision, command, index } = columnsOf(event)
    sql.insertEvent.run(
      tenant,
      writer,
      seq,
      prev,
      hash,
      approval,
      revision,
      event.type,
      event.at,
      command,
      index,
      body,
    )
  }
}

/** Mostly no channel is open: one look then saves a write for each of them. */
function writeNotices(sql: Statements, tenant: string, { notices, now }: Plan): void {
  const open = now - CHANNEL_MS
  if (notices.length === 0 || !sql.isChannelOpen.get(tenant, open)) return
  for (const { id, approval, kind, revision, at } of notices) {
    sql.insertNotice.run(id, approval, kind, revision, at, now, tenant, open, kind)
  }
}

function insert(sql: Statements, tenant: string, { row }: Write): void {
  const values: Value[] = [tenant]
  pushRow(values, row)
  sql.insertApproval.runList(values)
}

function update(sql: Statements, tenant: string, { row, before }: Write): void {
  const changed = sql.updateApproval.run(
    row.revision,
    row.status,
    row.execution,
    row.joinable,
    row.decide_by,
    row.due_at,
    row.instance,
    row.body,
    row.seal,
    tenant,
    row.id,
    before?.revision ?? 0,
  )
  if (changed !== 1) {
    throw new CountersignError('internal', `approval ${row.id} changed while it was locked`)
  }
}

function insertVotesAndClaim(sql: Statements, tenant: string, write: Write): void {
  const { id } = write.after
  const { given, turned } = voteChanges(write)
  for (const { by, digest, verdict, at } of given) {
    sql.insertVote.run(tenant, id, by.issuer, by.subject, digest, verdict, at)
  }
  for (const { by, digest, verdict, at } of turned) {
    sql.updateVote.run(verdict, at, tenant, id, by.issuer, by.subject, digest)
  }
  const claim = newClaim(write)
  if (claim) sql.insertClaim.run(tenant, id, claim.claim, claim.instance, claim.at)
}
