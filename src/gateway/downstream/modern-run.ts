import { digestOf } from '../../base/json/digest.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'

/**
 * Which run the requests of a client of the newer era belong to. Nothing in that era says where a
 * conversation ends, so silence does: as long without a request as ends a session of the older one.
 * A run that still waits for a person, or has a yes to use, goes on however long that takes.
 */
export type RunOf = (owner: string, agent: string) => Promise<string>

export const SILENCE_MS = 30 * 60_000
// How often the presence of the client is written down.
const WRITE_EVERY = 60_000
const KIND = 'mcp run'

export function createRuns(store: Pick<Store, 'records' | 'list' | 'now'>): RunOf {
  const { records } = store
  const known = new Map<string, { readonly run: Promise<string>; readonly at: number }>()

  async function read(owner: string, agent: string): Promise<string> {
    const id = await digestOf(KIND, [owner])
    for (;;) {
      const record = await records.get(KIND, id)
      const last = runIn(record)
      const run =
        record && last !== undefined && (await goesOn(record, last, agent))
          ? last
          : `mcp-${crypto.randomUUID()}`
      const expect = record?.revision ?? 'absent'
      // Of several servers that write at once one succeeds, and the others use what it wrote.
      if (await records.put(KIND, id, { run }, { expect })) return run
    }
  }

  async function goesOn({ at }: StoredRecord, run: string, agent: string): Promise<boolean> {
    if ((await store.now()) - at < SILENCE_MS) return true
    const open = { status: ['pending', 'approved'], execution: ['none'] } as const
    const { approvals } = await store.list({ ...open, agent, run }, { limit: 1 })
    return approvals.length > 0
  }

  return (owner, agent) => {
    const found = known.get(owner)
    const now = performance.now()
    if (found && now - found.at < WRITE_EVERY) return found.run
    const run = read(owner, agent)
    known.set(owner, { run, at: now })
    run.catch(() => known.delete(owner))
    return run
  }
}

function runIn(record: StoredRecord | undefined): string | undefined {
  const value = record?.value
  return isPlainObject(value) && typeof value.run === 'string' ? value.run : undefined
}
