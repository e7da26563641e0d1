import { createHash } from 'node:crypto'
import type { JsonObject } from '../../base/json/json.ts'
import type { ChannelNotes } from '../../gate/notify/channel-host.ts'
import type { Store } from '../../store/store.ts'

const NOTE = 'channel note'

export function channelNotes(
  channel: string,
  { records, now }: Pick<Store, 'records' | 'now'>,
): ChannelNotes {
  return {
    async put(name, note, ms) {
      await records.put(NOTE, idOf(channel, name), note, { expiresAt: (await now()) + ms })
    },
    async get(name) {
      const found = await records.get(NOTE, idOf(channel, name))
      return found?.value as JsonObject | undefined
    },
  }
}

/** A reader of the database learns no name from it, and a long name is as good as a short one. */
function idOf(channel: string, name: string): string {
  return createHash('sha256')
    .update(JSON.stringify([channel, name]))
    .digest('hex')
}
