/** Room for one session, as it takes it: a process of a server, say. */
export interface Places {
  /** Gives what gives the place back. Throws where there is none. */
  take(what: string): Promise<() => void>
}

/**
 * What a session does now. An open stream alone is no work; a call that was sent to its server may
 * have had an effect already, so it is never ended to make room.
 */
export type Activity = 'idle' | 'listening' | 'waiting' | 'running'

/** A session that takes places. */
export interface Holder {
  /** The credential it came with. Never a name that a client chooses. */
  readonly owner: string
  /** When its client last asked for something, on the clock of `performance.now`. */
  readonly usedAt: number
  readonly activity: Activity
  /** Ends the session; afterwards its places are free. */
  end(): Promise<void>
}

export interface NoRoom {
  readonly what: string
  readonly most: number
  /** How many its owner has, where that is all that one owner may have. */
  readonly own: number | undefined
}

export interface PlaceOptions {
  readonly most: number
  refuse(none: NoRoom): Error
}

// A session that was silent for so long makes room, whichever owner it has.
const SILENT_MS = 5 * 60_000
const KEPT_FOR_OTHERS = 0.2

/**
 * At most so many places of each kind, shared out among owners. A part of them is out of reach for
 * any one owner. When all are taken, an owner that has less than its share gets one of an owner
 * that has more.
 */
export function createPlaces({ most, refuse }: PlaceOptions) {
  const taken = new Map<string, Set<Holder>>()
  const ending = new Map<Holder, Promise<void>>()
  const mostOfOne = Math.max(1, most - Math.ceil(most * KEPT_FOR_OTHERS))

  function end(holder: Holder): Promise<void> {
    let ended = ending.get(holder)
    if (!ended) {
      ended = holder.end().finally(() => ending.delete(holder))
      ending.set(holder, ended)
    }
    return ended
  }

  async function take(what: string, holder: Holder): Promise<() => void> {
    const holders = taken.get(what) ?? new Set()
    taken.set(what, holders)
    const tried = new Set<Holder>([holder])
    for (;;) {
      const own = [...holders].filter(({ owner }) => owner === holder.owner)
      const isFree = holders.size < most
      if (isFree && own.length < mostOfOne) break
      const among = [...(isFree ? own : holders)].filter((one) => !tried.has(one))
      const next = whoMakesRoom(among, [...holders, holder], most, holder.owner)
      if (!next) throw refuse({ what, most, own: isFree ? own.length : undefined })
      tried.add(next)
      await end(next)
    }
    holders.add(holder)
    return () => void holders.delete(holder)
  }

  return {
    for: (holder: Holder): Places => ({ take: (what) => take(what, holder) }),
  }
}

/** The one to end, or undefined where every owner has a right to their place. */
function whoMakesRoom(
  among: readonly Holder[],
  all: readonly Holder[],
  most: number,
  owner: string,
): Holder | undefined {
  const counts = new Map<string, number>()
  for (const one of all) counts.set(one.owner, (counts.get(one.owner) ?? 0) + 1)
  const share = Math.max(1, Math.floor(most / counts.size))
  const over = ({ owner: whose }: Holder) => (counts.get(whose) ?? 0) > share
  // The owner who asks is counted with the place they ask for.
  const isBelow = (counts.get(owner) ?? 0) <= share
  const now = performance.now()
  const order = (one: Holder): number | undefined => {
    const isSilent = now - one.usedAt >= SILENT_MS
    const isQuiet = one.activity === 'idle' || one.activity === 'listening'
    if (isBelow && over(one) && isQuiet) return 0
    if (isSilent && one.activity === 'idle') return 1
    if (isBelow && over(one) && one.activity === 'waiting') return 2
    if (isBelow && isSilent && isQuiet) return 3
    return undefined
  }
  const [first] = among
    .flatMap((one) => {
      const at = order(one)
      return at === undefined ? [] : [{ one, at }]
    })
    .sort((a, b) => a.at - b.at || a.one.usedAt - b.one.usedAt)
  return first?.one
}
