import type { JsonObject } from '../../base/json/json.ts'
import { objectIn, RPC, RpcError } from '../protocol/message.ts'
import type { Ask } from '../protocol/peer.ts'

/** The sender of requests, as one request shows them. */
export interface Client {
  readonly era: 'legacy' | 'modern'
  readonly info: JsonObject
  readonly capabilities: JsonObject
  /** Asks the one at the client. Throws where that cannot be done. */
  readonly ask: Ask
  notify(method: string, params: JsonObject): void
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
