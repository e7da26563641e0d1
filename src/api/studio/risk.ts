import type { Risk } from '../../base/call.ts'
import { inEnglish, type Tell } from '../../base/tell.ts'

/** What a tool may do besides computing. Everything else is refused. */
export interface Capabilities {
  /** Hosts it may reach, as they stand in addresses: `api.example.com`, `127.0.0.1:9000`; `*` is any. */
  readonly net: readonly string[]
  /** It may send more than GET and HEAD. */
  readonly write: boolean
  /** Names of secrets that may go out with its requests. */
  readonly secrets: readonly string[]
  /** It keeps values between calls, under keys of its own. */
  readonly kv: boolean
  /** Its author says that what it does cannot be undone. */
  readonly irreversible: boolean
}

export interface ComputedRisk {
  readonly risk: Risk
  /** A clause: `it can reach api.example.com with a secret`. */
  readonly why: string
}

/** From what a tool may do, never from what it says. An author can raise it and not lower it. */
export function computedRisk(
  { net, write, secrets, kv, irreversible }: Capabilities,
  tell: Tell = inEnglish,
): ComputedRisk {
  const hosts = net.join(', ')
  if (irreversible) return { risk: 'L5', why: tell.text('what it does cannot be undone') }
  if (net.includes('*')) return { risk: 'L4', why: tell.text('it can reach any host') }
  if (net.length > 0 && write) {
    return { risk: 'L4', why: tell.text('it can change things at {hosts}', { hosts }) }
  }
  if (net.length > 0 && secrets.length > 0) {
    return { risk: 'L3', why: tell.text('it can reach {hosts} with a secret', { hosts }) }
  }
  if (net.length > 0) return { risk: 'L2', why: tell.text('it can reach {hosts}', { hosts }) }
  if (kv) return { risk: 'L1', why: tell.text('it keeps values between calls') }
  return { risk: 'L0', why: tell.text('it only computes') }
}
