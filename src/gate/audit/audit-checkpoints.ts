import type { Hash } from '../../base/json/digest.ts'
import type { Head } from '../../store/audit/audit-entry.ts'
import { type Checkpoint, NO_CHECKPOINT, openCheckpoint } from '../proof/checkpoint.ts'
import type { PublicKey } from '../proof/keys.ts'
import { AuditProblem } from './audit-problem.ts'
import type { CheckpointRecord } from './audit-records.ts'

interface Signed extends Pick<Checkpoint, 'tenant' | 'n' | 'heads'> {
  readonly kid: string
}

/** The entry that says that a key was revoked. */
interface Revocation {
  readonly tenant: string
  readonly writer: string
  readonly seq: number
}

/**
 * The signed checkpoints of a record, each held against the one before, and those that were kept
 * elsewhere, each held against its like here.
 */
export function checkpointChain(hash: Hash, kept: readonly string[]) {
  const last = new Map<string, { readonly n: number; readonly hash: string }>()
  const heads: Head[] = []
  const signedBy = new Set<string>()
  const signed: Signed[] = []
  const revoked = new Set<string>()
  /** Which tenant's record says which key was revoked. */
  const told = new Set<string>()
  const unseen = new Set(kept)
  /** The newest checkpoint of each tenant that was kept elsewhere. */
  const keptUpTo = new Map<string, number>()
  let count = 0
  let at: number | undefined

  async function open(jws: string, place: string, keys: readonly PublicKey[]) {
    const opened = await openCheckpoint(jws, keys)
    if (opened.ok) return opened
    const isStranger = opened.problem === 'unknown_key'
    throw new AuditProblem(
      isStranger ? 'checkpoint_key' : 'checkpoint',
      place,
      isStranger ? 'no known key signed this checkpoint' : `its signature: ${opened.problem}`,
    )
  }

  function follows({ n, prev, tenant }: Checkpoint, place: string): void {
    const before = last.get(tenant)
    if (n === (before?.n ?? 0) + 1 && prev === (before?.hash ?? NO_CHECKPOINT)) return
    throw new AuditProblem('checkpoint_order', place, 'it does not follow the checkpoint before it')
  }

  function revokedLate({ tenant, n, kid }: Signed): never {
    const why = `it is signed with the key ${kid}, which was revoked before`
    throw new AuditProblem('key_revoked', `checkpoint ${n} of tenant ${tenant}`, why)
  }

  return {
    signedBy,
    revoked,
    /** A revoked key signs nothing from the first checkpoint on that covers its revocation. */
    revoke(kid: string, { tenant, writer, seq }: Revocation): void {
      revoked.add(kid)
      told.add(JSON.stringify([tenant, kid]))
      const own = signed.filter((one) => one.tenant === tenant)
      const covering = own.findIndex(({ heads }) =>
        heads.some((head) => head.writer === writer && head.seq >= seq),
      )
      const late = covering < 0 ? undefined : own.slice(covering).find((one) => one.kid === kid)
      if (late) revokedLate(late)
    },
    /** Keys that a reader knows to be revoked: the record has to know it, and to go on without them. */
    expectRevoked(kids: readonly string[], isWhole: boolean): void {
      for (const kid of kids.filter((one) => signedBy.has(one))) {
        const late = signed.find(({ tenant, n, kid: by }) => {
          const isLast = last.get(tenant)?.n === n
          return by === kid && (isLast || (isWhole && !revoked.has(kid)))
        })
        if (late) revokedLate(late)
      }
    },
    /**
     * Where only what came after a kept checkpoint was read: a revocation that was not among it came
     * before, so the key signed nothing since.
     */
    expectUnused(kid: string, tenant?: string): void {
      const late = signed.find(
        (one) =>
          one.kid === kid &&
          (tenant === undefined || one.tenant === tenant) &&
          one.n > (keptUpTo.get(one.tenant) ?? 0) &&
          !told.has(JSON.stringify([one.tenant, kid])),
      )
      if (late) revokedLate(late)
    },
    count: () => count,
    at: () => at,
    async take(record: CheckpointRecord, keys: readonly PublicKey[]): Promise<Checkpoint> {
      const { jws, place } = record
      const { checkpoint, kid } = await open(jws, place, keys)
      if (checkpoint.n !== record.n || checkpoint.tenant !== record.tenant) {
        throw new AuditProblem('checkpoint', place, 'it is signed as another checkpoint')
      }
      follows(checkpoint, place)
      last.set(checkpoint.tenant, { n: checkpoint.n, hash: await hash(jws) })
      heads.push(...checkpoint.heads)
      signedBy.add(kid)
      signed.push({ tenant: checkpoint.tenant, n: checkpoint.n, kid, heads: checkpoint.heads })
      if (unseen.delete(jws)) keptUpTo.set(checkpoint.tenant, checkpoint.n)
      count += 1
      at = Math.max(at ?? 0, checkpoint.at)
      return checkpoint
    },
    /** Every signed head, when all checkpoints were seen. */
    async close(keys: readonly PublicKey[]): Promise<readonly Head[]> {
      for (const jws of unseen) {
        const place = 'the checkpoint you kept'
        const { checkpoint } = await open(jws, place, keys)
        const { n } = checkpoint
        throw new AuditProblem(
          'checkpoint_missing',
          place,
          `checkpoint ${n} is not here, or another is in its place`,
        )
      }
      return heads
    },
  }
}
