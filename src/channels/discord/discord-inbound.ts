import type { KeyObject } from 'node:crypto'
import { CountersignError } from '../../base/errors.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { parsedJson, textAt, valueAt } from '../chat/text-at.ts'
import { interact } from './discord-interaction.ts'
import type { InteractionParts } from './discord-sender.ts'
import { isSignedByDiscord, MOST_SECONDS } from './discord-signature.ts'

export interface InboundParts extends Omit<InteractionParts, 'host'> {
  readonly keys: readonly KeyObject[]
  readonly host: () => ChannelHost | undefined
}

export interface Inbound {
  readonly request: (request: Request) => Promise<Response>
  /** Resolves when nothing is under way. */
  readonly idle: () => Promise<void>
}

const PING = 1
/** A signature is fresh within so many seconds before and after. */
const REMEMBERED_MS = 2 * MOST_SECONDS * 1_000

/** Discord sends each interaction once. The answer to a second one would show the call to its sender. */
export function receiver({ keys, host, ...parts }: InboundParts): Inbound {
  const seen = new Map<string, number>()
  const working = new Set<Promise<unknown>>()

  function isRepeated(id: string, now: number): boolean {
    // In the order in which they came, so the oldest stand first.
    for (const [old, at] of seen) {
      if (now - at <= REMEMBERED_MS) break
      seen.delete(old)
    }
    if (seen.has(id)) return true
    seen.set(id, now)
    return false
  }

  return {
    async request(request) {
      const body = new Uint8Array(await request.arrayBuffer())
      const now = Date.now()
      if (!isSignedByDiscord(keys, { headers: request.headers, body, now })) {
        throw refused('Discord did not sign this, or too long ago')
      }
      const payload = parsedJson(new TextDecoder().decode(body))
      if (valueAt(payload, 'type') === PING) return Response.json({ type: PING })
      const id = textAt(payload, 'id')
      if (id === '' || isRepeated(id, now)) throw refused('Discord sends this once')
      const known = host()
      if (!known) throw new CountersignError('internal', 'the server is not ready')
      const work = interact({ ...parts, host: known }, payload)
      working.add(work)
      const answer = await work.finally(() => working.delete(work))
      return Response.json(answer)
    },
    async idle() {
      await Promise.allSettled(working)
    },
  }
}

function refused(message: string): CountersignError {
  return new CountersignError('signature_refused', message)
}
