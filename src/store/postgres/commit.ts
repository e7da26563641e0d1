import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { CountersignError } from '../../base/errors.ts'
import type { Head } from '../audit/audit-entry.ts'
import { newTip, openingOf, type Session } from '../audit/chain.ts'
import { type AmendPlan, planAmendment } from '../engine/amend.ts'
import type { Amendment } from '../engine/amendment.ts'
import type { Commit, Follow } from '../engine/flusher.ts'
import { type Entry, needsHeld, type Plan, plan } from '../engine/plan.ts'
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
import { OPEN, openValues, readAuditRow, readHead, readOpened } from './found.ts'
import { AMENDED } from './listen.ts'
import { CLOCK_SQL } from './open.ts'
import type { RecentWrites } from './recent.ts'
import { findRecords, writeRecords } from './records.ts'
import { createSender } from './send.ts'
import type { ServerClock } from './server-clock.ts'
import { CommitUnknown, neverPrepare, Transaction } from './transaction.ts'
import type { Vouch } from './vouch.ts'
import { type OwnRows, WRITE, writePlan, writesAnything, writeValues } from './write.ts'

export interface CommitterParts {
  readonly driver: Driver
  readonly session: Session
  readonly clock: ServerClock
  /** The server's commits are not durable unless each transaction asks for it. */
  readonly isLazy: boolean
  /** A pooler stands between: nothing of a session lasts. */
  readonly isPooled: boolean
  /** How long to try while the server cannot be reached. */
  readonly patienceMs: number
  /** Why the chain of this process begins with a warning, if it does. */
  readonly warning: string | undefined
  readonly stopped: () => boolean
  /** Looks in each transaction whether the database is still the one that was opened. */
  readonly vouch: Vouch
  readonly recent: RecentWrites
  /** Told after every commit, before any caller is answered; its transaction was open at `at`. */
  readonly committed: (plan: Plan, at: number) => void
  readonly probe?: StoreProbe | undefined
}

export interface Committer {
  readonly commit: Commit
  readonly follow: Follow
  /** Waits for no batch: to be called between two. */
  amend(amendment: Amendment): Promise<boolean>
  close(): Promise<void>
}

const COLLISIONS_BORNE = 5
const REPLANNED_AFTER = 16

/** One batch, one transaction, on a connection of its own. */
export function createCommitter(parts: CommitterParts): Committer {
  const { driver, session, clock, isLazy, isPooled, warning, vouch, recent, committed, probe } =
    parts
  const { tenant, instance } = session
  let client: Client | undefined
  /** Batches on this connection, and after how many its plans are made anew. */
  let batches = { done: 0, until: REPLANNED_AFTER }
  let beatAt = 0
  /** The server's clock at the last batch, and ours. */
  let last = { now: 0, at: 0 }
  /** The end of our own chain is not known: a commit got no answer. */
  let isTipDoubtful = false
  const doubtful = new WeakSet<Entry>()
  /** Transactions that read: nothing may be sent between their two round trips. */
  let reading = 0
  const sender = createSender({
    ...{ session, recent, vouch, clock, reach, drop, doubt, finish, beaten },
    connection: () => (reading > 0 || isTipDoubtful || isReplanned() ? undefined : client),
    ownRows: (now) => {
      batches.done += 1
      return ownRows(now, [])
    },
  })

  function reach(point: StorePoint, entries: readonly Entry[]): void {
    probe?.(
      point,
      entries.map(({ command }) => command),
    )
  }

  async function connected(): Promise<Client> {
    if (client) return client
    const fresh = await driver.connect({
      onLost: (lost) => {
        if (client === lost) client = undefined
      },
    })
    if (isPooled) neverPrepare(fresh)
    else {
      await fresh.query('set session characteristics as transaction isolation level read committed')
    }
    client = fresh
    batches = { done: 0, until: REPLANNED_AFTER }
    return fresh
  }

  /**
   * Plans made for tables that were almost empty may read a whole tenant where a row has a key. The
   * server makes them anew once it has statistics, a minute later; until then they follow the size.
   */
  async function replan(on: Client): Promise<void> {
    batches.done += 1
    if (!isReplanned()) return
    batches = { ...batches, until: 4 * batches.until }
    await on.query('discard plans')
  }

  const isReplanned = () => batches.done >= batches.until

  function drop(lost: Client): void {
    if (client === lost) client = undefined
    lost.end().catch(() => {})
  }

  function finish(entries: readonly Entry[], planned: Plan, at: number): void {
    reach('committed', entries)
    session.committed(planned)
    committed(planned, at)
  }

  /** They may have been committed, and then our chain is longer than we know. */
  function doubt(entries: readonly Entry[]): void {
    isTipDoubtful = true
    for (const entry of entries) doubtful.add(entry)
  }

  /** Two round trips: what is locked and read, what is written and committed. */
  async function transact(entries: readonly Entry[], alone: boolean): Promise<Plan> {
    const on = await connected()
    await replan(on)
    const transaction = new Transaction(on)
    let planned: Plan
    let own: OwnRows
    try {
      ;({ planned, own } = await prepare(transaction, entries, alone))
    } catch (error) {
      if (isLost(error)) drop(on)
      else transaction.release()
      sender.isEnding()
      throw error
    }
    if (!writesAnything(planned, own)) {
      transaction.release()
      sender.isEnding()
      return planned
    }
    try {
      const sent = transaction.commit(WRITE, writeValues(tenant, planned, own))
      reach('committing', entries)
      await sent
    } catch (error) {
      if (error instanceof CommitUnknown) doubt(entries)
      // What was sent before may have been committed meanwhile.
      if (isDuplicate(error)) isTipDoubtful = true
      if (error instanceof CommitUnknown || isLost(error)) drop(on)
      throw error
    }
    isTipDoubtful = false
    beaten(own, planned)
    return planned
  }

  /** Only one that was written counts: one that was not is made up by the next batch. */
  function beaten({ beats }: OwnRows, { now }: Plan): void {
    if (beats) beatAt = now
  }

  async function prepare(
    transaction: Transaction,
    entries: readonly Entry[],
    alone: boolean,
  ): Promise<{ planned: Plan; own: OwnRows }> {
    const asked = vouch.question()
    const wantsLinks = session.shouldLink(last.now + performance.now() - last.at)
    const wanted = { head: isTipDoubtful, links: wantsLinks }
    const values = openValues({ tenant, instance, entries, alone, ...wanted })
    const rows = await transaction.read(OPEN, [...asked.values, ...values])
    const { vouched, found, own: head, links: others } = readOpened(rows, alone, recent)
    await vouch.assertSame(vouched, asked)
    reach('locked', entries)
    if (isTipDoubtful) session.correct(head ?? newTip(instance))
    const { now } = found
    last = { now, at: performance.now() }
    clock.heard(now, last.at)
    if (wantsLinks) sender.readLinks(now)
    if (needsHeld(entries)) sender.readHeld(found)
    const { isNew } = session
    const links = session.shouldLink(now) ? others : []
    const opening = openingOf(session, now, links, isNew ? warning : undefined)
    const planned = plan(entries, found, session.around(now, opening))
    return { planned, own: ownRows(now, links) }
  }

  function ownRows(now: number, links: readonly Head[]): OwnRows {
    const { isNew, newest } = session
    // Never both: two processes that link each other would wait for each other's row.
    const beats = links.length === 0 && !isNew && Math.abs(now - beatAt) >= HEARTBEAT_MS
    return { instance, registers: isNew, links, ...(beats ? { beats: { newest } } : {}) }
  }

  /** One at a time in a tenant, and never while a decision is being written. */
  async function transactAmendment(amendment: Amendment): Promise<AmendPlan> {
    const on = await connected()
    let planned: AmendPlan
    try {
      planned = await prepareAmendment(on, amendment)
    } catch (error) {
      if (isLost(error)) drop(on)
      else await on.query('rollback').catch(() => drop(on))
      throw error
    }
    try {
      const { command } = await on.query('commit')
      // A transaction that failed inside answers a commit with a rollback.
      if (command !== 'COMMIT') throw new Error('the database rolled the transaction back')
    } catch (cause) {
      drop(on)
      isTipDoubtful = true
      throw new CommitUnknown('no answer to a commit', { cause })
    }
    isTipDoubtful = false
    return planned
  }

  async function prepareAmendment(on: Client, amendment: Amendment): Promise<AmendPlan> {
    await on.query(
      `begin isolation level read committed${isLazy ? '; set local synchronous_commit to on' : ''}`,
    )
    await vouch.assertSameOn(on)
    await on.query(BARRIER, [tenant])
    const records = await findRecords(on, tenant, amendment.changes)
    const now = numberOf(firstOf(await on.query<Row>(CLOCK_SQL)), 'now')
    const earlier = isTipDoubtful ? await on.query<Row>(OWN_LAST, [instance]) : undefined
    if (earlier) {
      const [newest] = earlier.rows
      session.correct(newest ? readHead(newest) : newTip(instance))
    }
    const links = session.shouldLink(now)
      ? await on.query<Row>(LINKS, [tenant, instance])
      : undefined
    const heads = (links?.rows ?? []).map(readHead)
    if (links) sender.readLinks(now)
    const { isNew } = session
    const opening = openingOf(session, now, heads, isNew ? warning : undefined)
    const found = { records, now, ...(earlier ? { earlier: earlier.rows.map(readAuditRow) } : {}) }
    const planned = planAmendment(amendment, found, session.around(now, opening))
    const tells = planned.isDone ? [AMENDED] : []
    await writePlan(on, tenant, planned, { ...ownRows(now, heads), tells })
    await writeRecords(on, tenant, planned.records, now)
    return planned
  }

  async function commit(entries: readonly Entry[], alone: boolean): Promise<readonly Entry[]> {
    const planned = (alone ? undefined : await sender.send(entries)) ?? (await read(entries, alone))
    return planned.again
  }

  function follow(
    entries: readonly Entry[],
    before: Promise<void>,
  ): Promise<readonly Entry[]> | undefined {
    return sender
      .send(entries)
      ?.catch(async (error: unknown) => {
        await before
        doubt(entries)
        throw error
      })
      .then(async (planned) => {
        if (planned) return planned.again
        await before
        return (await read(entries, false)).again
      })
  }

  async function read(entries: readonly Entry[], alone: boolean): Promise<Plan> {
    reading += 1
    try {
      const run = () => transact(entries, alone)
      const planned = await patiently({ entries, alone, run })
      finish(entries, planned, last.at)
      return planned
    } finally {
      reading -= 1
    }
  }

  async function amend(amendment: Amendment): Promise<boolean> {
    let isDoubtful = false
    const doubt = () => {
      isDoubtful = true
    }
    const run = () => transactAmendment(amendment)
    reading += 1
    try {
      const planned = await patiently({ entries: [], alone: true, run, doubt })
      session.committed(planned)
      committed(planned, last.at)
      return planned.isDone
    } catch (error) {
      throw isDoubtful ? unknownOutcome(error) : error
    } finally {
      reading -= 1
    }
  }

  async function patiently<P extends Plan>({ entries, alone, run, doubt }: Work<P>): Promise<P> {
    const giveUpAt = performance.now() + parts.patienceMs
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run()
      } catch (error) {
        // Whether it was written is found out one by one, by looking for traces of each command.
        if (error instanceof CommitUnknown && !alone) throw error
        if (error instanceof CommitUnknown) doubt?.()
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
    follow,
    amend,
    async close() {
      const last = client
      client = undefined
      await last?.end().catch(() => {})
    },
  }
}

/** A transaction, as often as it takes. */
interface Work<P extends Plan> {
  readonly entries: readonly Entry[]
  readonly alone: boolean
  readonly run: () => Promise<P>
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

/** Waits for the batches under way, which take it shared, and makes later ones wait. */
const BARRIER = 'select pg_advisory_xact_lock(hashtextextended($1, 4748))'

const LINKS = `
  select id as writer, body::bigint as seq, seal as hash from countersign.open_batch(
    $1, '{}', null, null, null, null, null, $2, false, true) where kind = 'link'`

/** More than one transaction of ours writes. */
const OWN_LAST = `
  select writer, seq, body, hash from countersign.events where writer = $1
  order by seq desc limit 300`
