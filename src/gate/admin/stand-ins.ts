import type { Approval } from '../../approval/approval.ts'
import { withoutAnswered } from '../../approval/commands/decide.ts'
import { lockedBecause, lockOnPerson } from '../../approval/locks/lock.ts'
import { type Absent, ASSURANCES, type Person, samePerson } from '../../approval/people/person.ts'
import { neededFor } from '../../approval/people/quorum.ts'
import { withoutStale } from '../../approval/people/removed.ts'
import {
  isAhead,
  isInForce,
  MAX_STAND_IN_MS,
  type NamedLogin,
  readStandIn,
  type StandIn,
  standInsOf,
  standingFor,
} from '../../approval/people/stand-in.ts'
import { MAX_ABSENT } from '../../approval/shape.ts'
import { CountersignError } from '../../base/errors.ts'
import { newId } from '../../base/id.ts'
import type { Json } from '../../base/json/json.ts'
import { STAND_IN_RECORD } from '../../store/records/stand-in-record.ts'
import { allRecords } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { People } from '../people.ts'
import { type LockCopy, lockCopy } from './operator-state.ts'

export interface NewStandIn {
  /** Who is away. */
  readonly absent: NamedLogin
  readonly standIn: NamedLogin
  /** On the store's clock. Now, unless set. */
  readonly from?: number
  /** Mandatory, and at most 90 days after it begins. */
  readonly until: number
  readonly reason?: string
}

/** What people do about being away. Refusals are thrown as `CountersignError`. */
export interface StandIns {
  /** Those that hold, and those to come. */
  list(): Promise<readonly StandIn[]>
  /** By the absent person, or an admin who is not the one to stand in. */
  set(by: Person, standIn: NewStandIn): Promise<StandIn>
  /** By either of the two, or an admin. What was said under it stays said. */
  end(by: Person, id: string): Promise<StandIn>
  /** By an admin: ends it, and what was said under it stops counting. */
  takeBack(by: Person, id: string): Promise<StandIn>
  /** The person, with those they may answer for now. */
  withAbsent(person: Person): Promise<Person>
}

interface Parts {
  readonly store: Store
  readonly people: People
  readonly locks: LockCopy
}

/** Longer than a question and its yes can live: so long what was taken back is remembered. */
export const REMEMBERED_MS = 2 * 366 * 86_400_000
const FURTHEST_MS = 366 * 86_400_000
const MOST_REASON = 1_000

export function createStandIns({ store, people, locks }: Parts): StandIns {
  async function list(): Promise<readonly StandIn[]> {
    const [found, now] = await Promise.all([standInRecords(store), store.now()])
    return found.filter((one) => isAhead(one, now)).sort((a, b) => a.until - b.until)
  }

  async function assertMay(by: Person, isTheirs: boolean): Promise<void> {
    const own = lockOnPerson(await locks.current(), by, locks.now())
    if (own) throw new CountersignError('locked', lockedBecause(own))
    if (ASSURANCES.indexOf(by.assurance) < ASSURANCES.indexOf('signed-in')) {
      throw new CountersignError('assurance_too_low', 'this is done where one is signed in')
    }
    if (!by.locked && (isTheirs || by.roles.includes('admin'))) return
    throw new CountersignError('not_permitted', 'only an admin does this for others')
  }

  /** An unknown, removed or locked person lends nothing and cannot stand in. */
  async function assertKnown(login: NamedLogin): Promise<void> {
    const person = await people.lookup(asPerson(login))
    if (!person) {
      throw new CountersignError('not_found', `there is no ${nameOf(login)} here`, {
        hint: 'They have to be added, or to sign in, first.',
      })
    }
    const lock = lockOnPerson(await locks.current(), person, locks.now())
    if (!person.locked && !lock) return
    throw new CountersignError('not_permitted', `${nameOf(login)} is locked`)
  }

  async function found(id: string): Promise<StandIn> {
    const one = (await list()).find((standIn) => standIn.id === id)
    if (one) return one
    throw new CountersignError('not_found', `there is no stand-in ${id}`, {
      hint: 'It has ended; `countersign people stand-in --list` shows those that hold.',
    })
  }

  async function close(by: Person, one: StandIn, isVoid: boolean): Promise<StandIn> {
    const { id, absent, standIn } = one
    const change = isVoid
      ? {
          value: { ...one, void: true } as unknown as Json,
          expiresAt: (await store.now()) + REMEMBERED_MS,
        }
      : {}
    const isDone = await store.amend({
      commandId: crypto.randomUUID(),
      event: {
        type: 'standin.ended',
        by: { person: { issuer: by.issuer, subject: by.subject } },
        assurance: by.assurance,
        facts: { ...facts(id, absent, standIn), ...(isVoid ? { void: true } : {}) },
      },
      changes: [{ kind: STAND_IN_RECORD, id, expect: 'present', ...change }],
    })
    if (isDone) return one
    throw new CountersignError('not_found', `there is no stand-in ${id}`)
  }

  return {
    list,
    async set(by, { absent, standIn, reason, ...wish }) {
      await assertMay(by, samePerson(by, absent))
      if (isSameHuman(absent, standIn)) {
        throw new CountersignError('invalid_value', 'people cannot stand in for themselves')
      }
      if (!samePerson(by, absent) && isSameHuman(by, standIn)) {
        throw new CountersignError('not_permitted', 'people cannot make themselves a stand-in', {
          hint: `Ask ${nameOf(absent)}, or another admin.`,
        })
      }
      await assertKnown(absent)
      await assertKnown(standIn)
      const now = await store.now()
      const from = Math.max(now, wish.from ?? now)
      checkSpan(from, wish.until, now)
      const why = reason?.trim()
      if (why !== undefined && why.length > MOST_REASON) {
        throw new CountersignError('too_large', `a reason has at most ${MOST_REASON} characters`)
      }
      await assertRoom(standIn)
      const id = newId()
      const one: StandIn = {
        id,
        absent: login(absent),
        standIn: login(standIn),
        from,
        until: wish.until,
        by: { issuer: by.issuer, subject: by.subject },
        at: now,
        ...(why ? { reason: why } : {}),
      }
      await store.amend({
        commandId: crypto.randomUUID(),
        event: {
          type: 'standin.set',
          by: { person: one.by },
          assurance: by.assurance,
          facts: { ...facts(id, absent, standIn), from, until: one.until },
        },
        changes: [
          {
            kind: STAND_IN_RECORD,
            id,
            value: one as unknown as Json,
            expect: 'absent',
            expiresAt: one.until,
          },
        ],
        ...(why ? { content: [{ key: `${id}/1/reason`, kind: 'reason', value: why }] } : {}),
      })
      return one
    },
    async end(by, id) {
      const one = await found(id)
      await assertMay(by, samePerson(by, one.absent) || samePerson(by, one.standIn))
      return close(by, one, false)
    },
    async takeBack(by, id) {
      await assertMay(by, false)
      return close(by, await found(id), true)
    },
    withAbsent: (person) => withAbsent({ store, people }, person),
  }

  async function assertRoom(standIn: NamedLogin): Promise<void> {
    const theirs = (await list()).filter((one) => samePerson(one.standIn, standIn))
    if (theirs.length < MAX_ABSENT) return
    throw new CountersignError(
      'too_large',
      `${nameOf(standIn)} stands in for ${MAX_ABSENT} people already`,
    )
  }
}

/** Those that hold, are to come, or were taken back. */
export async function standInRecords(store: Store): Promise<readonly StandIn[]> {
  const found = await allRecords(store.records, STAND_IN_RECORD)
  if (found.length === 0) return []
  const standIns = found.map(({ id, value }) => readStandIn(id, value))
  return withoutStale(standIns, await lockCopy(store).current())
}

/** A person who may answer one question for another who is away. */
export interface Deputy {
  readonly person: Person
  readonly absent: Absent
}

/** The people who may answer this one in the place of an absent approver. */
export async function deputiesFor(
  { store, people }: Pick<Parts, 'store' | 'people'>,
  approval: Approval,
): Promise<readonly Deputy[]> {
  const standIns = await standInRecords(store)
  if (standIns.length === 0) return []
  const now = await store.now()
  const found = await Promise.all(
    standIns
      .filter((one) => isInForce(one, now))
      .map(async (one): Promise<Deputy[]> => {
        const person = await people.lookup(asPerson(one.standIn))
        const absent = await absentNow(people, one)
        if (!person || !absent) return []
        const deputy = withoutAnswered(approval, { ...person, for: [absent] })
        const isNeeded = neededFor(approval, deputy).length > 0
        return isNeeded ? [{ person, absent }] : []
      }),
  )
  return found.flat()
}

/**
 * The person, with all they stand in for now and the places these have now. By the copy: the store
 * looks again, and leaves out who no longer stands in. Unknown facts about an absent person, such as
 * a group their provider told us nothing of, are not lent.
 */
export async function withAbsent(
  { store, people }: Pick<Parts, 'store' | 'people'>,
  person: Person,
): Promise<Person> {
  const copy = lockCopy(store)
  const locks = await copy.current()
  if (copy.standIns.length === 0) return standingFor(person, [])
  const standIns = withoutStale(copy.standIns, locks)
  const mine = standInsOf(standIns, person, await store.now()).slice(0, MAX_ABSENT)
  const absent = await Promise.all(mine.map((one) => absentNow(people, one)))
  return standingFor(
    person,
    absent.filter((one) => one !== undefined),
  )
}

async function absentNow(people: People, { id, absent }: StandIn): Promise<Absent | undefined> {
  const now = await people.lookup(asPerson(absent))
  if (!now) return undefined
  const { issuer, subject, email, emailVerified, groups, locked } = now
  return {
    issuer,
    subject,
    ...(email === undefined ? {} : { email }),
    ...(emailVerified === undefined ? {} : { emailVerified }),
    groups,
    ...(locked === undefined ? {} : { locked }),
    standIn: id,
  }
}

function asPerson({ issuer, subject, email }: NamedLogin): Person {
  const known = email === undefined ? {} : { email, emailVerified: true }
  return { issuer, subject, ...known, groups: [], roles: [], assurance: 'elicitation' }
}

function isSameHuman(a: NamedLogin, b: NamedLogin): boolean {
  const [one, other] = [a.email?.toLowerCase(), b.email?.toLowerCase()]
  return samePerson(a, b) || (one !== undefined && one === other)
}

function checkSpan(from: number, until: number, now: number): void {
  if (until <= from) {
    throw new CountersignError(
      'invalid_value',
      'a stand-in ends after it begins, and in the future',
    )
  }
  if (until - from > MAX_STAND_IN_MS) {
    throw new CountersignError('invalid_value', 'a stand-in lasts 90 days at most', {
      hint: 'For longer, change who is named in the policy.',
    })
  }
  if (from - now > FURTHEST_MS) {
    throw new CountersignError('invalid_value', 'a stand-in begins within a year')
  }
}

function login({ issuer, subject, email }: NamedLogin): NamedLogin {
  return { issuer, subject, ...(email === undefined ? {} : { email }) }
}

/** Ids for the audit. An address stays out of it: what the audit holds can never be erased. */
function facts(id: string, absent: NamedLogin, standIn: NamedLogin) {
  return {
    standIn: id,
    issuer: absent.issuer,
    subject: absent.subject,
    byIssuer: standIn.issuer,
    bySubject: standIn.subject,
  }
}

function nameOf({ email, subject }: NamedLogin): string {
  return email ?? subject
}
