import type { Hash } from '../../base/json/digest.ts'
import type { Head } from '../../store/audit/audit-entry.ts'
import type { AuditLog } from '../../store/audit/audit-log.ts'
import { type PublicKey, readPublicKey } from '../proof/keys.ts'
import { checkpointChain } from './audit-checkpoints.ts'
import { AuditProblem, type Problem } from './audit-problem.ts'

/** Up to where a checkpoint that was kept vouches for a record. */
export interface Vouched {
  /** The end of every chain then. */
  readonly heads: readonly Head[]
  /** The newest kept checkpoint of each tenant. */
  readonly checkpoints: readonly {
    readonly tenant: string
    readonly n: number
    readonly at: number
  }[]
}

export type Vouching =
  | { readonly ok: true; readonly vouched: Vouched }
  | { readonly ok: false; readonly problem: Problem }

/**
 * What the kept checkpoints say of all chains. Each names the chains that moved since the one before
 * it, so every checkpoint up to there is opened, and held against the one before.
 */
export async function vouchedBy(
  log: AuditLog,
  kept: readonly string[],
  { keys, hash }: { readonly keys?: readonly PublicKey[] | undefined; readonly hash: Hash },
): Promise<Vouching> {
  try {
    return { ok: true, vouched: await readVouched(log, kept, { keys, hash }) }
  } catch (error) {
    if (error instanceof AuditProblem) return { ok: false, problem: error.problem }
    throw error
  }
}

async function readVouched(
  log: AuditLog,
  kept: readonly string[],
  { keys, hash }: { readonly keys: readonly PublicKey[] | undefined; readonly hash: Hash },
): Promise<Vouched> {
  const known = keys ?? (await keysIn(log))
  const chain = checkpointChain(hash, kept)
  const newest = new Map<string, { n: number; at: number; heads: readonly Head[] }>()
  const moved = new Map<string, Map<string, Head>>()
  for await (const { tenant, n, jws } of log.checkpoints()) {
    const record = { kind: 'checkpoint', tenant, n, jws, place: `checkpoint ${n}` } as const
    const { heads, at } = await chain.take(record, known)
    const own = moved.get(tenant) ?? new Map<string, Head>()
    moved.set(tenant, own)
    for (const head of heads) own.set(head.writer, head)
    if (kept.includes(jws)) newest.set(tenant, { n, at, heads: [...own.values()] })
  }
  await chain.close(known)
  return {
    heads: [...newest.values()].flatMap(({ heads }) => heads),
    checkpoints: [...newest].map(([tenant, { n, at }]) => ({ tenant, n, at })),
  }
}

async function keysIn(log: AuditLog): Promise<PublicKey[]> {
  const found: PublicKey[] = []
  for await (const { jwk } of log.keys()) {
    const key = await readPublicKey(parsed(jwk))
    if (key) found.push(key)
  }
  return found
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
