import { randomUUID } from 'node:crypto'
import { samePerson } from '../../approval/identity.ts'
import type { Assurance, PersonId } from '../../approval/person.ts'
import type { Json } from '../../base/json.ts'
import type { Records, StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { hashSecret, newSecret, SECRET, sameText } from './secret.ts'

export interface Session {
  readonly id: string
  readonly person: PersonId
  readonly assurance: Assurance
  readonly startedAt: number
  /** Whether this is the key that was given together with the cookie. */
  isKey(sent: string): boolean
}

export interface Sessions {
  /**
   * The secret for the cookie, the key for the page, and the session both stand for. Browsers send
   * a cookie to every port of a machine and with every request; the key stays with the page.
   */
  create(person: PersonId, bounds?: SessionBounds): Promise<NewSession>
  find(secret: string): Promise<Session | undefined>
  end(session: Session): Promise<void>
  /** False when it has ended: by signing out, by time, or with its person. */
  isLive(session: Session): Promise<boolean>
  /** Writes down who was here, and stops doing so by itself. */
  close(): Promise<void>
}

export interface NewSession {
  readonly secret: string
  readonly key: string
  readonly session: Session
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
  /** Hash of the key. */
  readonly key: string
}

/** The kind of record a session is kept as. */
export const SESSION_RECORD = 'session'
const IDLE_MS = 12 * 3_600_000
export const LONGEST_MS = 7 * 86_400_000
const NOTE_EVERY_MS = 300_000

export function createSessions(store: Pick<Store, 'records' | 'now' | 'amend'>): Sessions {
  const { records } = store
  // A request that only looks changes nothing, so being here is noted later and for all at once.
  const seen = new Set<string>()
  const timer = setInterval(() => void note().catch(() => {}), NOTE_EVERY_MS)
  timer.unref()

  async function note(): Promise<void> {
    const ids = [...seen]
    seen.clear()
    for (const id of ids) {
      const found = await records.get(SESSION_RECORD, id)
      if (!found) continue
      const { startedAt, longest = LONGEST_MS } = storedOf(found)
      const expiresAt = Math.min((await store.now()) + IDLE_MS, startedAt + longest)
      // One that was ended meanwhile stays ended.
      await records.put(SESSION_RECORD, id, found.value, { expect: found.revision, expiresAt })
    }
  }

  return {
    async create(person, { longest = LONGEST_MS } = {}) {
      const secret = newSecret()
      const id = hashSecret('session', secret)
      const startedAt = await store.now()
      const key = newSecret()
      const { issuer, subject } = person
      const stored: Stored = {
        person: { issuer, subject },
        assurance: 'signed-in',
        startedAt,
        longest,
        key: hashSecret('key', key),
      }
      const expiresAt = startedAt + Math.min(IDLE_MS, longest)
      const value = stored as unknown as Json
      await store.amend({
        commandId: randomUUID(),
        event: { type: 'session.started', ...eventOf(id, stored) },
        changes: [{ kind: SESSION_RECORD, id, value, expect: 'absent', expiresAt }],
      })
      return { secret, key, session: sessionOf(id, stored) }
    },
    async find(secret) {
      if (!SECRET.test(secret)) return undefined
      const id = hashSecret('session', secret)
      const found = await records.get(SESSION_RECORD, id)
      if (!found) return undefined
      seen.add(id)
      return sessionOf(id, storedOf(found))
    },
    async end({ id, person, assurance }) {
      seen.delete(id)
      // False: it had ended already, and that was recorded then or was its time.
      await store.amend({
        commandId: randomUUID(),
        event: { type: 'session.ended', ...eventOf(id, { person, assurance }) },
        changes: [{ kind: SESSION_RECORD, id, expect: 'present' }],
      })
    },
    isLive: async ({ id }) => (await records.get(SESSION_RECORD, id)) !== undefined,
    async close() {
      clearInterval(timer)
      await note().catch(() => {})
    },
  }
}

/** The names of all sessions these people have. */
export async function sessionsOf(
  records: Records,
  people: readonly PersonId[],
): Promise<readonly string[]> {
  const found: string[] = []
  let after: string | undefined
  do {
    const page = await records.list(SESSION_RECORD, after === undefined ? {} : { after })
    const theirs = page.records.filter((one) =>
      people.some((person) => samePerson(person, storedOf(one).person)),
    )
    found.push(...theirs.map(({ id }) => id))
    after = page.next
  } while (after !== undefined)
  return found
}

/** A session is named by the beginning of its hash: enough to tell two apart, of no other use. */
function eventOf(id: string, { person, assurance }: Pick<Stored, 'person' | 'assurance'>) {
  const { issuer, subject } = person
  return { by: { person: { issuer, subject } }, assurance, facts: { session: id.slice(0, 16) } }
}

function storedOf({ value }: StoredRecord): Stored {
  return value as unknown as Stored
}

function sessionOf(id: string, { person, assurance, startedAt, key }: Stored): Session {
  const isKey = (sent: string) => sameText(hashSecret('key', sent), key)
  return { id, person, assurance, startedAt, isKey }
}
