import type { Assurance, PersonId } from '../../approval/person.ts'
import type { Json } from '../../base/json.ts'
import type { Records, StoredRecord } from '../../store/records.ts'
import { hashSecret, newSecret, SECRET } from './secret.ts'

export interface Session {
  readonly id: string
  readonly person: PersonId
  readonly assurance: Assurance
  /** Proves that a change was made by a page that may read what this server answers. */
  readonly csrf: string
}

export interface Sessions {
  /** The secret for the cookie, and the session it stands for. */
  create(
    person: PersonId,
    bounds?: SessionBounds,
  ): Promise<{ readonly secret: string; readonly session: Session }>
  find(secret: string): Promise<Session | undefined>
  end(session: Session): Promise<void>
  /** Writes down who was here, and stops doing so by itself. */
  close(): Promise<void>
}

export interface SessionBounds {
  /** How long it lives at most, whoever uses it: 7 days unless less. */
  readonly longest?: number
}

interface Stored {
  readonly person: PersonId
  readonly assurance: Assurance
  readonly startedAt: number
  readonly longest?: number
}

const KIND = 'session'
const IDLE_MS = 12 * 3_600_000
export const LONGEST_MS = 7 * 86_400_000
const NOTE_EVERY_MS = 300_000

export function createSessions(records: Records, now: () => Promise<number>): Sessions {
  // A request that only looks changes nothing, so being here is noted later and for all at once.
  const seen = new Set<string>()
  const timer = setInterval(() => void note().catch(() => {}), NOTE_EVERY_MS)
  timer.unref()

  async function note(): Promise<void> {
    const ids = [...seen]
    seen.clear()
    for (const id of ids) {
      const found = await records.get(KIND, id)
      if (!found) continue
      const { startedAt, longest = LONGEST_MS } = storedOf(found)
      const expiresAt = Math.min((await now()) + IDLE_MS, startedAt + longest)
      // One that was ended meanwhile stays ended.
      await records.put(KIND, id, found.value, { expect: found.revision, expiresAt })
    }
  }

  return {
    async create(person, { longest = LONGEST_MS } = {}) {
      const secret = newSecret()
      const id = hashSecret('session', secret)
      const startedAt = await now()
      const { issuer, subject } = person
      const stored: Stored = {
        person: { issuer, subject },
        assurance: 'signed-in',
        startedAt,
        longest,
      }
      const expiresAt = startedAt + Math.min(IDLE_MS, longest)
      await records.put(KIND, id, stored as unknown as Json, { expect: 'absent', expiresAt })
      return { secret, session: sessionOf(id, secret, stored) }
    },
    async find(secret) {
      if (!SECRET.test(secret)) return undefined
      const id = hashSecret('session', secret)
      const found = await records.get(KIND, id)
      if (!found) return undefined
      seen.add(id)
      return sessionOf(id, secret, storedOf(found))
    },
    async end({ id }) {
      seen.delete(id)
      await records.remove(KIND, id)
    },
    async close() {
      clearInterval(timer)
      await note().catch(() => {})
    },
  }
}

function storedOf({ value }: StoredRecord): Stored {
  return value as unknown as Stored
}

function sessionOf(id: string, secret: string, { person, assurance }: Stored): Session {
  // Made from the cookie's secret, which no page can read; so it need not be stored.
  return { id, person, assurance, csrf: hashSecret('csrf', secret) }
}
