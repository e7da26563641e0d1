import type { RecordWrite } from '../engine/amend.ts'
import {
  isExpected,
  type Records,
  recordLimit,
  recordPage,
  recordText,
  type StoredRecord,
  storedRecord,
} from '../records.ts'

/** For changing several records at once, between two turns of the event loop. */
export interface MemoryRecords extends Records {
  find(kind: string, id: string): StoredRecord | undefined
  all(kind: string): readonly StoredRecord[]
  write(change: RecordWrite, at: number): void
}

export function createMemoryRecords(clock: () => number): MemoryRecords {
  const kinds = new Map<string, Map<string, StoredRecord>>()

  function of(kind: string): Map<string, StoredRecord> {
    const known = kinds.get(kind) ?? new Map<string, StoredRecord>()
    kinds.set(kind, known)
    return known
  }

  function live(kind: string, id: string): StoredRecord | undefined {
    const found = of(kind).get(id)
    if (found?.expiresAt === undefined || found.expiresAt > clock()) return found
    of(kind).delete(id)
    return undefined
  }

  return {
    find: live,
    all: (kind) => [...of(kind).keys()].flatMap((id) => live(kind, id) ?? []),
    write({ kind, id, revision, value, expiresAt }, at) {
      if (value === null) of(kind).delete(id)
      else {
        const numbers = { revision, at, expiresAt: expiresAt ?? undefined }
        of(kind).set(id, storedRecord(id, value, numbers))
      }
    },
    get: async (kind, id) => live(kind, id),
    async put(kind, id, value, { expect, expiresAt } = {}) {
      const text = recordText(kind, id, value)
      const found = live(kind, id)
      if (!isExpected(expect, found)) return undefined
      const revision = (found?.revision ?? 0) + 1
      const written = storedRecord(id, text, { revision, at: clock(), expiresAt })
      of(kind).set(id, written)
      return written
    },
    async list(kind, { after = '', limit } = {}) {
      const most = recordLimit(limit)
      const found = [...of(kind).keys()]
        .filter((id) => id > after)
        .sort()
        .flatMap((id) => live(kind, id) ?? [])
      return recordPage(found, most)
    },
    async remove(kind, id) {
      const found = live(kind, id)
      of(kind).delete(id)
      return found
    },
  }
}
