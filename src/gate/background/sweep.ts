import type { Approval } from '../../approval/approval.ts'
import type { Command } from '../../approval/command.ts'
import { isCountersignError } from '../../base/errors.ts'
import { BATCH_LIMIT, type Due, type Store } from '../../store/store.ts'
import type { Probe } from '../probe.ts'

export interface SweeperOptions {
  readonly store: Store
  /** Milliseconds between two looks; 5 seconds unless set. */
  readonly every?: number
  /**
   * How long arguments, reasons and the like are kept, in milliseconds; for ever unless set. Asked
   * for at each look: another policy may be in force by then.
   */
  readonly retain?: number | (() => number | undefined)
  /** Also keeps the store's index for searching and its statistics up to date. */
  readonly index?: boolean
  readonly probe?: Probe
}

export interface Sweeper {
  /** One look now, and what it erases. Resolves to how many approvals and grants changed. */
  sweep(): Promise<number>
  /** Looks no more; resolves when a look under way is over. */
  stop(): Promise<void>
}

export const SWEEP_EVERY = 5_000
const ERASE_EVERY = 3_600_000
/** What one transaction of a store takes. */
const AT_ONCE = BATCH_LIMIT

/**
 * Makes what the clock has already decided visible: expired questions, reminders, escalations,
 * claims of processes that died. Any number of these may run anywhere. Nothing is correct because
 * of them, only prompt: an approval that is past its time is so for every command that meets it.
 */
export function startSweeper({
  store,
  every = SWEEP_EVERY,
  retain,
  index = false,
  probe = () => {},
}: SweeperOptions): Sweeper {
  let sweeping: Promise<number> | undefined
  let erasing: Promise<void> | undefined
  let indexing: Promise<void> | undefined
  /** Made when there is something to interrupt: sweepers start and stop with single calls. */
  let interrupting: AbortController | undefined
  let isStopped = false
  let erased = { at: Number.NEGATIVE_INFINITY, retain: 0 }

  function sweep(): Promise<number> {
    sweeping ??= sweepOnce().finally(() => {
      sweeping = undefined
    })
    return sweeping
  }

  async function sweepOnce(): Promise<number> {
    const changed = (await inBatches(sweepApprovals)) + (await inBatches(sweepGrants))
    // Beside the next looks: a long history takes a while to erase, and no deadline waits for that.
    erasing ??= eraseOld(typeof retain === 'function' ? retain() : retain).finally(() => {
      erasing = undefined
    })
    erasing.catch(() => {})
    if (index) {
      indexing ??= indexNew().finally(() => {
        indexing = undefined
      })
      indexing.catch(() => {})
    }
    return changed
  }

  /**
   * Until little is due: many questions end at the full hour, and none of them waits for the next
   * look. A batch in which nothing changed would be found again, so it is the last.
   */
  async function inBatches(work: () => Promise<Swept>): Promise<number> {
    for (let changed = 0; ; ) {
      const swept = await work()
      changed += swept.changed
      if (swept.found < AT_ONCE || swept.changed === 0 || isStopped) return changed
    }
  }

  async function sweepApprovals(): Promise<Swept> {
    const due = await store.due(AT_ONCE)
    const last = due.at(-1)
    if (!last) return { found: 0, changed: 0 }
    const now = await store.now()
    const changed = await allDone(due.map((one) => sweepRow(store, one, now)))
    await probe('sweep.between_rows', last.approval)
    return { found: due.length, changed: changed.filter(Boolean).length }
  }

  async function sweepGrants(): Promise<Swept> {
    const due = await store.grants.due(AT_ONCE)
    const end = ({ id }: { readonly id: string }) =>
      store.grants.apply(id, { type: 'end', commandId: crypto.randomUUID() })
    await allDone(due.map(end))
    return { found: due.length, changed: due.length }
  }

  /** In short pieces: others have their turn in between, and more of it the longer a piece takes. */
  async function indexNew(): Promise<void> {
    for (;;) {
      const begun = performance.now()
      if (isStopped || !(await store.index?.())) return
      await new Promise((resolve) => setTimeout(resolve, performance.now() - begun))
    }
  }

  /** At once when something else is to be kept, and every hour. */
  async function eraseOld(wanted: number | undefined): Promise<void> {
    if (wanted === undefined) return
    const isDue = performance.now() - erased.at > ERASE_EVERY
    if (!isDue && wanted === erased.retain) return
    const now = await store.now()
    if (isStopped) return
    interrupting = new AbortController()
    await store.erase(now - wanted, interrupting.signal)
    erased = { at: performance.now(), retain: wanted }
  }

  // A look that fails is made up for by the next one.
  const timer = setInterval(() => void sweep().catch(() => {}), every)
  return {
    async sweep() {
      const changed = await sweep()
      await erasing
      await indexing
      return changed
    },
    async stop() {
      clearInterval(timer)
      isStopped = true
      interrupting?.abort()
      await sweeping?.catch(() => {})
      await erasing?.catch(() => {})
      await indexing?.catch(() => {})
    },
  }
}

interface Swept {
  readonly found: number
  readonly changed: number
}

/** Sent together, so that a store writes them together. Throws once nothing is under way any more. */
async function allDone<T>(all: readonly Promise<T>[]): Promise<T[]> {
  await Promise.allSettled(all)
  return Promise.all(all)
}

async function sweepRow(store: Store, { approval, lastSeen }: Due, now: number): Promise<boolean> {
  let changed = false
  for (const command of commandsFor(approval, lastSeen, now)) {
    try {
      const applied = await store.apply(approval.id, command)
      changed ||= applied.events.length > 0
    } catch (error) {
      // Another process was faster, or it is not due after all: then there is nothing to do.
      if (!isCountersignError(error) || error.code.startsWith('store_')) throw error
      changed ||= error.details.revision !== approval.revision
    }
  }
  return changed
}

function commandsFor(approval: Approval, lastSeen: number | undefined, now: number): Command[] {
  const sent = () => ({ commandId: crypto.randomUUID() })
  const { status, execution, decideBy, useBy = 0, terms } = approval
  if (execution) {
    return [{ ...sent(), type: 'lost', ...(lastSeen === undefined ? {} : { lastSeen }) }]
  }
  if (now >= (status === 'approved' ? useBy : decideBy)) return [{ ...sent(), type: 'expire' }]
  const { askedAt, remindedAt = askedAt } = approval
  const remind = terms.remindAfter !== undefined && now >= remindedAt + terms.remindAfter
  return [
    { ...sent(), type: 'escalate' },
    ...(remind ? [{ ...sent(), type: 'remind' } as const] : []),
  ]
}
