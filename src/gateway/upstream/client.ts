import type { JsonObject } from '../../base/json/json.ts'
import { objectIn } from '../protocol/message.ts'

/** Whoever sends requests, as one request shows them. */
export interface Client {
  readonly era: 'legacy' | 'modern'
  readonly info: JsonObject
  readonly capabilities: JsonObject
  /** Asks the one at the client. Throws where that cannot be done. */
  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>
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
