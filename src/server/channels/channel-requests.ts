import { createHash } from 'node:crypto'
import type { JsonObject } from '../../base/json/json.ts'
import type { ChannelRequest, ChannelRequests } from '../../gate/notify/channel-host.ts'
import type { StoredRecord } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'

const REQUEST = 'channel request'

export function channelRequests(
  channel: string,
  { records, now }: Pick<Store, 'records' | 'now'>,
): ChannelRequests {
  // Requests of one channel stand together, and no name of one looks like that of another.
  const prefix = `${hashed(channel).slice(0, 32)}.`
  const idOf = (name: string) => `${prefix}${hashed(name)}`

  return {
    async get(name) {
      const found = await records.get(REQUEST, idOf(name))
      return found && requestOf(found)
    },
    async put(name, value, { expect, ms }) {
      const expiresAt = (await now()) + ms
      const kept = await records.put(REQUEST, idOf(name), { name, value }, { expect, expiresAt })
      return kept && requestOf(kept)
    },
    async list() {
      const found: StoredRecord[] = []
      for (let after: string | undefined = prefix; after?.startsWith(prefix); ) {
        const page = await records.list(REQUEST, { after })
        found.push(...page.records.filter(({ id }) => id.startsWith(prefix)))
        after = page.next
      }
      return found.map(requestOf)
    },
    async remove(name) {
      await records.remove(REQUEST, idOf(name))
    },
    now,
  }
}

function hashed(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function requestOf({ value, revision }: StoredRecord): ChannelRequest {
  return { ...(value as { name: string; value: JsonObject }), revision }
}
