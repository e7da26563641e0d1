import type { AuditEntry, Head } from '../audit/audit-entry.ts'
import { type AuditLogOptions, type LoggedEntry, ownerOf } from '../audit/audit-log.ts'
import { columnsOf } from '../audit/chain.ts'
import type { StoredContent } from '../engine/plan.ts'
import {
  HEADS_PER_CHECKPOINT,
  type PublishedKey,
  SPENT_KEPT_MS,
  type StoredCheckpoint,
  type Vault,
} from '../vault.ts'

export interface MemoryParts {
  readonly tenant: string
  readonly database: string
  readonly clock: () => number
  readonly entries: () => readonly RecordedEntry[]
  readonly content: () => readonly StoredContent[]
}

export interface RecordedEntry {
  readonly entry: AuditEntry
  /** The text that was hashed. */
  readonly body: string
}

export function createMemoryVault(parts: MemoryParts): Vault {
  const { tenant, database, clock } = parts
  const keys = new Map<string, PublishedKey>()
  const spent = new Map<string, number>()
  const checkpoints: StoredCheckpoint[] = []
  const covered = new Map<string, number>()

  function log({ since, content = false }: AuditLogOptions): LoggedEntry[] {
    const all = parts.entries()
    const from = since === undefined ? 0 : all.findIndex(({ entry }) => entry.event.at >= since)
    const kept = content ? parts.content() : []
    return (from < 0 ? [] : all.slice(from)).map((one) => logged(one, kept))
  }

  return {
    database,
    keys: async () => [...keys.values()],
    async publish({ kid, jwk }) {
      if (!keys.has(kid)) keys.set(kid, { kid, jwk, at: clock() })
    },
    async spend(jti, exp) {
      const forgotten = clock() - SPENT_KEPT_MS
      for (const [one, end] of spent) if (end < forgotten) spent.delete(one)
      if (exp < forgotten || spent.has(jti)) return false
      spent.set(jti, exp)
      return true
    },
    lastCheckpoint: async () => checkpoints.at(-1),
    async moved() {
      const heads = new Map<string, Head>()
      for (const { entry } of parts.entries()) heads.set(entry.writer, headOf(entry))
      return [...heads.values()]
        .filter(({ writer, seq }) => seq > (covered.get(writer) ?? 0))
        .slice(0, HEADS_PER_CHECKPOINT)
    },
    async addCheckpoint({ heads, ...checkpoint }) {
      if (checkpoint.n !== checkpoints.length + 1) return false
      checkpoints.push(checkpoint)
      for (const { writer, seq } of heads) covered.set(writer, seq)
      return true
    },
    async log(options = {}) {
      const isOurs = options.tenant === undefined || options.tenant === tenant
      const ours = <T>(list: readonly T[]): readonly T[] => (isOurs ? [...list] : [])
      const picture = {
        keys: ours([...keys.values()]).map(({ kid, jwk }) => ({ tenant, kid, jwk })),
        checkpoints: ours(checkpoints).map(({ n, jws }) => ({ tenant, n, jws })),
        entries: ours(log(options)),
      }
      return {
        database,
        keys: () => each(picture.keys),
        checkpoints: (above) =>
          each(picture.checkpoints.filter(({ n }) => n > (above?.get(tenant) ?? 0))),
        entries: () => each(picture.entries),
        close: async () => {},
      }
    },
  }
}

async function* each<T>(list: readonly T[]): AsyncGenerator<T> {
  yield* list
}

function headOf({ writer, seq, hash }: AuditEntry): Head {
  return { writer, seq, hash }
}

function logged({ entry, body }: RecordedEntry, content: readonly StoredContent[]): LoggedEntry {
  const { writer, seq, prev, hash, event, seals = {} } = entry
  const columns = columnsOf(event)
  return {
    hash,
    body,
    columns: {
      tenant: event.tenant,
      writer,
      seq,
      prev,
      ...columns,
      type: event.type,
      at: event.at,
    },
    content: content
      .filter(({ key, approval }) => approval === ownerOf(key) && Object.hasOwn(seals, key))
      .map(({ key, salt, value }) => ({ key, salt, value: JSON.stringify(value) })),
  }
}
