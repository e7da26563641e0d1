import { randomUUID } from 'node:crypto'
import { type Assurance, type PersonId, samePerson } from '../../approval/people/person.ts'
import type { Actor } from '../../approval/transition.ts'
import type { Json } from '../../base/json/json.ts'
import { allDevices, type StoredDevice, withoutDevices } from '../../store/records/device-record.ts'
import { allRecords, type Records, type StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { accountKey } from './people.ts'
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
  /** Browsers that were last used in it get no more push messages. */
  end(session: Session): Promise<void>
  /** Ends all sessions of a person, and their devices. Returns how many sessions there were. */
  endAll(person: PersonId, by: Actor): Promise<number>
  /** When each person last signed in and how many sessions they have, by account key. */
  overview(): Promise<ReadonlyMap<string, SignIns>>
  /** Those of these that have not ended: by signing out, by time, or with their person. */
  live(ids: readonly string[]): Promise<ReadonlySet<string>>
  /** Writes down who was here, and stops doing so by itself. */
  close(): Promise<void>
}

export interface SignIns {
  readonly lastAt?: number
  readonly sessions: number
}

export interface NewSession {
  readonly secret: string
  readonly key: string
  readonly session: Session
}

export interface SessionBounds {
  /** How long it lives at most, however much it is used: 7 days unless less. */
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
/** Outlives the sessions: when a person last signed in. */
export const LAST_SIGN_IN_RECORD = 'last sign-in'
const IDLE_MS = 12 * 3_600_000
export const LONGEST_MS = 7 * 86_400_000
const NOTE_EVERY_MS = 300_000
/** More sessions than this are found by reading all of them, a page at a time. */
const ONE_BY_ONE = 8

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

  /** Asked once more when a session is over: one may have been turned on while it ended. */
  async function endDevices(isIts: (device: StoredDevice) => boolean): Promise<void> {
    const devices = (await allDevices(records)).filter(isIts)
    for (const { kind, id } of withoutDevices(devices)) await records.remove(kind, id)
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
        changes: [
          { kind: SESSION_RECORD, id, value, expect: 'absent', expiresAt },
          { kind: LAST_SIGN_IN_RECORD, id: accountKey(person), value: { at: startedAt } },
        ],
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
      const devices = (await allDevices(records)).filter(({ session }) => session === id)
      // False: it had ended already, and that was recorded then or was its time.
      await store.amend({
        commandId: randomUUID(),
        event: { type: 'session.ended', ...eventOf(id, { person, assurance }) },
        changes: [{ kind: SESSION_RECORD, id, expect: 'present' }, ...withoutDevices(devices)],
      })
      await endDevices(({ session }) => session === id)
    },
    async endAll(person, by) {
      let ended = 0
      await endDevices((device) => samePerson(device.person, person))
      for (const id of await sessionsOf(records, [person])) {
        seen.delete(id)
        const { issuer, subject } = person
        const facts = { session: id.slice(0, 16), issuer, subject }
        const isDone = await store.amend({
          commandId: randomUUID(),
          event: { type: 'session.ended', by, facts },
          changes: [{ kind: SESSION_RECORD, id, expect: 'present' }],
        })
        if (isDone) ended += 1
      }
      await endDevices((device) => samePerson(device.person, person))
      return ended
    },
    async overview() {
      const found = new Map<string, SignIns>()
      for (const { id, value } of await allRecords(records, LAST_SIGN_IN_RECORD)) {
        found.set(id, { lastAt: (value as { readonly at: number }).at, sessions: 0 })
      }
      for (const record of await allRecords(records, SESSION_RECORD)) {
        const key = accountKey(storedOf(record).person)
        const known = found.get(key)
        found.set(key, { ...known, sessions: (known?.sessions ?? 0) + 1 })
      }
      return found
    },
    async live(ids) {
      const found =
        ids.length > ONE_BY_ONE
          ? await allRecords(records, SESSION_RECORD)
          : await Promise.all(ids.map((id) => records.get(SESSION_RECORD, id)))
      const known = new Set(found.flatMap((one) => one?.id ?? []))
      return new Set(ids.filter((id) => known.has(id)))
    },
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
  const all = await allRecords(records, SESSION_RECORD)
  return all
    .filter((one) => people.some((person) => samePerson(person, storedOf(one).person)))
    .map(({ id }) => id)
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
