import { setTimeout as sleep } from 'node:timers/promises'
import type { Client, QueryResult } from 'pg'
import { CountersignError } from '../../base/errors.ts'
import { newTip } from '../audit/audit.ts'
import type { Head } from '../audit/audit-entry.ts'
import { type AmendPlan, planAmendment } from '../engine/amend.ts'
import type { Amendment } from '../engine/amendment.ts'
import { openingOf, type Session } from '../engine/chain-writer.ts'
import type { Commit } from '../engine/flusher.ts'
import { type Entry, needsHeld, type Plan, plan } from '../engine/plan.ts'
import { grantsOf } from '../engine/plan-grants.ts'
import { cappedAgents } from '../engine/plan-load.ts'
import { HEARTBEAT_MS, type StorePoint, type StoreProbe } from '../store.ts'
import {
  type Driver,
  firstOf,
  isCollision,
  isDuplicate,
  isLost,
  numberOf,
  type Row,
  unavailable,
} from './connect.ts'
import { lockGrants, readGrant } from './grants.ts'
import { CLOCK_SQL } from './open.ts'
import { findRecords, writeRecords } from './records.ts'
import type { Vouch } from './vouch.ts'
import {
  barrier,
  countLoads,
  earlierOf,
  HELD_SQL,
  holdAgents,
  lockFor,
  readApproval,
  readAuditRow,
  readHead,
  readHeld,
  readLoads,
  unlinkedHeads,
  writePlan,
} from './write.ts'

export interface CommitterParts {
  readonly driver: Driver
  readonly session: Session
  /** The server's commits are not durable unless each transaction asks for it. */
  readonly isLazy: boolean
  /** How long to try while the server cannot be reached. */
  readonly patienceMs: number
  /** Why the chain of this process begins with a warning, if it does. */
  readonly warning: string | undefined
  readonly stopped: () => boolean
  /** Looks in each transaction whether the database is still the one that was opened. */
  readonly vouch: Vouch
  /** Told after every commit, before any caller is answered. */
  readonly committed: (plan: Plan) => void
  readonly probe?: StoreProbe | undefined
}

export interface Committer {
  readonly commit: Commit
  /** Waits for no batch: to be called between two. */
  amend(amendment: Amendment): Promise<boolean>
  close(): Promise<void>
}

/** The commit was sent, and the answer never came. */
class CommitUnknown extends Error {}

const COLLISIONS_BORNE = 5

/** One batch, one transaction, on a connection of its own. */
export function createCommitter(parts: CommitterParts): Committer {
  const { driver, session, isLazy, warning, vouch, committed, probe } = parts
  const begin = `begin isolation level read committed${isLazy ? '; set local synchronous_commit to on' : ''}`
  let client: Client | undefined
  let beatAt = 0
  /** The end of our own chain is not known: a commit got no answer. */
  let isTipDoubtful = false
  const doubtful = new WeakSet<Entry>()

  function reach(point: StorePoint, entries: readonly Entry[]): void {
    probe?.(
      point,
      entries.map(({ command }) => command),
    )
  }

  async function connected(): Promise<Client> {
    if (client) return client
    const fresh = await driver.connect({
      pipeline: true,
      onLost: (lost) => {
        if (client === lost) client = undefined
      },
    })
    client = fresh
    return fresh
  }

  function drop(lost: Client): void {
    if (client === lost) client = undefined
    lost.end().catch(() => {})
  }

  async function transact<P extends Plan>(work: Work<P>): Promise<P> {
    const { entries } = work
    const on = await connected()
    let planned: P
    try {
      planned = await work.prepare(on)
    } catch (error) {
      if (isLost(error)) drop(on)
      else await on.query('rollback').catch(() => drop(on))
      throw error
    }
    let result: QueryResult
    try {
      const sent = on.query('commit')
      reach('committing', entries)
      result = await sent
    } catch (cause) {
      drop(on)
      isTipDoubtful = true
      for (const entry of entries) doubtful.add(entry)
      throw new CommitUnknown('the answer to a commit was lost', { cause })
    }
    // A transaction that failed inside answers a commit with a rollback.
    if (result.command !== 'COMMIT') throw new Error('the database rolled the transaction back')
    isTipDoubtful = false
    return planned
  }

  /** Everything up to the commit. Sent in two bundles: what is locked and read, what is written. */
  async function prepare(on: Client, entries: readonly Entry[], alone: boolean): Promise<Plan> {
    const { tenant, instance } = session
    const named = grantsOf(entries)
    const decides = needsHeld(entries)
    const capped = cappedAgents(entries)
    const [, asked, locked, granted, earlier, , held, , loads, clock, tip] = await Promise.all([
      on.query(begin),
      vouch.ask(on),
      entries.length === 0 ? undefined : lockFor(on, tenant, entries),
      named.length === 0 ? undefined : lockGrants(on, tenant, named),
      alone ? earlierOf(on, tenant, entries) : undefined,
      decides ? barrier(on, tenant, 'shared') : undefined,
      // In a statement of its own, after the barrier: it must see what was written before.
      decides ? on.query<Row>(HELD_SQL, [tenant]) : undefined,
      capped.length === 0 ? undefined : holdAgents(on, tenant, capped),
      capped.length === 0 ? undefined : countLoads(on, tenant, capped),
      // Its own statement, after the lock: inside of the locking one, it is read before the wait.
      on.query<Row>(CLOCK_SQL),
      isTipDoubtful ? on.query<Row>(OWN_HEAD, [instance]) : undefined,
    ])
    await vouch.assertSame(asked)
    reach('locked', entries)
    if (isTipDoubtful) correctTip(tip)
    const now = numberOf(firstOf(clock), 'now')
    const links = session.shouldLink(now) ? await linksFor(on) : []
    const { isNew } = session
    const opening = openingOf(session, now, links, isNew ? warning : undefined)
    const approvals = (locked?.rows ?? []).map(readApproval)
    const found = {
      approvals,
      grants: (granted?.rows ?? []).map(readGrant),
      now,
      ...readHeld(held?.rows ?? []),
      loads: readLoads(loads?.rows ?? []),
      ...(earlier ? { earlier: earlier.rows.map(readAuditRow) } : {}),
    }
    const planned = plan(entries, found, session.around(now, opening))
    await Promise.all([
      registered(on, now, links),
      writePlan(on, tenant, planned, () => reach('changed', entries)),
    ])
    reach('recorded', entries)
    return planned
  }

  function correctTip(found: QueryResult<Row> | undefined): void {
    const [head] = found?.rows ?? []
    session.correct(head ? readHead(head) : newTip(session.instance))
  }

  /** One at a time in a tenant, and never while a decision is being written. */
  async function prepareAmendment(on: Client, amendment: Amendment): Promise<AmendPlan> {
    const { tenant, instance, isNew } = session
    await on.query(begin)
    await vouch.assertSame(await vouch.ask(on))
    await barrier(on, tenant, 'alone')
    const records = await findRecords(on, tenant, amendment.changes)
    const now = numberOf(firstOf(await on.query<Row>(CLOCK_SQL)), 'now')
    const earlier = isTipDoubtful ? await on.query<Row>(OWN_LAST, [instance]) : undefined
    if (isTipDoubtful) correctTip(await on.query<Row>(OWN_HEAD, [instance]))
    const links = session.shouldLink(now) ? await linksFor(on) : []
    const opening = openingOf(session, now, links, isNew ? warning : undefined)
    const found = { records, now, ...(earlier ? { earlier: earlier.rows.map(readAuditRow) } : {}) }
    const planned = planAmendment(amendment, found, session.around(now, opening))
    await registered(on, now, links)
    await writePlan(on, tenant, planned)
    await writeRecords(on, tenant, planned.records, now)
    return planned
  }

  async function linksFor(on: Client): Promise<Head[]> {
    return (await unlinkedHeads(on, session.tenant, session.instance)).rows.map(readHead)
  }

  function registered(on: Client, now: number, links: readonly Head[]): Promise<unknown> {
    const { isNew, instance, tenant, newest } = session
    const sent: Promise<unknown>[] = []
    if (isNew) sent.push(on.query(REGISTER, [instance, tenant, now]))
    if (links.length > 0) sent.push(on.query(LINKED, [JSON.stringify(links)]))
    // Never both: two processes that link each other would wait for each other's row.
    else if (!isNew && Math.abs(now - beatAt) >= HEARTBEAT_MS) {
      sent.push(on.query(HEARTBEAT, [now, Math.max(now, newest), instance]))
      beatAt = now
    }
    return Promise.all(sent)
  }

  async function commit(entries: readonly Entry[], alone: boolean): Promise<readonly Entry[]> {
    const work = { entries, alone, prepare: (on: Client) => prepare(on, entries, alone) }
    const planned = await transactPatiently(work)
    reach('committed', entries)
    session.committed(planned)
    committed(planned)
    return planned.again
  }

  async function amend(amendment: Amendment): Promise<boolean> {
    let isDoubtful = false
    const prepareIt = (on: Client) => prepareAmendment(on, amendment)
    const work = { entries: [], alone: true, prepare: prepareIt, doubt: () => (isDoubtful = true) }
    try {
      const planned = await transactPatiently(work)
      session.committed(planned)
      committed(planned)
      return planned.isDone
    } catch (error) {
      throw isDoubtful ? unknownOutcome(error) : error
    }
  }

  async function transactPatiently<P extends Plan>(work: Work<P>): Promise<P> {
    const { entries, alone } = work
    const giveUpAt = performance.now() + parts.patienceMs
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await transact(work)
      } catch (error) {
        // Whether it was written is found out one by one, by looking for traces of each command.
        if (error instanceof CommitUnknown && !alone) throw error
        if (error instanceof CommitUnknown) work.doubt?.()
        const isAway = error instanceof CommitUnknown || isLost(error)
        const isOver = isAway
          ? parts.stopped() || performance.now() >= giveUpAt
          : attempt >= COLLISIONS_BORNE || !(isCollision(error) || (alone && isDuplicate(error)))
        if (isOver) throw gaveUp(entries, isAway ? unavailable(error) : error)
      }
      await sleep(Math.min(20 * 2 ** attempt, 500) * (0.5 + Math.random()))
    }
  }

  /** A command that may have been committed has an unknown outcome; it must not look refused. */
  function gaveUp(entries: readonly Entry[], cause: unknown): unknown {
    if (!entries.some((entry) => doubtful.has(entry))) return cause
    return unknownOutcome(cause)
  }

  return {
    commit,
    amend,
    async close() {
      const last = client
      client = undefined
      await last?.end().catch(() => {})
    },
  }
}

/** What one transaction is made of. */
interface Work<P extends Plan> {
  readonly entries: readonly Entry[]
  readonly alone: boolean
  readonly prepare: (on: Client) => Promise<P>
  /** Told when the answer to a commit was lost. */
  readonly doubt?: () => void
}

function unknownOutcome(cause: unknown): CountersignError {
  return new CountersignError(
    'outcome_unknown',
    'the database went away during a write, and the outcome is unknown',
    { hint: 'Send the same command again when the database is back.', cause },
  )
}

/** More than one transaction of ours writes. */
const OWN_LAST = `
  select body, hash from countersign.events where writer = $1 order by seq desc limit 300`

const OWN_HEAD = `
  select writer, seq, hash from countersign.events where writer = $1 order by seq desc limit 1`

const REGISTER = `
  insert into countersign.instances (id, tenant, started_at, seen_at, newest_at)
  values ($1, $2, $3, $3, $3)`

const HEARTBEAT = `
  update countersign.instances set seen_at = $1, newest_at = $2, stopped_at = null where id = $3`

const LINKED = `
  update countersign.instances i set linked_seq = h.seq
  from json_to_recordset($1) as h(writer text, seq bigint) where i.id = h.writer`
