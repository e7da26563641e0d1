import type { Approval } from '../../approval/approval.ts'
import type { Person } from '../../approval/person.ts'
import type { ApprovalRow } from '../../wire/approval.ts'
import { mine } from './may.ts'
import { filledPlaces } from './places.ts'

/** One line of the list, for one reader. */
export function rowOf(approval: Approval, message: string, reader: Person): ApprovalRow {
  const { call, execution, reason, decidedAt } = approval
  const { kind, tool, server, door, risk, agent, alias, principal, run, batch } = call
  return {
    id: approval.id,
    revision: approval.revision,
    status: approval.status,
    ...given({ reason, execution: execution?.state }),
    level: approval.level,
    kind,
    tool,
    door,
    ...given({ server, risk, principal: principal?.email ?? principal?.subject }),
    agent: alias ?? agent,
    message,
    digest: approval.digest,
    ...given({ run, batch, decidedAt }),
    askedAt: approval.askedAt,
    decideBy: approval.decideBy,
    met: metOf(approval),
    mine: mine(approval, reader),
  }
}

function metOf(approval: Approval): ApprovalRow['met'] {
  const filled = approval.requirements.map((_, index) => filledPlaces(approval, index))
  return {
    have: filled.reduce((sum, { have }) => sum + have, 0),
    need: filled.reduce((sum, { need }) => sum + need, 0),
  }
}

/** Without what nobody knows: JSON has no undefined. */
export function given<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  const known = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known) as { [K in keyof T]?: NonNullable<T[K]> }
}
