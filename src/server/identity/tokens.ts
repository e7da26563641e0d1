import { randomBytes, randomUUID } from 'node:crypto'
import type { PersonId } from '../../approval/people/person.ts'
import { type Actor, OPERATOR } from '../../approval/transition.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json/json.ts'
import { TOKEN_RECORD } from '../../store/audit/audited-records.ts'
import { allRecords, type StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { isAccessOf, mayHaveClients } from '../oauth/access.ts'
import { readAddress } from './address.ts'
import { hashSecret, newSecret, sameText } from './secret.ts'

/** A credential of an agent. It can ask, claim and report; it can never decide. */
export interface AgentToken {
  /** Names the token wherever it is listed. */
  readonly prefix: string
  /** The alias that rules see. */
  readonly agent: string
  /** The person the agent works for, vouched for by the creator of the token. */
  readonly principal?: string
  /** Its holder is an application that signs in its users: it says for whom each call is made. */
  readonly vouches?: true
  /** An MCP client that a person allowed to act for them. Then it is good at `/mcp` alone. */
  readonly client?: { readonly id: string; readonly person: PersonId }
  readonly createdAt: number
  /** From then on it is worth nothing. */
  readonly expiresAt?: number
}

export interface NewToken {
  readonly agent: string
  readonly principal?: string
  readonly vouches?: boolean
  /** How long it lives, in milliseconds; for good unless set. */
  readonly life?: number
}

export interface ListedToken extends AgentToken {
  /** Exact to a few minutes: a request that only looks changes nothing. */
  readonly lastUsedAt?: number
}

export interface Tokens {
  /** The only time the token itself is seen. */
  create(
    token: NewToken,
    by?: Actor,
  ): Promise<{ readonly token: string; readonly made: AgentToken }>
  /** Throws `token_unknown`. */
  verify(token: string): Promise<AgentToken>
  /** Whether the token of this name is there: not revoked, and its time is not over. */
  isThere(prefix: string): Promise<boolean>
  /** Throws `token_unknown` unless it still is: after a wait, say. */
  assertThere(token: Pick<AgentToken, 'prefix'>): Promise<void>
  list(): Promise<readonly ListedToken[]>
  /** False when there was none. */
  revoke(prefix: string, by?: Actor): Promise<boolean>
  /** Writes down which were used, and stops doing so by itself. */
  close(): Promise<void>
}

const USE_RECORD = 'token use'
const NOTE_EVERY_MS = 300_000
/** Tokens whose hashes are kept in memory. More of them only means hashing some again. */
const MOST_HASHED = 1_000
const TOKEN = /^cs_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/
const AGENT = /^[A-Za-z0-9_.-]{1,128}$/

export function createTokens(store: Store): Tokens {
  const { records } = store
  /** When each was last used, on a clock of this process alone. */
  const used = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  /** By prefix: clients send the same token again and again, and hashing is most of verifying. */
  const hashed = new Map<string, { readonly token: string; readonly hash: string }>()

  function hashOf(prefix: string, token: string): string {
    const known = hashed.get(prefix)
    if (known && sameText(known.token, token)) return known.hash
    return hashSecret('token', token)
  }

  function keepHash(prefix: string, token: string, hash: string): void {
    if (hashed.get(prefix)?.hash === hash) return
    if (hashed.size >= MOST_HASHED) hashed.clear()
    hashed.set(prefix, { token, hash })
  }

  function noteUse(prefix: string): void {
    used.set(prefix, performance.now())
    if (timer !== undefined) return
    timer = setInterval(() => void writeUses().catch(() => {}), NOTE_EVERY_MS)
    timer.unref()
  }

  async function writeUses(): Promise<void> {
    const noted = [...used]
    used.clear()
    const now = await store.now()
    for (const [prefix, since] of noted) {
      const at = Math.round(now - (performance.now() - since))
      await records.put(USE_RECORD, prefix, { at })
    }
  }

  async function isThere(prefix: string): Promise<boolean> {
    const found = await records.get(TOKEN_RECORD, prefix)
    const { client } = (found?.value ?? {}) as unknown as Partial<AgentToken>
    return found !== undefined && (!client || mayHaveClients(store, client.person))
  }

  async function lastUse(prefix: string, now: number): Promise<number | undefined> {
    const since = used.get(prefix)
    if (since !== undefined) return Math.round(now - (performance.now() - since))
    const found = await records.get(USE_RECORD, prefix)
    return (found?.value as { readonly at: number } | undefined)?.at
  }

  return {
    async create({ agent, principal: named, vouches = false, life }, by = OPERATOR) {
      if (!AGENT.test(agent)) {
        throw new CountersignError('usage', 'this is not a name for an agent', {
          hint: 'Use 1 to 128 of the characters A-Z a-z 0-9 _ . -',
        })
      }
      if (named !== undefined && vouches) {
        throw new CountersignError('usage', 'a token is bound to one person or vouches for many', {
          hint: 'Give it a principal, or let it vouch, and not both.',
        })
      }
      const principal = named === undefined ? undefined : readAddress(named, 'principal')
      const prefix = randomBytes(6).toString('hex')
      const token = `cs_${prefix}_${newSecret()}`
      const createdAt = await store.now()
      const end: { expiresAt?: number } = life === undefined ? {} : { expiresAt: createdAt + life }
      const made: AgentToken = {
        prefix,
        agent,
        ...(principal === undefined ? {} : { principal }),
        ...(vouches ? { vouches } : {}),
        createdAt,
        ...end,
      }
      const value = { ...made, hash: hashSecret('token', token) } as unknown as Json
      const isDone = await store.amend({
        commandId: randomUUID(),
        event: {
          type: 'token.created',
          by,
          facts: { token: prefix, agent, ...(vouches ? { vouches } : {}) },
        },
        changes: [{ kind: TOKEN_RECORD, id: prefix, value, expect: 'absent', ...end }],
      })
      if (!isDone) throw new CountersignError('internal', 'a token of this name was there before')
      return { token, made }
    },
    async verify(token) {
      const [, prefix] = TOKEN.exec(token) ?? []
      // Looked up every time: a token that was revoked is worth nothing from then on.
      const found = prefix === undefined ? undefined : await records.get(TOKEN_RECORD, prefix)
      const { hash = '', client } = (found?.value ?? {}) as unknown as Partial<StoredToken>
      if (prefix !== undefined && found && client) {
        if (!(await isAccessOf(records, prefix, token))) throw unknown()
        if (!(await mayHaveClients(store, client.person))) throw unknown()
        noteUse(prefix)
        return tokenOf(found)
      }
      if (prefix === undefined || !found || !sameText(hash, hashOf(prefix, token))) {
        if (prefix !== undefined && !found) hashed.delete(prefix)
        throw unknown()
      }
      keepHash(prefix, token, hash)
      noteUse(prefix)
      return tokenOf(found)
    },
    isThere,
    async assertThere({ prefix }) {
      if (!(await isThere(prefix))) throw unknown()
    },
    async list() {
      const now = await store.now()
      const tokens = (await allRecords(records, TOKEN_RECORD)).map(tokenOf)
      return Promise.all(
        tokens.map(async (token) => {
          const lastUsedAt = await lastUse(token.prefix, now)
          return lastUsedAt === undefined ? token : { ...token, lastUsedAt }
        }),
      )
    },
    async revoke(prefix, by = OPERATOR) {
      return store.amend({
        commandId: randomUUID(),
        event: { type: 'token.revoked', by, facts: { token: prefix } },
        changes: [
          { kind: TOKEN_RECORD, id: prefix, expect: 'present' },
          { kind: USE_RECORD, id: prefix },
        ],
      })
    },
    async close() {
      clearInterval(timer)
      await writeUses().catch(() => {})
    },
  }
}

function unknown(): CountersignError {
  return new CountersignError('token_unknown', 'this agent token is not known here')
}

/** That of a client has no hash: its access tokens are kept by themselves. */
export type StoredToken = AgentToken & {
  readonly hash?: string
  /** Of a client: where the browser went when the person allowed it. */
  readonly redirect?: string
}

function tokenOf({ value }: StoredRecord): AgentToken {
  const { hash: _, redirect: __, ...token } = value as unknown as StoredToken
  return token
}
