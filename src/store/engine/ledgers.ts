import type { Approval } from '../../approval/approval.ts'
import type { Decide, Request } from '../../approval/command.ts'
import type { Load } from '../../approval/commands/caps.ts'
import type { Grant } from '../../approval/grants/grant.ts'
import type { GrantCommand } from '../../approval/grants/grant-command.ts'
import {
  type GrantEvent,
  type GrantTransition,
  grantStep,
  refuseGrant,
  spend,
} from '../../approval/grants/grant-step.ts'
import type { StoredUse } from '../grants.ts'
import { type GrantRow, toGrantRow } from '../sql/rows.ts'
import type { AnyCommand } from '../store.ts'
import type { Entry } from './plan.ts'

/*
 * What the commands of one transaction draw on: grants, and how many questions an agent may ask.
 */

export interface GrantWrite {
  readonly before: Grant | undefined
  readonly after: Grant
  readonly row: GrantRow
}

const GRANT_COMMANDS: ReadonlySet<AnyCommand['type']> = new Set<GrantCommand['type']>([
  'mint',
  'revoke',
  'end',
  'erase',
])

export function isGrantCommand(command: AnyCommand): command is GrantCommand {
  return GRANT_COMMANDS.has(command.type)
}

interface Named {
  readonly id: string
  readonly command: AnyCommand
}

/** The grant that a command reads or changes, which must be locked with the approvals. */
function grantOf({ id, command }: Named): unknown {
  if (isGrantCommand(command)) return id
  if (command.type === 'request' || command.type === 'decide') return command.grant?.id
  return command.type === 'claim' ? command.grant : undefined
}

/** The grants of all entries, each once. */
export function grantsOf(entries: readonly Named[]): string[] {
  const named = entries.map(grantOf).filter((one) => typeof one === 'string')
  return [...new Set(named)]
}

/**
 * The grants of one transaction. Unlike an approval, a grant may change several times in it: many
 * calls can share one, and each finds what the one before it has left.
 */
export class GrantLedger {
  readonly #current = new Map<string, Grant>()
  readonly #writes = new Map<string, GrantWrite>()
  readonly #uses: StoredUse[] = []
  readonly #now: number
  /** Records an event, with the hash of the row as it leaves it. */
  readonly #record: (event: GrantEvent, state: string) => void

  constructor(
    found: readonly Grant[],
    now: number,
    record: (event: GrantEvent, state: string) => void,
  ) {
    for (const grant of found) this.#current.set(grant.id, grant)
    this.#now = now
    this.#record = record
  }

  get writes(): GrantWrite[] {
    return [...this.#writes.values()]
  }

  get uses(): readonly StoredUse[] {
    return this.#uses
  }

  find(id: string): Grant | undefined {
    return this.#current.get(id)
  }

  of(entry: Named): Grant | undefined {
    const id = grantOf(entry)
    return typeof id === 'string' ? this.#current.get(id) : undefined
  }

  change(id: string, command: GrantCommand): GrantTransition {
    const done = grantStep(this.#current.get(id), command, this.#now)
    this.keep(done)
    return done
  }

  /** The grant that comes with a yes. Nothing is kept yet: the yes may have to wait. */
  minted({ by, grant, reason, commandId }: Decide, approval: Approval): GrantTransition {
    if (!grant) return { ok: false, code: 'internal', message: 'there is no grant to make' }
    const why = grant.reason ?? reason
    const refusal =
      approval.status === 'approved'
        ? refuseGrant(approval, by, why)
        : { code: 'not_grantable' as const, message: 'the call itself is not approved' }
    if (refusal) return { ok: false, ...refusal }
    const { tenant, id: from } = approval
    const whole = { ...grant, ...(why === undefined ? {} : { reason: why }) }
    const mint = { type: 'mint', ...whole, commandId, tenant, by, from } as const
    return grantStep(this.#current.get(grant.id), mint, this.#now)
  }

  /** Takes the use that a request was let through by. */
  spend(request: Request): void {
    const grant = this.of({ id: request.id, command: request })
    if (!grant) return
    const { grant: after, event } = spend(grant, request, this.#now)
    const amount = request.grant?.amount
    this.#uses.push({
      grant: after.id,
      n: after.uses,
      approval: request.id,
      at: this.#now,
      ...(amount === undefined || !grant.limits.budget ? {} : { amount }),
    })
    this.keep({ ok: true, grant: after, event })
  }

  keep(done: GrantTransition): void {
    if (!done.ok || done.event === undefined) return
    const { grant, event } = done
    const before = this.#writes.has(grant.id)
      ? this.#writes.get(grant.id)?.before
      : this.#current.get(grant.id)
    const row = toGrantRow(grant)
    this.#current.set(grant.id, grant)
    this.#writes.set(grant.id, { before, after: grant, row })
    this.#record(event, row.seal)
  }
}

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
