import type { Approval } from '../../approval/approval.ts'
import type { Person } from '../../approval/people/person.ts'
import type { Json, JsonObject } from '../../base/json/json.ts'
import type { Records } from '../../store/records.ts'
import { APP_TYPE, APPS_EXTENSION } from '../protocol/envelope.ts'
import { objectIn, RPC, RpcError, textIn } from '../protocol/message.ts'
import type { Ask } from '../protocol/peer.ts'
import type { Rung } from './tool-call.ts'

/** The sender of requests, as one request shows them. */
export interface Client {
  readonly era: 'legacy' | 'modern'
  readonly info: JsonObject
  readonly capabilities: JsonObject
  /** Asks the one at the client. Throws where that cannot be done. */
  readonly ask: Ask
  notify(method: string, params: JsonObject): void
  /** Told that people have been asked about its call. */
  readonly onPending?: ((approval: Approval) => void) | undefined
  /** Whether it follows its call as a task, and need not be answered while that waits. */
  readonly isTask?: (() => boolean) | undefined
}

/** Whether the client can show its user a question with a yes and a no. */
export function canElicit({ capabilities }: Pick<Client, 'capabilities'>): boolean {
  const elicitation = objectIn(capabilities, 'elicitation')
  return elicitation !== undefined && ('form' in elicitation || !('url' in elicitation))
}

/** Whether the client can send its user to an address. */
export function canOpen({ capabilities }: Pick<Client, 'capabilities'>): boolean {
  const elicitation = objectIn(capabilities, 'elicitation')
  return elicitation !== undefined && 'url' in elicitation
}

/** Whether the client shows pages of a server beside what its tools gave. */
export function canShowPages({ capabilities }: Pick<Client, 'capabilities'>): boolean {
  const { extensions } = capabilities
  if (extensions === undefined) return false
  const types = objectIn(objectIn(capabilities, 'extensions'), APPS_EXTENSION)?.mimeTypes
  return Array.isArray(types) && types.includes(APP_TYPE)
}

/** A question that the user of a client may be able to answer. */
export interface Asked {
  readonly approval: Approval
  readonly client: Client
  /** Whose connection this is, where that is known. */
  readonly person: Person | undefined
  /** Address of the card in the inbox, where there is one. */
  readonly card: string | undefined
}

/** Whether the client can be asked, and how. Never about what other people must decide. */
export function wayToAsk({ approval, client, person, card }: Asked): 'url' | 'form' | undefined {
  if (approval.level !== 'confirm') return undefined
  // The card shows everything, and deciding there takes a sign-in.
  if (card !== undefined && canOpen(client)) return 'url'
  return canElicit(client) && mayAnswerHere(approval, person) ? 'form' : undefined
}

/**
 * Whether an answer out of the client can count. It comes from the agent's own process, so it is
 * good for a `confirm` by the person whose connection this is, and no more.
 */
export function mayAnswerHere(
  { level, terms }: Approval,
  person: Person | undefined,
): person is Person {
  return (
    person !== undefined &&
    level === 'confirm' &&
    terms.minAssurance === 'elicitation' &&
    terms.reason !== 'required_always'
  )
}

/** Asks a client for nothing that it did not declare: it need not know what that is. */
export function askDeclared(capabilities: JsonObject, ask: Ask): Ask {
  return async (method, params, signal, key) => {
    const required = missingFor(method, params, capabilities)
    if (!required) return ask(method, params, signal, key)
    const why = `the client did not declare what ${method} needs`
    throw new RpcError(RPC.missingCapability, why, { requiredCapabilities: required })
  }
}

function missingFor(
  method: string,
  { mode }: JsonObject,
  capabilities: JsonObject,
): JsonObject | undefined {
  switch (method) {
    case 'elicitation/create': {
      if (mode === 'url')
        return canOpen({ capabilities }) ? undefined : { elicitation: { url: {} } }
      if (canElicit({ capabilities })) return undefined
      return { elicitation: objectIn(capabilities, 'elicitation') ? { form: {} } : {} }
    }
    case 'sampling/createMessage':
      return objectIn(capabilities, 'sampling') ? undefined : { sampling: {} }
    case 'roots/list':
      return objectIn(capabilities, 'roots') ? undefined : { roots: {} }
    default:
      return undefined
  }
}

// In the newer era a client waits between requests, as long as the question lives.
const AS_LONG_AS_IT_TAKES = 2_000_000_000
const SHORTEST_HOLD = 1_000
const KIND = 'mcp wait'
const KEPT_MS = 90 * 86_400_000

/** How long this client can be kept waiting, learnt from when it gave up. */
export function createPatience(records: Records, usual: number) {
  let most = usual
  return {
    hold: ({ era }: Client): number => (era === 'modern' ? AS_LONG_AS_IT_TAKES : most),
    gaveUp(_client: Client, after: number): void {
      most = Math.max(SHORTEST_HOLD, Math.min(most, after * 0.8))
    },
    waits({ id, askedAt }: Approval, rung: Rung, { era, info }: Client): void {
      const client = textIn(info, 'name')?.slice(0, 100).toWellFormed() ?? ''
      const value: Json = { rung, era, client, hold: rung === 'hold' ? most : 0 }
      // For people who look later; nothing depends on it.
      void records.put(KIND, id, value, { expiresAt: askedAt + KEPT_MS }).catch(() => {})
    },
  }
}
