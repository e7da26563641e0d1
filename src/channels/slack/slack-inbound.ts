import { CountersignError } from '../../base/errors.ts'
import type { Share } from '../../gate/notify/channel.ts'
import type { ChannelHost } from '../../gate/notify/channel-host.ts'
import { parsedJson, textAt } from '../chat/text-at.ts'
import type { SlackCall } from './slack-api.ts'
import { heard } from './slack-events.ts'
import { interact } from './slack-interaction.ts'
import { isSignedBySlack } from './slack-signature.ts'
import type { SlackWorkspace } from './slack-workspace.ts'

export interface InboundParts {
  readonly call: SlackCall
  readonly workspace: SlackWorkspace
  readonly share: Share
  readonly secrets: readonly string[]
  readonly host: () => ChannelHost | undefined
}

export interface Inbound {
  /** A request to our address. */
  readonly request: (request: Request) => Promise<Response>
  /** An envelope of Socket Mode. */
  readonly envelope: (type: string, payload: unknown) => Promise<unknown>
  /** Resolves when nothing is under way. */
  readonly idle: () => Promise<void>
}

/** Events whose retries are recognised. */
const REMEMBERED = 1_000

/** What Slack sends, by either way, led to the one place that handles it. */
export function receiver({ host, secrets, ...parts }: InboundParts): Inbound {
  const seen = new Set<string>()
  const working = new Set<Promise<unknown>>()

  async function interactive(payload: unknown): Promise<unknown> {
    const known = host()
    return known && tracked(interact({ ...parts, host: known }, payload))
  }

  /** Slack sends an event again unless it is answered soon, so it is answered first. */
  function event(payload: unknown): void {
    const known = host()
    const id = textAt(payload, 'event_id')
    if (!known || id === '' || seen.has(id)) return
    const [oldest] = seen.size >= REMEMBERED ? seen : []
    if (oldest !== undefined) seen.delete(oldest)
    seen.add(id)
    void tracked(heard({ ...parts, host: known }, payload)).catch(() => {})
  }

  function tracked<T>(work: Promise<T>): Promise<T> {
    working.add(work)
    const over = () => working.delete(work)
    work.then(over, over)
    return work
  }

  return {
    async request(request) {
      const bytes = new Uint8Array(await request.arrayBuffer())
      if (!isSignedBySlack(secrets, { headers: request.headers, body: bytes, now: Date.now() })) {
        throw new CountersignError('signature_refused', 'Slack did not sign this, or too long ago')
      }
      const body = new TextDecoder().decode(bytes)
      const type = request.headers.get('content-type') ?? ''
      if (type.startsWith('application/json')) {
        const payload = parsedJson(body)
        if (textAt(payload, 'type') === 'url_verification') {
          return Response.json({ challenge: textAt(payload, 'challenge') })
        }
        if (textAt(payload, 'type') === 'event_callback') event(payload)
        return Response.json({})
      }
      const payload = parsedJson(new URLSearchParams(body).get('payload') ?? '')
      return Response.json((await interactive(payload).catch(() => undefined)) ?? {})
    },
    async envelope(type, payload) {
      if (type === 'interactive') return interactive(payload).catch(() => undefined)
      if (type === 'events_api') event(payload)
      return undefined
    },
    async idle() {
      await Promise.allSettled(working)
    },
  }
}
