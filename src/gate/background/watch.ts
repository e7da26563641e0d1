import type { Status } from '../../approval/approval.ts'
import type { Event } from '../../approval/transition.ts'
import type { Store } from '../../store/store.ts'

/** Something happened to these approvals. No arguments: permitted readers look them up. */
export interface Hints {
  readonly hints: readonly Hint[]
  /** Where to go on after a break. */
  readonly cursor: string
}

export interface Hint {
  readonly id: string
  readonly revision: number
  readonly status: Status
}

export interface WatchOptions {
  /** `cursor` of earlier hints; from now on unless set. */
  readonly from?: string
  readonly signal?: AbortSignal
}

/** Approvals told of ahead of the feed that are remembered, and changes that are looked up so. */
const KNOWN = 1_000

/**
 * Hints as they come, also from other processes, until the signal or the reader ends it. The feed of
 * Postgres waits for the oldest transaction of the whole cluster that still writes. People do not:
 * what a notification names and the feed does not is looked up.
 */
export async function* watch(
  store: Store,
  { from = 'end', signal }: WatchOptions,
): AsyncGenerator<Hints, void, undefined> {
  let { cursor } = await store
    .eventsSince(from, 1)
    .then((feed) => (from === 'end' ? feed : { cursor: from }))
  let changed = true
  let wake = () => {}
  const named = new Set<string>()
  const ahead = new Map<string, number>()
  const notice = (ids: readonly string[] = []) => {
    for (const id of ids) if (named.size < KNOWN) named.add(id)
    changed = true
    wake()
  }
  const abort = () => notice()

  async function aheadOf(hints: readonly Hint[], ids: readonly string[]): Promise<Hint[]> {
    const fed = new Set(hints.map(({ id }) => id))
    const missing = ids.filter((id) => !fed.has(id))
    const found = missing.length === 0 ? [] : await store.getMany(missing)
    const fresh = found.filter(({ id, revision }) => revision > (ahead.get(id) ?? 0))
    for (const { id, revision } of fresh) ahead.set(id, revision)
    for (const id of ahead.keys()) if (ahead.size > KNOWN) ahead.delete(id)
    return fresh.map(({ id, revision, status }) => ({ id, revision, status }))
  }

  const leave = store.subscribe(notice)
  signal?.addEventListener('abort', abort, { once: true })
  try {
    while (!signal?.aborted) {
      if (!changed) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      changed = false
      const ids = [...named]
      named.clear()
      const feed = await store.eventsSince(cursor)
      if (feed.entries.length > 0) changed = true
      cursor = feed.cursor
      const fed = feed.entries.flatMap(({ event }) => ('approval' in event ? [hintOf(event)] : []))
      const early = await aheadOf(fed, ids)
      // Told ahead of the feed already, or told now at a later revision.
      const late = fed.filter(({ id, revision }) => revision > (ahead.get(id) ?? 0))
      for (const { id, revision } of fed) if (revision >= (ahead.get(id) ?? 0)) ahead.delete(id)
      const hints = [...late, ...early]
      if (hints.length > 0) yield { hints, cursor }
    }
  } finally {
    leave()
    signal?.removeEventListener('abort', abort)
  }
}

function hintOf({ approval, revision, status }: Event): Hint {
  return { id: approval, revision, status }
}
