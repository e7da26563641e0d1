import type { WirePerson } from '../api/common.ts'
import type { Readers } from '../api/talk/talk.ts'

/** Who has which card open, in the memory of this process alone. */
export interface Presence {
  /** Says so for the next seconds, and tells the others when it is news. */
  read(approval: string, reader: WirePerson): Readers
  /** Forgets those who said nothing for a while. */
  sweep(): void
  close(): void
}

/** Pages say it every 5 seconds; two of them may get lost. */
export const READING_MS = 12_000
const SWEEP_MS = 1_500
const MOST_SHOWN = 20
/** People and cards at once. Beyond that, only those who came first are shown. */
const MOST_KEPT = 10_000

interface Kept {
  readonly person: WirePerson
  until: number
}

export function createPresence(
  tell: (readers: Readers) => void,
  now: () => number = () => performance.now(),
): Presence {
  const cards = new Map<string, Map<string, Kept>>()
  let kept = 0
  let timer: ReturnType<typeof setInterval> | undefined

  function readersOf(id: string): Readers {
    const people = [...(cards.get(id)?.values() ?? [])].filter(({ until }) => until > now())
    return { id, readers: people.slice(0, MOST_SHOWN).map(({ person }) => person) }
  }

  function sweep(): void {
    for (const [id, readers] of cards) {
      const gone = [...readers].filter(([, { until }]) => until <= now())
      for (const [name] of gone) readers.delete(name)
      kept -= gone.length
      if (readers.size === 0) cards.delete(id)
      if (gone.length > 0) tell(readersOf(id))
    }
    if (cards.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    read(id, person) {
      const readers = cards.get(id) ?? new Map<string, Kept>()
      const name = JSON.stringify([person.issuer, person.subject])
      const before = readers.get(name)
      const until = now() + READING_MS
      if (before) before.until = until
      else if (kept < MOST_KEPT) {
        cards.set(id, readers.set(name, { person, until }))
        kept += 1
        if (timer === undefined) {
          timer = setInterval(sweep, SWEEP_MS)
          timer.unref()
        }
        tell(readersOf(id))
      }
      return readersOf(id)
    },
    sweep,
    close() {
      clearInterval(timer)
      cards.clear()
    },
  }
}
