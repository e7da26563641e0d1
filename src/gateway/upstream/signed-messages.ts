import type { Message, RequestId } from '../protocol/message.ts'
import type { Refusal, ServerCredentials } from './credentials.ts'

/** A message as it is sent. */
export interface Outgoing {
  readonly message: Message
  readonly body: string
  readonly repeated: Readonly<Record<string, string>> | undefined
  /** Of a request: its sender waits for what becomes of it. */
  readonly id: RequestId | undefined
}

/** Hears what a server makes of the credentials that a message came with. */
export interface Judged {
  onRefused(refusal: Omit<Refusal, 'sent'>): Promise<void>
  onTaken?(): void
}

/** What carries the messages. */
export interface Carrier {
  post(outgoing: Outgoing, authorization: string | undefined, judged: Judged): void
  /** Keeps the place of a request of which nothing was sent yet. */
  hold(id: RequestId): void
  isWanted(id: RequestId | undefined): boolean
  lost(id: RequestId, why: string, status?: number): void
  /** Whether the server takes messages without a sign-in, and no person signed in. */
  needsNone(needsNone: boolean): void
}

/** Messages to a server whose users may have to sign in. */
export interface SignedMessages {
  send(outgoing: Outgoing): Promise<void>
  /** The server refused a message that was sent without a look at the credentials. */
  refused(outgoing: Outgoing, refusal: Omit<Refusal, 'sent'>): Promise<void>
}

export function createSignedMessages(
  credentials: ServerCredentials,
  carrier: Carrier,
): SignedMessages {
  /** Nothing leaves before it is known what to send as credentials. */
  async function send(outgoing: Outgoing, isFirst = true): Promise<void> {
    const { id } = outgoing
    if (id !== undefined && isFirst) carrier.hold(id)
    try {
      const sent = await credentials.header()
      if (!carrier.isWanted(id)) return
      carrier.post(outgoing, sent, {
        onRefused: (refusal) => refused(outgoing, { ...refusal, sent }, isFirst),
        onTaken: () => carrier.needsNone(sent === undefined && !credentials.isThere()),
      })
    } catch (error) {
      failed(outgoing, error)
    }
  }

  async function refused(outgoing: Outgoing, refusal: Refusal, isFirst: boolean): Promise<void> {
    const { id, message } = outgoing
    const { status, sent } = refusal
    carrier.needsNone(false)
    try {
      const hasOther = await credentials.refused(refusal)
      if (!carrier.isWanted(id)) return
      // A call is sent once, whatever the server says of it.
      const mayRepeat = isFirst && !('method' in message && message.method === 'tools/call')
      if (hasOther && mayRepeat) return await send(outgoing, false)
      if (id === undefined) return
      const newer = sent === undefined ? MADE_NOW : RENEWED_NOW
      const why = hasOther ? newer : credentials.says()
      carrier.lost(id, `answered with status ${status}: ${why}`, status)
    } catch (error) {
      failed(outgoing, error)
    }
  }

  function failed({ id }: Outgoing, error: unknown): void {
    const why = error instanceof Error ? error.message : 'unknown'
    if (id !== undefined) carrier.lost(id, `cannot be signed in at: ${why}`)
  }

  return {
    send,
    refused: (outgoing, refusal) => refused(outgoing, { ...refusal, sent: undefined }, true),
  }
}

const RENEWED_NOW = 'refused a sign-in that was renewed now'
const MADE_NOW = 'it asks for a sign-in, which a person made meanwhile'
