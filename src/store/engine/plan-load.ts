import type { Approval } from '../../approval/approval.ts'
import type { Load } from '../../approval/commands/caps.ts'
import type { Entry } from './plan.ts'

/** Agents whose questions have to be counted before one more is asked. */
export function cappedAgents(entries: readonly Entry[]): string[] {
  const agents = entries.flatMap(({ command }) =>
    command.type === 'request' && command.caps !== undefined && command.grant === undefined
      ? [command.call.agent]
      : [],
  )
  return [...new Set(agents)].sort()
}

/** What agents asked before this batch, and what they ask in it. */
export class Loads {
  readonly #loads: Map<string, Load>

  constructor(counted: ReadonlyMap<string, Load> | undefined) {
    this.#loads = new Map(counted)
  }

  of(agent: string): Load | undefined {
    return this.#loads.get(agent)
  }

  /** One more question of this agent. A call that a grant covers asks no question. */
  add({ call: { agent }, status }: Approval): void {
    const load = this.#loads.get(agent)
    if (!load || status !== 'pending') return
    this.#loads.set(agent, { pending: load.pending + 1, lately: load.lately + 1 })
  }
}
