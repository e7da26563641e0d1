import { createHash, randomUUID } from 'node:crypto'
import { OAUTH_SCOPE, type OAuthTokens } from '../../api/oauth/oauth.ts'
import { samePerson } from '../../approval/people/person.ts'
import type { Json } from '../../base/json/json.ts'
import { PERSON_RECORD, TOKEN_RECORD } from '../../store/audit/audited-records.ts'
import { allRecords, type StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { createRateLimit } from '../http/rate-limit.ts'
import { type Account, accountKey } from '../identity/people.ts'
import { hashSecret, newSecret, SECRET, sameText } from '../identity/secret.ts'
import type { AgentToken, StoredToken } from '../identity/tokens.ts'
import { ACCESS_RECORD, accessKey, mayHaveClients } from './access.ts'
import { CODE_RECORD, codeKey, type StoredCode } from './consents.ts'
import { invalidGrant } from './problem.ts'

/** Proves that the sender is the client that a code was made for. */
export interface CodeProof {
  readonly client: string
  readonly redirect: string
  readonly verifier: string
  readonly resource: string
}

/** Clients that act for people. Each is a token of an agent whose secret changes all the time. */
export interface Connections {
  /** Uses a code up, whatever comes of it. A code that comes twice ends what it made. */
  exchange(code: string, proof: CodeProof): Promise<OAuthTokens>
  /** Uses a refresh token up. One that comes twice was copied: the connection ends. */
  refresh(token: string, client: string): Promise<OAuthTokens>
  /** Ends the connection of an access or refresh token of this client. */
  revoke(token: string, client: string): Promise<void>
}

interface StoredRefresh {
  readonly connection: string
  readonly used?: true
}

type Connection = StoredToken & Required<Pick<AgentToken, 'client'>>

const REFRESH_RECORD = 'oauth refresh'
const ACCESS_MS = 15 * 60_000
const DAY_MS = 86_400_000
/** A client that was not used for so long asks again. */
const REFRESH_MS = 30 * DAY_MS
/** After that a person is asked again, however much the client was used. */
const CONNECTION_MS = 90 * DAY_MS
/** Of one client for one person: machines of theirs, say. The oldest gives way. */
const MOST_CONNECTIONS = 20
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/
const TOKEN = /^csr?_([0-9a-f]{12})_/

export function createConnections(store: Store): Connections {
  const { records } = store
  // Each refresh leaves a record for weeks, by which a copy is noticed.
  const refreshes = createRateLimit({ most: 30, windowMs: ACCESS_MS, what: 'refreshes' })

  async function connectionOf(prefix: string): Promise<Connection | undefined> {
    const found = await records.get(TOKEN_RECORD, prefix)
    const token = found?.value as unknown as AgentToken | undefined
    return token?.client ? (token as Connection) : undefined
  }

  /** By whom it is ended is what was noticed: a code or a token that came twice. */
  async function end(prefix: string, reason: string): Promise<void> {
    await store.amend({
      commandId: randomUUID(),
      event: { type: 'token.revoked', by: { system: 'gate' }, facts: { token: prefix, reason } },
      changes: [{ kind: TOKEN_RECORD, id: prefix, expect: 'present' }],
    })
  }

  /** A fresh pair, and the records it is kept as. */
  function issue(prefix: string, now: number, end: number) {
    const access = `cs_${prefix}_${newSecret()}`
    const refresh = `csr_${prefix}_${newSecret()}`
    const value: Json = { connection: prefix }
    const tokens: OAuthTokens = {
      access_token: access,
      token_type: 'Bearer',
      expires_in: Math.floor(ACCESS_MS / 1_000),
      refresh_token: refresh,
      scope: OAUTH_SCOPE,
    }
    const kept = [
      { kind: ACCESS_RECORD, id: accessKey(access), value, expiresAt: now + ACCESS_MS },
      {
        kind: REFRESH_RECORD,
        id: refreshKey(refresh),
        value,
        expiresAt: Math.min(now + REFRESH_MS, end),
      },
    ] as const
    return { tokens, kept }
  }

  async function makeRoom({ client: { id, person } }: Connection): Promise<void> {
    const own = (await allRecords(records, TOKEN_RECORD))
      .map(({ value }) => value as unknown as AgentToken)
      .filter(({ client }) => client?.id === id && samePerson(client.person, person))
      .toSorted((one, two) => two.createdAt - one.createdAt)
    for (const { prefix } of own.slice(MOST_CONNECTIONS)) await end(prefix, 'too_many')
  }

  /** Undefined where the person has taken back by now what the code was given by. */
  async function tokenOf(code: StoredCode, now: number): Promise<Connection | undefined> {
    const under = code.under === undefined ? undefined : await connectionOf(code.under)
    if (code.under !== undefined && !under) return undefined
    const found = await records.get(PERSON_RECORD, accountKey(code.person))
    const { email, emailVerified } = (found?.value ?? {}) as unknown as Partial<Account>
    return {
      prefix: code.connection,
      agent: code.agent,
      ...(email !== undefined && emailVerified ? { principal: email } : {}),
      client: { id: code.client, person: code.person },
      redirect: code.redirect,
      createdAt: now,
      // Without a question nothing lasts longer than what was allowed.
      expiresAt: under?.expiresAt ?? now + CONNECTION_MS,
    }
  }

  /** Whether the code is used up for nothing now. */
  async function burn({ id, value, revision, expiresAt }: StoredRecord): Promise<void> {
    const used = { ...(value as unknown as StoredCode), used: true } as unknown as Json
    await records.put(CODE_RECORD, id, used, {
      expect: revision,
      ...(expiresAt ? { expiresAt } : {}),
    })
  }

  return {
    async exchange(sent, proof) {
      const found = SECRET.test(sent) ? await records.get(CODE_RECORD, codeKey(sent)) : undefined
      if (!found) throw invalidGrant()
      const code = found.value as unknown as StoredCode
      if (code.used) {
        await end(code.connection, 'code_reused')
        throw invalidGrant()
      }
      const now = await store.now()
      const token = await tokenOf(code, now)
      if (
        !token ||
        !isProven(code, proof) ||
        now >= code.until ||
        !(await mayHaveClients(store, code.person))
      ) {
        await burn(found)
        throw invalidGrant()
      }
      const { prefix, agent, expiresAt = now } = token
      const { tokens, kept } = issue(prefix, now, expiresAt)
      const isDone = await store.amend({
        commandId: randomUUID(),
        event: {
          type: 'token.created',
          by: { person: code.person },
          facts: { token: prefix, agent, client: code.client },
        },
        changes: [
          {
            kind: CODE_RECORD,
            id: found.id,
            value: { ...code, used: true } as unknown as Json,
            expect: found.revision,
            expiresAt: found.expiresAt,
          },
          {
            kind: TOKEN_RECORD,
            id: prefix,
            value: token as unknown as Json,
            expect: 'absent',
            expiresAt,
          },
          ...kept,
        ],
      })
      if (!isDone) {
        // The same code at the same moment: neither of the two can be told from a thief.
        await end(prefix, 'code_reused')
        throw invalidGrant()
      }
      // What is taken back from now on, the person can see beside this connection.
      if (code.under !== undefined && !(await connectionOf(code.under))) {
        await end(prefix, 'taken_back')
        throw invalidGrant()
      }
      await makeRoom(token)
      return tokens
    },
    async refresh(sent, client) {
      const found = await records.get(REFRESH_RECORD, refreshKey(sent))
      if (!found) throw invalidGrant()
      const { connection, used } = found.value as unknown as StoredRefresh
      const token = await connectionOf(connection)
      if (!token || token.client.id !== client) throw invalidGrant()
      // A lock may be lifted again: then the same token still works.
      if (!used && !(await mayHaveClients(store, token.client.person))) throw invalidGrant()
      if (!used) refreshes.take(connection)
      const { expiresAt: kept } = found
      const isFirst =
        !used &&
        (await records.put(REFRESH_RECORD, found.id, { connection, used: true } as Json, {
          expect: found.revision,
          ...(kept === undefined ? {} : { expiresAt: kept }),
        }))
      if (!isFirst) {
        await end(connection, 'refresh_reused')
        throw invalidGrant()
      }
      const now = await store.now()
      const issued = issue(connection, now, token.expiresAt ?? now)
      for (const { kind, id, value, expiresAt } of issued.kept) {
        await records.put(kind, id, value, { expect: 'absent', expiresAt })
      }
      return issued.tokens
    },
    async revoke(sent, client) {
      const [, prefix = ''] = TOKEN.exec(sent) ?? []
      const kind = sent.startsWith('csr_') ? REFRESH_RECORD : ACCESS_RECORD
      const id = kind === REFRESH_RECORD ? refreshKey(sent) : accessKey(sent)
      const found = (await records.get(kind, id))?.value as unknown as StoredRefresh | undefined
      if (!found || found.connection !== prefix) return
      const token = await connectionOf(prefix)
      if (token?.client.id === client) await end(prefix, 'by_client')
    },
  }
}

function refreshKey(token: string): string {
  return hashSecret('oauth-refresh', token)
}

function isProven(code: StoredCode, { client, redirect, verifier, resource }: CodeProof): boolean {
  return (
    code.client === client &&
    code.redirect === redirect &&
    code.resource === resource &&
    VERIFIER.test(verifier) &&
    sameText(code.challenge, createHash('sha256').update(verifier).digest('base64url'))
  )
}
