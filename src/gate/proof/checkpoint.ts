import { sha256 } from '../../base/json/digest.ts'
import { isPlainObject, type JsonObject } from '../../base/json/json.ts'
import type { Head } from '../../store/audit/audit-entry.ts'
import type { Store } from '../../store/store.ts'
import { HEADS_PER_CHECKPOINT, type StoredCheckpoint } from '../../store/vault.ts'
import { openSigned, type PublicKey, type SignatureProblem, type Signer } from './keys.ts'

/**
 * Signed ends of all chains. `heads` names those that moved since the checkpoint before, and `prev`
 * stands for all the others: who keeps one checkpoint can hold a database to everything before it.
 */
export interface Checkpoint {
  readonly v: 'countersign.checkpoint.v1'
  readonly database: string
  readonly tenant: string
  /** 1, 2, 3… */
  readonly n: number
  /** SHA-256 of the checkpoint before, as its signed text; zeros for the first. */
  readonly prev: string
  readonly heads: readonly Head[]
  /** Milliseconds since 1970. */
  readonly at: number
}

export const NO_CHECKPOINT = '0'.repeat(64)

const ATTEMPTS = 20

/** Signs what moved since the last checkpoint. Undefined: nothing did. */
export async function writeCheckpoint(
  store: Pick<Store, 'vault' | 'tenant' | 'now'>,
  signer: Signer,
): Promise<StoredCheckpoint | undefined> {
  const { vault, tenant } = store
  let written: StoredCheckpoint | undefined
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    // In this order: a head that is read after the last checkpoint is never behind it.
    const last = await vault.lastCheckpoint()
    const heads = await vault.moved()
    if (heads.length === 0) return written
    const checkpoint: Checkpoint = {
      v: 'countersign.checkpoint.v1',
      database: vault.database,
      tenant,
      n: (last?.n ?? 0) + 1,
      prev: last ? await sha256(last.jws) : NO_CHECKPOINT,
      heads,
      at: await store.now(),
    }
    const jws = await signer.sign('countersign-checkpoint+jwt', checkpoint as unknown as JsonObject)
    const { n, at } = checkpoint
    const stored = { n, at, kid: signer.key.kid, jws }
    // Another process may have signed meanwhile, and then what is left to sign is less.
    if (!(await vault.addCheckpoint({ ...stored, heads }))) continue
    written = stored
    if (heads.length < HEADS_PER_CHECKPOINT) return written
  }
  return written
}

export interface Checkpoints {
  /** Signs now. */
  now(): Promise<StoredCheckpoint | undefined>
  /** Signs a last time and ends. Call it before the store is closed. */
  stop(): Promise<void>
}

const EVERY = 5 * 60_000

/** Signs every few minutes, as long as there is anything new. */
export function startCheckpoints({
  store,
  signer,
  every = EVERY,
  onError = () => {},
}: {
  readonly store: Pick<Store, 'vault' | 'tenant' | 'now'>
  readonly signer: Signer
  /** Milliseconds. */
  readonly every?: number
  readonly onError?: (error: unknown) => void
}): Checkpoints {
  let last: Promise<unknown> = Promise.resolve()
  const sign = () => {
    const signed = last.then(() => writeCheckpoint(store, signer))
    last = signed.catch(onError)
    return signed
  }
  const timer: unknown = setInterval(() => void sign().catch(() => {}), every)
  // Where timers keep a process alive, this one does not.
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    ;(timer as { unref(): void }).unref()
  }
  return {
    now: sign,
    async stop() {
      clearInterval(timer as ReturnType<typeof setInterval>)
      await sign()
    },
  }
}

export type OpenedCheckpoint =
  | { readonly ok: true; readonly checkpoint: Checkpoint; readonly kid: string }
  | { readonly ok: false; readonly problem: SignatureProblem }

/** What a checkpoint says, if one of these keys signed it. */
export async function openCheckpoint(
  jws: unknown,
  keys: readonly PublicKey[],
): Promise<OpenedCheckpoint> {
  const opened = await openSigned(jws, 'countersign-checkpoint+jwt', keys)
  if (!opened.ok) return opened
  const checkpoint: unknown = opened.payload
  if (!isCheckpoint(checkpoint)) return { ok: false, problem: 'malformed' }
  return { ok: true, checkpoint, kid: opened.kid }
}

function isCheckpoint(value: unknown): value is Checkpoint {
  return (
    isPlainObject(value) &&
    value.v === 'countersign.checkpoint.v1' &&
    typeof value.database === 'string' &&
    typeof value.tenant === 'string' &&
    isCount(value.n) &&
    typeof value.prev === 'string' &&
    isCount(value.at) &&
    Array.isArray(value.heads) &&
    value.heads.every(isHead)
  )
}

export function isHead(value: unknown): value is Head {
  return (
    isPlainObject(value) &&
    typeof value.writer === 'string' &&
    isCount(value.seq) &&
    typeof value.hash === 'string'
  )
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1
}
