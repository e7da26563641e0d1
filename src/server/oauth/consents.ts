import { randomBytes, randomUUID } from 'node:crypto'
import { type PersonId, personId, samePerson } from '../../approval/people/person.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import { TOKEN_RECORD } from '../../store/audit/audited-records.ts'
import type { RecordChange } from '../../store/engine/amendment.ts'
import { allRecords } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import type { PersonCaller } from '../identity/caller.ts'
import { hashSecret, newSecret } from '../identity/secret.ts'
import type { StoredToken } from '../identity/tokens.ts'
import type { Authorization } from './authorization.ts'
import { agentOfClient } from './client-id.ts'

/** What a code stands for, under its hash. Kept after its use, so that a second one is noticed. */
export interface StoredCode {
  readonly client: string
  readonly redirect: string
  readonly challenge: string
  readonly resource: string
  readonly person: PersonId
  readonly agent: string
  /** The name of the connection that it makes. */
  readonly connection: string
  /** Given without a question: the connection that the person had allowed before. */
  readonly under?: string
  /** It is worth nothing from then on. */
  readonly until: number
  readonly used?: true
}

interface StoredRequest extends Pick<StoredCode, 'client' | 'redirect' | 'challenge' | 'resource'> {
  readonly person: PersonId
  readonly session: string
  readonly state?: string
}

/** What a person said to a client. */
interface Answered {
  readonly redirect: URL
  readonly state: string | undefined
  /** Absent: they refused. */
  readonly code: string | undefined
}

/** Questions to people about clients, each answered once, by the session that was asked. */
export interface Consents {
  /** Whether they allowed this client, and did not take it back. */
  isAllowed(person: PersonId, client: string): Promise<boolean>
  /** Keeps the request, and gives the name to answer it by. */
  open(wanted: Authorization, caller: PersonCaller): Promise<string>
  /** Throws `not_found` for every answer but the first. */
  answer(request: string, caller: PersonCaller, isAllowed: boolean): Promise<Answered>
  /** A code without another question; undefined where the person has to be asked. */
  again(wanted: Authorization, caller: PersonCaller): Promise<string | undefined>
}

const REQUEST_RECORD = 'oauth request'
export const CODE_RECORD = 'oauth code'
const REQUEST_MS = 600_000
const CODE_MS = 60_000
/** How long a code is remembered after its end. */
const REMEMBERED_MS = 3_600_000

export function codeKey(code: string): string {
  return hashSecret('oauth-code', code)
}

export function createConsents(store: Store): Consents {
  const { records } = store

  const requestKey = (request: string) => hashSecret('oauth-request', request)

  async function connectionsWith(person: PersonId, client: string): Promise<StoredToken[]> {
    return (await allRecords(records, TOKEN_RECORD))
      .map(({ value }) => value as unknown as StoredToken)
      .filter((token) => token.client?.id === client && samePerson(token.client.person, person))
  }

  async function codeFor(wanted: Omit<StoredRequest, 'session' | 'state'>, under?: string) {
    const code = newSecret()
    const until = (await store.now()) + CODE_MS
    const { client, redirect, challenge, resource, person } = wanted
    const value: StoredCode = {
      ...{ client, redirect, challenge, resource, person, until },
      agent: agentOfClient(new URL(client)),
      connection: randomBytes(6).toString('hex'),
      ...(under === undefined ? {} : { under }),
    }
    const change = {
      kind: CODE_RECORD,
      id: codeKey(code),
      value: value as unknown as Json,
      expect: 'absent',
      expiresAt: until + REMEMBERED_MS,
    } as const satisfies RecordChange
    return { code, change }
  }

  return {
    async isAllowed(person, client) {
      return (await connectionsWith(person, client)).length > 0
    },
    async open(wanted, { account, session }) {
      const request = newSecret()
      const value: StoredRequest = {
        ...plain(wanted, account),
        session: session.id,
        ...(wanted.state === undefined ? {} : { state: wanted.state }),
      }
      const expiresAt = (await store.now()) + REQUEST_MS
      const options = { expect: 'absent', expiresAt } as const
      await records.put(REQUEST_RECORD, requestKey(request), value as unknown as Json, options)
      return request
    },
    async answer(request, { person, session }, isAllowed) {
      const id = requestKey(request)
      const found = (await records.get(REQUEST_RECORD, id))?.value as unknown as
        | StoredRequest
        | undefined
      if (!found || found.session !== session.id || !samePerson(found.person, person)) throw gone()
      const made = isAllowed ? await codeFor(found) : undefined
      const isDone = await store.amend({
        commandId: randomUUID(),
        event: {
          type: isAllowed ? 'client.allowed' : 'client.refused',
          by: { person: personId(person) },
          assurance: person.assurance,
          facts: {
            client: found.client,
            agent: agentOfClient(new URL(found.client)),
            redirect: new URL(found.redirect).host,
          },
        },
        changes: [{ kind: REQUEST_RECORD, id, expect: 'present' }, ...(made ? [made.change] : [])],
      })
      if (!isDone) throw gone()
      return { redirect: new URL(found.redirect), state: found.state, code: made?.code }
    },
    async again(wanted, { account }) {
      // People allowed the address they were shown. A document can name others by now.
      const allowed = await connectionsWith(account, wanted.client.id.href)
      const shown = allowed.filter(({ redirect }) => redirect === wanted.redirect.href)
      const [last] = shown.toSorted((one, two) => two.createdAt - one.createdAt)
      if (!last) return undefined
      const { code, change } = await codeFor(plain(wanted, account), last.prefix)
      const { expect, expiresAt } = change
      await records.put(change.kind, change.id, change.value, { expect, expiresAt })
      return code
    },
  }
}

function plain({ client, redirect, challenge, resource }: Authorization, person: PersonId) {
  return {
    client: client.id.href,
    redirect: redirect.href,
    ...{ challenge, resource },
    person: personId(person),
  }
}

function gone(): CountersignError {
  return new CountersignError('not_found', 'this request was answered before, or took too long', {
    hint: 'Begin again in the client.',
  })
}
