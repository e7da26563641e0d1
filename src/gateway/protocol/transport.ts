import type { Message, NoAnswer, RequestId } from './message.ts'

// Larger messages are refused. Images and documents fit; a server gone wild does not.
export const LONGEST_MESSAGE = 32 * 1_048_576

export interface TransportEvents {
  /** `about`: the request of ours whose answer it came with, where the transport can tell. */
  onMessage(message: Message, about?: RequestId): void
  /** No answer will come to this request. */
  onLost(id: RequestId, why: NoAnswer): void
  /** The connection is over. Called once. */
  onClose(why: Error): void
  /** Something worth a line in the log that ends nothing. */
  onNoise(what: string): void
}

/** What carries messages to one upstream and back. */
export interface Transport {
  /**
   * `text`: the message, where it is written already. `headers`: what transports that have headers
   * repeat in them. False where it certainly did not leave.
   */
  send(message: Message, text?: string, headers?: Readonly<Record<string, string>>): boolean
  /** Which protocol was agreed on; some transports say it in a header. */
  agreed(version: string): void
  close(): Promise<void>
}
