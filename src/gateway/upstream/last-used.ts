import { digestOf } from '../../base/json/digest.ts'
import { isPlainObject } from '../../base/json/json.ts'
import type { Records } from '../../store/records.ts'

/** When each tool was last called, give or take a minute. */
export interface Uses {
  used(server: string, tool: string): void
  /** Moments by `server/tool`. */
  list(): Promise<ReadonlyMap<string, number>>
}

const KIND = 'mcp use'
const WRITE_EVERY = 60_000
// Tools are listed by servers, and a server can list without end.
const MOST = 10_000

export function createUses(records: Records): Uses {
  const writtenAt = new Map<string, number>()

  async function write(server: string, tool: string): Promise<void> {
    await records.put(KIND, await digestOf(KIND, [server, tool]), { server, tool })
  }

  return {
    used(server, tool) {
      const name = `${server}/${tool}`
      const now = performance.now()
      if (now - (writtenAt.get(name) ?? Number.NEGATIVE_INFINITY) < WRITE_EVERY) return
      if (writtenAt.size >= MOST) writtenAt.clear()
      writtenAt.set(name, now)
      // For people to look at: no call waits for it, and none fails because of it.
      write(server, tool).catch(() => writtenAt.delete(name))
    },
    async list() {
      const found = new Map<string, number>()
      let after: string | undefined
      do {
        const page = await records.list(KIND, after === undefined ? {} : { after })
        for (const { value, at } of page.records) {
          if (isPlainObject(value)) found.set(`${value.server}/${value.tool}`, at)
        }
        after = page.next
      } while (after !== undefined)
      return found
    },
  }
}
