import type { Grant } from '../approval/grant.ts'
import { grantRecord } from '../approval/grant-shape.ts'
import { CountersignError } from '../base/errors.ts'
import { sha256 } from './audit.ts'

/** A grant as the SQL stores keep it: `body` is the whole of it, the rest finds and constrains. */
export interface GrantRow {
  readonly id: string
  readonly revision: number
  readonly state: string
  readonly agent: string
  readonly tool: string
  readonly server: string | null
  readonly uses: number
  readonly most: number
  readonly minted_at: number
  readonly ends_at: number
  readonly body: string
  readonly seal: string
}

export function toGrantRow(grant: Grant): GrantRow {
  const { scope, limits } = grant
  const body = JSON.stringify(grant)
  return {
    id: grant.id,
    revision: grant.revision,
    state: grant.state,
    agent: scope.agent,
    tool: scope.tool,
    server: scope.server ?? null,
    uses: grant.uses,
    most: limits.uses,
    minted_at: grant.mintedAt,
    ends_at: grant.endsAt,
    body,
    seal: sha256(body),
  }
}

/** A row that does not match its seal was changed behind our back: nothing runs because of it. */
export function fromGrantBody(id: string, body: string, seal: string): Grant {
  if (sha256(body) === seal) {
    try {
      return grantRecord(JSON.parse(body))
    } catch {
      // As unusable as one that was tampered with.
    }
  }
  throw new CountersignError('store_damaged', `grant ${id} does not match its seal`, {
    hint: 'The row was changed outside of Countersign; restore the database from a backup.',
    details: { id },
  })
}
