import type { Approval } from '../../approval/approval.ts'
import type { Command } from '../../approval/command.ts'
import { isCountersignError } from '../../base/errors.ts'
import type { Due, Store } from '../../store/store.ts'
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
const ROWS = 100

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
    const due = await store.due(ROWS)
    const now = due.length > 0 ? await store.now() : 0
    let changed = 0
    for (const one of due) {
      if (await sweepRow(store, one, now)) changed += 1
      await probe('sweep.between_rows', one.approval)
    }
    for (const { id } of await store.grants.due(ROWS)) {
      await store.grants.apply(id, { type: 'end', commandId: crypto.randomUUID() })
      changed += 1
    }
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
