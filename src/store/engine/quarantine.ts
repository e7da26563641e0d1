import { randomUUID } from 'node:crypto'
import { type ErrorCode, isCountersignError } from '../../base/errors.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { Head } from '../audit/audit-entry.ts'
import { SWITCH_RECORD } from '../records/switch-record.ts'
import { allRecords, type Records } from '../records.ts'
import type { Quarantine } from '../store.ts'
import type { Amendment } from './amendment.ts'
import type { Flusher } from './flusher.ts'

/** What a database says about itself. */
export interface DatabaseIdentity {
  /** Random, made with the database and made anew after each quarantine. */
  readonly database: string
  readonly place: string
}

/** What opening a database found out about it. */
export interface Identified {
  readonly database: string
  /** The last time it was found to be a copy, and whether that was dealt with for this tenant. */
  readonly quarantine: (Quarantine & { readonly isDone: boolean }) | undefined
}

/**
 * Whether this is still the database it was. A copy, or a backup put back in its place, brings
 * spent approvals back to life; then every yes in it is worth nothing.
 */
export function judge(found: {
  readonly isSamePlace: boolean
  /** Another server took over, and with it a history of its own. */
  readonly isPromoted: boolean
  /** What the file outside says; null when the caller keeps none. */
  readonly heads: Head[] | 'unreadable' | undefined | null
  /** The opener is known to have kept heads of this database. */
  readonly hadHead: boolean
  /** A head of the file that the database does not have. */
  readonly hasLostEvents: boolean
}): Quarantine['reason'] | undefined {
  if (!found.isSamePlace) return 'copied'
  if (found.hasLostEvents) return 'restored'
  if (found.isPromoted) return 'promoted'
  if (found.heads === null) return undefined
  if (found.heads === 'unreadable') return 'head_unreadable'
  return found.heads === undefined && found.hadHead ? 'head_missing' : undefined
}

type NextIds = (after: string) => string[] | Promise<string[]>

/** Invalidates every yes that could still be used, before anything else is served. */
export function endLiveApprovals(flusher: Pick<Flusher, 'submit'>, next: NextIds): Promise<void> {
  return forEach(next, (id) =>
    flusher
      .submit(id, { type: 'invalidate', commandId: randomUUID(), reason: 'restored' })
      // It ended by itself in the meantime: the clock ran out, or another process was faster.
      .catch((error: unknown) => {
        if (!isCountersignError(error) || !ENDED.includes(error.code)) throw error
      }),
  )
}

/** A copy brings spent uses back to life: so its grants end, too. */
export function endLiveGrants(flusher: Pick<Flusher, 'submitGrant'>, next: NextIds): Promise<void> {
  return forEach(next, (id) => flusher.submitGrant(id, { type: 'revoke', commandId: randomUUID() }))
}

/**
 * A copy brings switches back that were set otherwise since. Whether people are still not to be
 * asked is for an admin to say again; until then what is switched off is not switched at all.
 */
export async function clearLowered(
  records: Records,
  amend: (amendment: Amendment) => Promise<boolean>,
): Promise<void> {
  for (const { id, value, revision } of await allRecords(records, SWITCH_RECORD)) {
    if (!(isPlainObject(value) && value.on === false)) continue
    const [server = '', tool] = id.split('/')
    const facts = { server, ...(tool === undefined ? {} : { tool }), code: 'restored' }
    // Another process that opens the same copy does the same: then it is done.
    await amend({
      commandId: randomUUID(),
      event: { type: 'switch.cleared', by: { system: 'gate' }, facts },
      changes: [{ kind: SWITCH_RECORD, id, expect: revision }],
    })
  }
}

async function forEach(next: NextIds, end: (id: string) => Promise<unknown>): Promise<void> {
  for (let after = ''; ; ) {
    const ids = await next(after)
    const last = ids.at(-1)
    if (last === undefined) return
    await Promise.all(ids.map(end))
    after = last
  }
}

const ENDED: readonly ErrorCode[] = [
  'already_claimed',
  'denied',
  'expired',
  'invalidated',
  'withdrawn',
]
