import type { Approval } from '../../approval/approval.ts'
import { isReachChanged } from '../../approval/commands/upkeep.ts'
import { type Lock, readLock } from '../../approval/locks/lock.ts'
import { type Directory, shortageOf } from '../../approval/people/requirement.ts'
import { isCountersignError } from '../../base/errors.ts'
import { LOCK_RECORD } from '../../store/records/lock-record.ts'
import { allRecords } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { People } from '../people.ts'

export interface ReachOptions {
  readonly store: Store
  readonly people: People
  /** Milliseconds between two looks; changes of people and locks are noticed sooner. */
  readonly every?: number
}

export interface ReachWatch {
  /** One look now. Resolves to how many questions became answerable, or no longer are. */
  look(): Promise<number>
  /** Looks no more; resolves when a look under way is over. */
  stop(): Promise<void>
}

const EVERY = 30_000
const PAGE = 500

/**
 * Notes which questions have no eligible approver left, so that people are told once. Any number of
 * these may run anywhere: the note is made in the store, and the second one finds it made.
 */
export function watchReach({ store, people, every = EVERY }: ReachOptions): ReachWatch {
  /** Who there was at the last look: while that is the same, so are the answers. */
  let known: string | undefined
  let looking: Promise<number> | undefined
  let isWanted = false
  let isStopped = false

  async function lookAll(): Promise<number> {
    let changed = 0
    while (isWanted && !isStopped) {
      isWanted = false
      changed += await lookOnce()
    }
    return changed
  }

  async function lookOnce(): Promise<number> {
    const [directory, locks] = await Promise.all([people.directory(), locksNow(store)])
    const found = nameOf(directory, locks)
    if (found === known) return 0
    let changed = 0
    let after: string | undefined
    do {
      const page = await store.list(
        { status: ['pending'] },
        { order: 'oldest', limit: PAGE, ...(after === undefined ? {} : { after }) },
      )
      for (const approval of page.approvals) {
        if (await noteReach({ store, directory, locks }, approval)) changed += 1
      }
      after = page.next
    } while (after !== undefined && !isStopped)
    known = found
    return changed
  }

  function look(): Promise<number> {
    isWanted = true
    looking ??= lookAll().finally(() => {
      looking = undefined
    })
    return looking
  }

  // A look that fails is made up for by the next one; a store that is closed has no next one.
  const soon = () => {
    look().catch((error: unknown) => {
      if (isCountersignError(error, 'store_closed')) void stop()
    })
  }
  const leave = store.onAmended(soon)
  const timer: unknown = setInterval(soon, every)
  // Not worth keeping a process alive for.
  ;(timer as { unref?: () => void }).unref?.()
  soon()

  async function stop(): Promise<void> {
    isStopped = true
    leave()
    clearInterval(timer as Parameters<typeof clearInterval>[0])
    await looking?.catch(() => {})
  }

  return { look, stop }
}

/** Read anew: a copy may hear of the same change a moment later than we did. */
async function locksNow({ records }: Store): Promise<readonly Lock[]> {
  return (await allRecords(records, LOCK_RECORD)).map(({ value }) => readLock(value))
}

interface Known {
  readonly store: Store
  readonly directory: Directory
  readonly locks: readonly Lock[]
}

/** False when nothing changed, or another process has noted it. */
export async function noteReach(
  { store, directory, locks }: Known,
  approval: Approval,
): Promise<boolean> {
  if (!isReachChanged(approval, shortageOf(approval, directory, locks))) return false
  try {
    const command = { type: 'reach', commandId: crypto.randomUUID(), directory } as const
    return (await store.apply(approval.id, command)).events.length > 0
  } catch (error) {
    // It was answered, or its time was over: nothing is left to note.
    if (!isCountersignError(error) || error.code.startsWith('store_')) throw error
    return false
  }
}

/** Everything that decides who is left. A lock that is over is no longer among the locks. */
function nameOf({ groups, approvers }: Directory, locks: readonly Lock[]): string {
  const people =
    approvers === 'open' ? 'open' : approvers.map(({ issuer, subject }) => [issuer, subject])
  return JSON.stringify([groups, people, locks.map(({ id }) => id)])
}
