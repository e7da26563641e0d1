import type { Call } from '../../base/call.ts'
import { ownerName } from '../identity.ts'
import type { ToolContext } from '../tool.ts'

/** What a tool is told when the policy allows its call without approval. */
export class AllowedContext implements ToolContext {
  readonly signal: AbortSignal | undefined
  /** The key; until it is read, the call it is made from. */
  #key: Call | string

  constructor(call: Call, signal: AbortSignal | undefined) {
    this.signal = signal
    this.#key = call
  }

  // Made when asked for: most tools never look, and making one costs more than allowing the call.
  get idempotencyKey(): string {
    if (typeof this.#key !== 'string') this.#key = keyOf(this.#key)
    return this.#key
  }

  get approval(): undefined {
    return undefined
  }

  get decision(): undefined {
    return undefined
  }

  get edited(): boolean {
    return false
  }
}

function keyOf({ agent, run, key }: Call): string {
  if (run === undefined || key === undefined) return crypto.randomUUID()
  return [ownerName(agent), run, key].map(encodeURIComponent).join('/')
}
