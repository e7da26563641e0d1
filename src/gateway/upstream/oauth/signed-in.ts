import { setTimeout as sleep } from 'node:timers/promises'
import { isPlainObject } from '../../../base/json/json.ts'
import type { SecretBox } from '../../../store/secret-box.ts'
import type { Store } from '../../../store/store.ts'
import type { ServerCredentials } from '../credentials.ts'
import type { HttpSpec } from '../upstream-spec.ts'
import { signInId } from './attached.ts'
import { type Challenge, MOST_SCOPES, readChallenge } from './challenge.ts'
import { issuerHosts } from './discovery.ts'
import { isFinal, problemOf, refreshed, revoke } from './oauth-client.ts'
import {
  type KeptSignIn,
  openSecrets,
  REFRESH_RECORD,
  type Secrets,
  SIGN_IN_RECORD,
  sealSecrets,
  signInOf,
  storable,
} from './sign-in-record.ts'

interface Parts {
  readonly store: Pick<Store, 'records' | 'now' | 'onAmended'>
  readonly box: SecretBox
  readonly spec: HttpSpec
}

/** So long before its end a token is not sent any more. */
const EARLY_MS = 10_000
const REFRESH_MS = 30_000
const MOST_SECRETS = 20

interface Held {
  readonly kept: KeptSignIn
  readonly revision: number
  readonly secrets: Secrets
}

export function createSignedIn(parts: Parts): ServerCredentials {
  const { store, box, spec } = parts
  const { alias } = spec
  const allowHosts = issuerHosts(spec)
  const seen: string[] = []
  let named: Promise<string> | undefined
  let held: Held | undefined
  let refreshing: Promise<Held | undefined> | undefined
  let revision: number | undefined
  /** Though it may not open on this machine. */
  let isKept = false
  let problem = NEEDED

  /** Found out with the first request: it takes a digest. */
  function idOf(): Promise<string> {
    named ??= signInId(spec)
    return named
  }

  /**
   * Looked up for every request: after a sign-out, in any process, nothing more is sent. A row that
   * does not open on this machine is as good as none.
   */
  async function current(): Promise<Held | undefined> {
    const id = await idOf()
    const record = await store.records.get(SIGN_IN_RECORD, id)
    revision = record?.revision
    const kept = signInOf(record)
    isKept = kept !== undefined
    if (!record || !kept) {
      problem = NEEDED
      return undefined
    }
    if (kept.lost !== undefined) {
      problem = `${AGAIN}: ${kept.lost}`
      return undefined
    }
    if (held?.revision === record.revision) return held
    try {
      const secrets = await openSecrets(box, id, kept)
      remember(secrets)
      held = { kept, revision: record.revision, secrets }
      return held
    } catch {
      problem = `${AGAIN}: what was kept of the last sign-in cannot be opened on this machine`
      return undefined
    }
  }

  function remember({ access, refresh, clientSecret }: Secrets): void {
    for (const secret of [access, refresh, clientSecret]) {
      if (secret !== undefined && !seen.includes(secret)) seen.push(secret)
    }
    seen.splice(0, seen.length - MOST_SECRETS)
  }

  async function usable(): Promise<Held | undefined> {
    const now = await current()
    const { endsAt } = now?.kept ?? {}
    if (!now || endsAt === undefined || endsAt - EARLY_MS > (await store.now())) return now
    // Some tokens live shorter than that: sent as long as they count.
    if (!now.kept.canRefresh) return now
    return renewed(now)
  }

  function renewed(old: Held): Promise<Held | undefined> {
    refreshing ??= renew(old).finally(() => {
      refreshing = undefined
    })
    return refreshing
  }

  /** Once for all processes on this database: what another one got is taken over. */
  async function renew(old: Held): Promise<Held | undefined> {
    const id = await idOf()
    const by = crypto.randomUUID()
    for (;;) {
      const now = await current()
      if (!now || now.secrets.access !== old.secrets.access) return now
      const expiresAt = (await store.now()) + REFRESH_MS
      const mine = { expect: 'absent', expiresAt } as const
      if (await store.records.put(REFRESH_RECORD, id, { by }, mine)) break
      await sleep(200)
    }
    try {
      // The one who held it before may have done what is to be done.
      const now = await current()
      return now?.secrets.access === old.secrets.access ? await refresh(now) : now
    } finally {
      await release(by)
    }
  }

  /** Its own alone: after thirty seconds it is another process that refreshes. */
  async function release(by: string): Promise<void> {
    const id = await idOf()
    const value = (await store.records.get(REFRESH_RECORD, id))?.value
    if (isPlainObject(value) && value.by === by) await store.records.remove(REFRESH_RECORD, id)
  }

  async function refresh({ kept, revision, secrets }: Held): Promise<Held | undefined> {
    const { server, resource } = kept
    const { refresh: token, clientSecret } = secrets
    if (token === undefined) {
      problem = `${AGAIN}: the last one ended, or was refused`
      return undefined
    }
    const client = {
      ...kept.client,
      ...(clientSecret === undefined ? {} : { secret: clientSecret }),
    }
    const parties = { server, client, allowHosts }
    try {
      const given = await refreshed(parties, { refresh: token, resource })
      const next: Secrets = { ...secrets, access: given.access, refresh: given.refresh ?? token }
      remember(next)
      const now = await keep(secrets.access, next, given.life)
      // A person signed out, or in again, meanwhile: what came too late is not to live on.
      if (now?.secrets.access !== next.access) {
        for (const late of [next.refresh, next.access]) {
          if (late !== undefined) await revoke(parties, late).catch(() => {})
        }
      }
      return now
    } catch (error) {
      if (isFinal(error)) return lose(kept, revision, `${server.issuer} took it back`)
      problem = `the sign-in could not be renewed at ${server.issuer}: ${problemOf(error)}`
      return undefined
    }
  }

  /** In place of the tokens of before, and of no others: a person may have signed in or out meanwhile. */
  async function keep(old: string, next: Secrets, life?: number): Promise<Held | undefined> {
    const id = await idOf()
    for (;;) {
      const now = await current()
      if (now?.secrets.access !== old) return now
      const { endsAt: _, ...rest } = now.kept
      const value: KeptSignIn = {
        ...rest,
        ...(life === undefined ? {} : { endsAt: (await store.now()) + life }),
        sealed: await sealSecrets(box, id, now.kept, next),
      }
      const expect = { expect: now.revision }
      const put = await store.records.put(SIGN_IN_RECORD, id, storable(value), expect)
      if (!put) continue
      held = { kept: value, revision: put.revision, secrets: next }
      return held
    }
  }

  async function lose(kept: KeptSignIn, revision: number, why: string): Promise<undefined> {
    problem = `${AGAIN}: ${why}`
    const value = storable({ ...kept, lost: why })
    await store.records.put(SIGN_IN_RECORD, await idOf(), value, { expect: revision })
  }

  /** More than was given: a person decides whether it gets that, so nothing is asked for here. */
  async function note({ scopes }: Challenge): Promise<void> {
    const now = await current()
    const wanted = scopes.filter((scope) => now?.kept.scopes.includes(scope) !== true)
    problem = `the sign-in does not reach for this${wanted.length > 0 ? `; it would take ${wanted.join(' ')}` : ''}`
    if (!now || wanted.length === 0) return
    // As many as one challenge may name: a server that always asks for others must not fill the row.
    const all = [...new Set([...(now.kept.wanted ?? []), ...wanted])].slice(0, MOST_SCOPES)
    if (all.length === now.kept.wanted?.length) return
    const value = storable({ ...now.kept, wanted: all })
    await store.records.put(SIGN_IN_RECORD, await idOf(), value, { expect: now.revision })
  }

  return {
    async header() {
      const now = await usable()
      return now && `Bearer ${now.secrets.access}`
    },
    isThere: () => isKept,
    async refused({ status, challenge: header, sent }) {
      if (status === 403) {
        const challenge = readChallenge(header)
        if (challenge?.error === 'insufficient_scope') await note(challenge)
        else problem = 'the server refuses what this sign-in may do'
        return false
      }
      // It went out without a sign-in; a person may have made one since.
      if (sent === undefined) return (await usable()) !== undefined
      const now = await current()
      if (!now) return false
      // Another request, or another process, was there first.
      const next = `Bearer ${now.secrets.access}` === sent ? await renewed(now) : now
      return next !== undefined && `Bearer ${next.secrets.access}` !== sent
    },
    says: () =>
      `${problem}. An admin signs in under Tools in the inbox, or with: countersign mcp login ${alias}`,
    secrets: seen,
    onChange(changed) {
      let known = revision
      // Most of what is amended is about something else.
      const look = () => {
        if (known === revision) return
        known = revision
        changed()
      }
      return store.onAmended(() => void current().then(look, () => {}))
    },
  }
}

const NEEDED = 'it asks for a sign-in'
const AGAIN = 'it asks for a new sign-in'
