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

/** Hints as they come, also from other processes, until the signal or the reader ends it. */
export async function* watch(
  store: Store,
  { from = 'end', signal }: WatchOptions,
): AsyncGenerator<Hints, void, undefined> {
  let { cursor } = await store
    .eventsSince(from, 1)
    .then((feed) => (from === 'end' ? feed : { cursor: from }))
  let changed = true
  let wake = () => {}
  const notice = () => {
    changed = true
    wake()
  }
  const leave = store.subscribe(notice)
  signal?.addEventListener('abort', notice, { once: true })
  try {
    while (!signal?.aborted) {
      if (!changed) {
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      changed = false
      const feed = await store.eventsSince(cursor)
      if (feed.entries.length > 0) changed = true
      cursor = feed.cursor
      const hints = feed.entries.flatMap(({ event }) =>
        'approval' in event ? [hintOf(event)] : [],
      )
      if (hints.length > 0) yield { hints, cursor }
    }
  } finally {
    leave()
    signal?.removeEventListener('abort', notice)
  }
}

function hintOf({ approval, revision, status }: Event): Hint {
  return { id: approval, revision, status }
}
