import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Store } from '../store/store.ts'
import { type Tuple, tupleHash, withContextOf } from './tuple.ts'

/** How long a denial can be requested after it was answered. */
const REQUESTABLE_MS = 600_000

export interface Denial {
  /** Opaque to its reader: it holds what was denied, sealed. */
  readonly evaluationId: string
  readonly evaluatedAt: number
  readonly expiresAt: number
}

export type Bound =
  | { readonly tuple: Tuple /** Names the evaluation. */; readonly name: string }
  | { readonly problem: 'invalid_denial_binding' | 'expired_denial' }

export interface DenialBinding {
  issue(agent: string, tuple: Tuple): Promise<Denial>
  /** The denied tuple, if the submitted one is that; with whatever was added to its context. */
  verify(agent: string, evaluationId: unknown, submitted: Tuple): Promise<Bound>
}

interface Sealed {
  readonly name: string
  readonly agent: string
  readonly hash: string
  /** Members of the context that were evaluated. */
  readonly context: readonly string[]
  readonly expiresAt: number
}

const PREFIX = 'eval_'
const RECORD = 'authzen'
const KEY_ID = 'denial-key'

/**
 * Ties a request to the denial it is about without storing denials: an evaluation that nothing comes
 * of leaves nothing behind. The key is kept with the store, so that every server on it accepts the
 * ids of the others. Its holder could only request what was never denied, and that is judged anew.
 */
export function createDenialBinding(store: Store): DenialBinding {
  const { records } = store
  let found: Promise<Buffer> | undefined

  async function readKey(): Promise<Buffer> {
    const fresh = { key: randomBytes(32).toString('base64url') }
    const kept =
      (await records.get(RECORD, KEY_ID)) ??
      (await records.put(RECORD, KEY_ID, fresh, { expect: 'absent' })) ??
      (await records.get(RECORD, KEY_ID))
    const { key } = (kept?.value ?? {}) as { key?: unknown }
    const bytes = Buffer.from(typeof key === 'string' ? key : '', 'base64url')
    if (bytes.length !== 32) throw new Error('the key of AuthZEN denials is not readable')
    return bytes
  }

  function keyOf(): Promise<Buffer> {
    found ??= readKey().catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }

  async function seal(text: string): Promise<Buffer> {
    const hmac = createHmac('sha256', await keyOf())
    return hmac.update(JSON.stringify(['countersign.denial.v1', store.tenant, text])).digest()
  }

  async function open(id: unknown): Promise<Sealed | undefined> {
    const [, text, mac] = /^eval_([\w-]{1,6000})\.([\w-]{43})$/.exec(String(id)) ?? []
    if (typeof id !== 'string' || text === undefined || mac === undefined) return undefined
    if (!timingSafeEqual(await seal(text), Buffer.from(mac, 'base64url'))) return undefined
    return JSON.parse(Buffer.from(text, 'base64url').toString()) as Sealed
  }

  return {
    async issue(agent, tuple) {
      const evaluatedAt = await store.now()
      const expiresAt = evaluatedAt + REQUESTABLE_MS
      const sealed: Sealed = {
        name: randomBytes(16).toString('base64url'),
        agent,
        hash: tupleHash(tuple),
        context: Object.keys(tuple.context),
        expiresAt,
      }
      const text = Buffer.from(JSON.stringify(sealed)).toString('base64url')
      const mac = (await seal(text)).toString('base64url')
      return { evaluationId: `${PREFIX}${text}.${mac}`, evaluatedAt, expiresAt }
    },
    async verify(agent, evaluationId, submitted) {
      const sealed = await open(evaluationId)
      if (!sealed || sealed.agent !== agent) return { problem: 'invalid_denial_binding' }
      const tuple = withContextOf(submitted, sealed.context)
      if (tupleHash(tuple) !== sealed.hash) return { problem: 'invalid_denial_binding' }
      if ((await store.now()) >= sealed.expiresAt) return { problem: 'expired_denial' }
      return { tuple, name: sealed.name }
    },
  }
}
