import type { Grant, GrantState } from '../approval/grant.ts'
import type { GrantCommand } from '../approval/grant-command.ts'
import { grantRecord } from '../approval/grant-shape.ts'
import { CountersignError } from '../base/errors.ts'
import { sha256 } from './audit.ts'

/** Standing permissions. What uses one is a request, which goes to `Store.apply`. */
export interface Grants {
  /** Runs one command; resolves when its effect is durable. Refusals are thrown. */
  apply(id: string, command: GrantCommand): Promise<Grant>
  get(id: string): Promise<Grant | undefined>
  /** Newest first. */
  list(filter?: GrantFilter, page?: GrantPageRequest): Promise<GrantPage>
  /** Those that could cover a call: the ones that end first come first. */
  candidates(call: GrantCall): Promise<Grant[]>
  /** Newest first. */
  uses(id: string, page?: GrantPageRequest): Promise<GrantUsePage>
  /** Live ones whose time is over, for the sweeper. */
  due(limit?: number): Promise<Grant[]>
}

export interface GrantFilter {
  readonly state?: readonly GrantState[]
  readonly agent?: string
  readonly tool?: string
}

export interface GrantCall {
  readonly agent: string
  readonly tool: string
  readonly server?: string | undefined
}

export interface GrantPageRequest {
  /** At most 500. */
  readonly limit?: number
  /** `next` of the page before. */
  readonly after?: string
}

export interface GrantPage {
  readonly grants: readonly Grant[]
  readonly next?: string
}

/** One use: which call it was spent on. */
export interface StoredUse {
  readonly grant: string
  /** The first, the second, … */
  readonly n: number
  readonly approval: string
  readonly at: number
  /** What it took from the budget. */
  readonly amount?: number
}

export interface GrantUsePage {
  readonly uses: readonly StoredUse[]
  readonly next?: string
}

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

const MAX_PAGE = 500
/** More than this for one agent and tool are not looked through for a single call. */
export const MAX_CANDIDATES = 20

export function grantLimit(limit = 100): number {
  return Number.isSafeInteger(limit) ? Math.min(Math.max(limit, 1), MAX_PAGE) : MAX_PAGE
}

/** Where a page begins: before this position. Pages of grants and uses go from new to old. */
export function grantsBefore(after: string | undefined): number {
  if (after === undefined) return Number.MAX_SAFE_INTEGER
  const position = Number(after)
  if (Number.isSafeInteger(position) && position >= 0) return position
  throw new CountersignError('cursor_unknown', 'this is not where a page ended', {
    hint: 'Begin again with the first page.',
  })
}

export interface Placed<T> {
  readonly item: T
  readonly position: number
}

/** Of one more than was asked for, to know whether there is a next page. */
export function grantPage<T>(found: readonly Placed<T>[], limit: number) {
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const items = page.map(({ item }) => item)
  return found.length > limit && last ? { items, next: String(last.position) } : { items }
}
