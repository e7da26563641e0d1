import type { IncomingMessage } from 'node:http'
import type { Context } from 'hono'

/**
 * Where a request comes from, as the program that mounts this server knows it. Undefined: look at
 * the socket.
 */
export type ClientAddress = (request: Request, env: unknown) => string | undefined

const TOLD = 'clientAddress'

/** Keeps what the program says for `addressOf` and `isFromHere`. */
export function tellAddress(c: Context, clientAddress: ClientAddress): void {
  c.set(TOLD, clientAddress(c.req.raw, c.env))
}

/**
 * Where a request comes from. A proxy on this machine says so in X-Forwarded-For, where its own
 * entry is the last one; from anywhere else that header is untrusted input.
 */
export function addressOf(c: Context, publicUrl: URL | undefined): string {
  const told = toldAddress(c)
  if (told !== undefined) return told
  const peer = peerOf(c)
  if (publicUrl === undefined || !isThisMachine(peer)) return peer ?? 'unknown'
  const last = c.req.header('x-forwarded-for')?.split(',').at(-1)?.trim()
  return last || (peer ?? 'unknown')
}

/** Whether the connection itself comes from this machine. Without one, as in tests, it does. */
export function isFromHere(c: Context): boolean {
  return isThisMachine(toldAddress(c) ?? peerOf(c))
}

function toldAddress(c: Context): string | undefined {
  return c.get(TOLD) as string | undefined
}

function peerOf(c: Context): string | undefined {
  const { incoming } = (c.env ?? {}) as { readonly incoming?: IncomingMessage }
  return incoming?.socket.remoteAddress
}

function isThisMachine(peer: string | undefined): boolean {
  return peer === undefined || peer === '::1' || /^(?:::ffff:)?127\./.test(peer)
}
