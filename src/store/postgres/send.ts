import type { Client } from 'pg'
import { LINK_MS, type Session } from '../audit/chain.ts'
import type { Held } from '../engine/constraints.ts'
import { type Entry, needsHeld, type Plan } from '../engine/plan.ts'
import type { StorePoint } from '../store.ts'
import { isLost } from './connect.ts'
import { APPLY, applyValues, planKnown, readApplied } from './known.ts'
import type { RecentWrites } from './recent.ts'
import type { ServerClock } from './server-clock.ts'
import { CommitUnknown, type Fields, isPrepared, Transaction } from './transaction.ts'
import type { Vouch } from './vouch.ts'
import type { OwnRows } from './write.ts'

/** Batches that are read after one that was not as it was known, at most. */
const MOST_READ = 64

export interface SenderParts {
  readonly session: Session
  readonly recent: RecentWrites
  readonly vouch: Vouch
  readonly clock: ServerClock
  /** Undefined while nothing may be sent unread. */
  readonly connection: () => Client | undefined
  readonly ownRows: (now: number) => OwnRows
  /** Told once they were written. */
  readonly beaten: (own: OwnRows, planned: Plan) => void
  readonly reach: (point: StorePoint, entries: readonly Entry[]) => void
  readonly drop: (lost: Client) => void
  /** They may have been committed, and then our chain is longer than we know. */
  readonly doubt: (entries: readonly Entry[]) => void
  readonly finish: (entries: readonly Entry[], planned: Plan, at: number) => void
}

/** Sends batches over what this process knows, without reading. */
export interface Sender {
  /**
   * One round trip. A batch may be sent behind another: planned on top of it, its events follow
   * those of the other, so that it fails where the other did. Resolves with nothing when it has to
   * be read, and was not written. Undefined when it was not sent.
   */
  send(entries: readonly Entry[]): Promise<Plan | undefined> | undefined
  /** A transaction that read had this of what people locked and said. */
  readHeld(held: Held): void
  /** One had the heads of the other chains, or found that there is nothing new. */
  readLinks(now: number): void
  /** One ended without waiting for the server: that answer is still to come. */
  isEnding(): void
}

interface Sent {
  readonly on: Client
  readonly entries: readonly Entry[]
  readonly planned: Plan
  readonly own: OwnRows
  /** When it was sent. */
  readonly at: number
  readonly answer: Promise<readonly Fields[]>
}

export function createSender(parts: SenderParts): Sender {
  const { session, recent, vouch, clock, reach, drop, doubt, finish, beaten } = parts
  /** On their way, oldest first. */
  let sent: readonly Plan[] = []
  let isEnding = false
  /** How many batches are read before the next is sent, and how many it was the last time. */
  let distrust = { left: 0, last: 0 }
  /** Nothing is locked and no one stands in for another, as last read. */
  let isFree = false
  let linksReadAt = Number.NEGATIVE_INFINITY

  /** What a batch is sent with, if it may be. */
  function ready(entries: readonly Entry[]) {
    const on = parts.connection()
    const now = clock.now()
    const expected = vouch.expected()
    if (!on || now === undefined || !expected) return undefined
    if (session.isNew || now - linksReadAt >= LINK_MS) return undefined
    if (needsHeld(entries) && !isFree) return undefined
    if (sent.length > 0 && (isEnding || !isPrepared(on, APPLY))) return undefined
    return { on, now, expected }
  }

  function send(entries: readonly Entry[]): Promise<Plan | undefined> | undefined {
    const way = ready(entries)
    if (!way) return undefined
    if (distrust.left > 0) {
      distrust = { ...distrust, left: distrust.left - 1 }
      return undefined
    }
    const { on, now, expected } = way
    const known = planKnown(entries, { session, recent, ahead: sent, now })
    if (!known) return undefined
    const { planned } = known
    const own = parts.ownRows(now)
    const values = applyValues(session.tenant, entries, known, own, expected)
    const at = performance.now()
    const answer = new Transaction(on).whole(APPLY, values)
    sent = [...sent, planned]
    const done = answered({ on, entries, planned, own, at, answer })
    reach('committing', entries)
    return done
  }

  async function answered(batch: Sent): Promise<Plan | undefined> {
    const { on, entries, planned, own, at, answer } = batch
    let seen: ReturnType<typeof readApplied>
    try {
      seen = readApplied(await answer)
      isEnding = false
    } catch (error) {
      if (error instanceof CommitUnknown) {
        doubt(entries)
        drop(on)
        throw error
      }
      if (isLost(error)) drop(on)
    } finally {
      sent = sent.filter((one) => one !== planned)
    }
    if (!seen) {
      clock.forget()
      const last = Math.min(Math.max(1, 2 * distrust.last), MOST_READ)
      distrust = { left: last, last }
      return undefined
    }
    clock.heard(seen.now, performance.now())
    vouch.saw(seen)
    beaten(own, planned)
    distrust = { left: 0, last: 0 }
    finish(entries, planned, at)
    return planned
  }

  return {
    send,
    readHeld({ locks, standIns }) {
      isFree = locks.length === 0 && standIns.length === 0
    },
    readLinks(now) {
      linksReadAt = now
    },
    isEnding() {
      isEnding = true
    },
  }
}
