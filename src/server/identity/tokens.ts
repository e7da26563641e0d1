import { randomBytes, randomUUID } from 'node:crypto'
import { type Actor, OPERATOR } from '../../approval/transition.ts'
import { CountersignError } from '../../base/errors.ts'
import type { Json } from '../../base/json.ts'
import type { StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { hashSecret, newSecret, sameText } from './secret.ts'

/** A credential of an agent. It can ask, claim and report; it can never decide. */
export interface AgentToken {
  /** Names the token wherever it is listed. */
  readonly prefix: string
  /** The alias that rules see. */
  readonly agent: string
  /** The person the agent works for, vouched for by whoever made the token. */
  readonly principal?: string
  readonly createdAt: number
}

export interface NewToken {
  readonly agent: string
  readonly principal?: string
}

export interface Tokens {
  /** The only time the token itself is seen. */
  create(
    token: NewToken,
    by?: Actor,
  ): Promise<{ readonly token: string; readonly made: AgentToken }>
  /** Throws `token_unknown`. */
  verify(token: string): Promise<AgentToken>
  list(): Promise<readonly AgentToken[]>
  /** False when there was none. */
  revoke(prefix: string, by?: Actor): Promise<boolean>
}

const KIND = 'token'
const TOKEN = /^cs_([0-9a-f]{12})_([A-Za-z0-9_-]{43})$/
const AGENT = /^[A-Za-z0-9_.-]{1,128}$/

export function createTokens(store: Pick<Store, 'records' | 'now' | 'amend'>): Tokens {
  const { records } = store

  return {
    async create({ agent, principal }, by = OPERATOR) {
      if (!AGENT.test(agent)) {
        throw new CountersignError('usage', 'this is not a name for an agent', {
          hint: 'Use 1 to 128 of the characters A-Z a-z 0-9 _ . -',
        })
      }
      const prefix = randomBytes(6).toString('hex')
      const token = `cs_${prefix}_${newSecret()}`
      const createdAt = await store.now()
      const made = { prefix, agent, ...(principal === undefined ? {} : { principal }), createdAt }
      const value: Json = { ...made, hash: hashSecret('token', token) }
      const isDone = await store.amend({
        commandId: randomUUID(),
        event: { type: 'token.created', by, facts: { token: prefix, agent } },
        changes: [{ kind: KIND, id: prefix, value, expect: 'absent' }],
      })
      if (!isDone) throw new CountersignError('internal', 'a token of this name was there before')
      return { token, made }
    },
    async verify(token) {
      const [, prefix] = TOKEN.exec(token) ?? []
      const found = prefix === undefined ? undefined : await records.get(KIND, prefix)
      const { hash = '' } = (found?.value ?? {}) as { readonly hash?: string }
      if (found && sameText(hash, hashSecret('token', token))) return tokenOf(found)
      throw new CountersignError('token_unknown', 'this agent token is not known here')
    },
    async list() {
      return (await records.list(KIND)).records.map(tokenOf)
    },
    async revoke(prefix, by = OPERATOR) {
      return store.amend({
        commandId: randomUUID(),
        event: { type: 'token.revoked', by, facts: { token: prefix } },
        changes: [{ kind: KIND, id: prefix, expect: 'present' }],
      })
    },
  }
}

function tokenOf({ value }: StoredRecord): AgentToken {
  const { hash: _, ...token } = value as unknown as AgentToken & { readonly hash: string }
  return token
}
