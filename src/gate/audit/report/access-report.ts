import { type PersonId, samePerson } from '../../../approval/people/person.ts'
import { given } from '../../../base/json/json.ts'
import {
  PASSKEY_RECORD,
  PERSON_RECORD,
  type RecordState,
  TOKEN_RECORD,
} from '../../../store/audit/audited-records.ts'
import {
  actorName,
  isWithin,
  listFact,
  nameOf,
  type Period,
  personOf,
  type ReportEntry,
  type ReportedEvent,
  subjectOf,
  textFact,
} from './entry.ts'

/** Who could do what at one moment, and what changed in a period. */
export interface AccessReport {
  readonly at: number
  readonly people: readonly AccessOfPerson[]
  readonly tokens: readonly AccessOfToken[]
  readonly changes: readonly AccessChange[]
}

export interface AccessOfPerson {
  readonly tenant: string
  readonly person: PersonId
  readonly roles: readonly string[]
  /** When they got these roles, and by whom. */
  readonly since: number
  readonly by: string
  readonly passkeys: number
  readonly lastSignIn?: number
  readonly lastDecision?: number
}

export interface AccessOfToken {
  readonly tenant: string
  readonly token: string
  readonly agent: string
  readonly since: number
  readonly by: string
  /** The application that signs its own users in, or the MCP client that acts for a person. */
  readonly vouches: boolean
  readonly client?: string
}

export interface AccessChange {
  readonly tenant: string
  readonly at: number
  readonly type: string
  readonly by: string
  readonly about: string
  readonly entry: string
}

const CHANGES = new Set([
  'person.added',
  'person.changed',
  'person.removed',
  'person.erased',
  'invite.made',
  'invite.revoked',
  'standin.set',
  'standin.ended',
  'passkey.added',
  'passkey.removed',
  'channel.linked',
  'channel.unlinked',
  'token.created',
  'token.revoked',
  'key.rotated',
  'key.revoked',
  'client.allowed',
  'client.refused',
  'lock.set',
  'lock.lifted',
  'hold.placed',
  'hold.released',
  'policy.loaded',
  'policy.applied',
  'switch.set',
  'switch.cleared',
  'grant.minted',
  'grant.revoked',
])

const ANSWERS = new Set(['decided', 'edited', 'denied'])

type Writable<T> = { -readonly [name in keyof T]: T[name] }

export interface AccessOptions extends Period {
  /** The moment of the review. */
  readonly at: number
  readonly tenant?: string | undefined
}

/** Replays the record up to the moment of the review. */
export class AccessReview {
  readonly #options: AccessOptions
  readonly #people = new Map<string, Writable<AccessOfPerson>>()
  readonly #tokens = new Map<string, KnownToken>()
  readonly #changes: AccessChange[] = []

  constructor(options: AccessOptions) {
    this.#options = options
  }

  take({ hash, event, records }: ReportEntry): void {
    const { at, tenant } = this.#options
    if (event.at > at || (tenant !== undefined && event.tenant !== tenant)) return
    for (const one of records) this.#replay(event, one)
    this.#note(event)
    if (!CHANGES.has(event.type) || !isWithin(event.at, this.#options)) return
    this.#changes.push({
      ...{ tenant: event.tenant, at: event.at, type: event.type, by: actorName(event.by) },
      about: aboutOf(event),
      entry: hash,
    })
  }

  result(): AccessReport {
    const { at } = this.#options
    const people = [...this.#people.values()].sort((one, two) =>
      nameOf(one.person) < nameOf(two.person) ? -1 : 1,
    )
    const tokens = [...this.#tokens.values()].flatMap(({ expiresAt, ...token }) =>
      expiresAt === undefined || expiresAt > at ? [token] : [],
    )
    return { at, people, tokens, changes: this.#changes }
  }

  /** Records say what was left and what is gone, also where one entry removes several. */
  #replay(event: ReportedEvent, { kind, id, was, now, expiresAt }: RecordState): void {
    const key = JSON.stringify([event.tenant, id])
    if (kind === PERSON_RECORD) {
      const person = subjectOf(event)
      if (now === undefined) this.#people.delete(key)
      else if (person) this.#people.set(key, this.#personAfter(event, person, key))
    } else if (kind === PASSKEY_RECORD) {
      const [owner = ''] = id.split('.')
      const found = this.#people.get(JSON.stringify([event.tenant, owner]))
      if (found) found.passkeys += Number(now !== undefined) - Number(was !== undefined)
    } else if (kind === TOKEN_RECORD) {
      if (now === undefined) this.#tokens.delete(key)
      else if (event.type === 'token.created') {
        this.#tokens.set(key, { ...tokenOf(event), ...given({ expiresAt }) })
      }
    }
  }

  #personAfter(event: ReportedEvent, person: PersonId, key: string): AccessOfPerson {
    const before = this.#people.get(key)
    const roles = listFact(event, 'roles')
    const isSame = before && JSON.stringify(before.roles) === JSON.stringify(roles)
    return {
      ...(before ?? { passkeys: 0 }),
      ...{ tenant: event.tenant, person, roles },
      since: isSame ? before.since : event.at,
      by: isSame ? before.by : actorName(event.by),
    }
  }

  #note({ type, tenant, at, by }: ReportedEvent): void {
    const actor = personOf(by)
    if (!actor || !(type === 'session.started' || ANSWERS.has(type))) return
    for (const found of this.#people.values()) {
      if (found.tenant !== tenant || !samePerson(found.person, actor)) continue
      if (type === 'session.started') found.lastSignIn = at
      else found.lastDecision = at
    }
  }
}

interface KnownToken extends AccessOfToken {
  readonly expiresAt?: number
}

function tokenOf(event: ReportedEvent): AccessOfToken {
  const client = textFact(event, 'client')
  return {
    ...{ tenant: event.tenant, token: textFact(event, 'token') ?? '' },
    agent: textFact(event, 'agent') ?? '',
    ...{ since: event.at, by: actorName(event.by), vouches: event.facts?.vouches === true },
    ...given({ client }),
  }
}

/** What an entry is about, in its own words: ids and names, never content. */
function aboutOf(event: ReportedEvent): string {
  const person = subjectOf(event)
  const roles = listFact(event, 'roles')
  if (person) return [nameOf(person), roles.join(' ')].filter((one) => one !== '').join(': ')
  return Object.entries({ ...event.facts, ...(event.grant ? { grant: event.grant } : {}) })
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join(' ') : String(value)}`)
    .join(', ')
}
