/** What is used of Node's `ServerResponse`. */
export interface Outgoing {
  readonly headersSent: boolean
  readonly destroyed: boolean
  readonly writableEnded: boolean
  /** Bytes that the connection has not taken yet. */
  readonly writableLength: number
  write(chunk: Uint8Array): boolean
}

const takers = new WeakMap<Response, (outgoing: Outgoing) => void>()

/**
 * A live stream can write to the connection itself. The promises that a stream of the web makes for
 * each chunk and reader cost more than the writing, and with a thousand readers the first of them
 * hears only after all of these are through.
 *
 * Only where this very response is sent: a host that compresses or rewrites it makes another one.
 */
export function whenSent(response: Response, take: (outgoing: Outgoing) => void): void {
  takers.set(response, take)
}

/** Says over which message of Node this very response goes out. */
export function tellOutgoing(response: Response, outgoing: Outgoing): Response {
  takers.get(response)?.(outgoing)
  return response
}
