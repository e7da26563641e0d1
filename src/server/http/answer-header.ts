import type { ServerResponse } from 'node:http'
import type { Context } from 'hono'

/**
 * A header of an answer that is already there. Where Node sends it, Node is told: going through the
 * answer's own Headers costs more than everything else a small answer needs. A header the answer
 * itself has wins there, so this is for names that no route sets.
 */
export function answerHeaders(c: Context, headers: readonly (readonly [string, string])[]): void {
  const outgoing = outgoingOf(c)
  // Not with c.header(): once there is an answer that makes another one around its body, as a stream.
  for (const [name, value] of headers) {
    if (outgoing) outgoing.setHeader(name, value)
    else c.res.headers.set(name, value)
  }
}

/** For answers that say nothing of it themselves. */
export function defaultHeader(c: Context, name: string, value: string): void {
  const outgoing = outgoingOf(c)
  if (outgoing) outgoing.setHeader(name, value)
  else if (!c.res.headers.has(name)) c.res.headers.set(name, value)
}

function outgoingOf(c: Context): ServerResponse | undefined {
  const { outgoing } = (c.env ?? {}) as { readonly outgoing?: ServerResponse }
  return outgoing?.headersSent === false ? outgoing : undefined
}
