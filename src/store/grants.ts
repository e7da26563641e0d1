import type { Grant, GrantState } from '../approval/grants/grant.ts'
import type { GrantCommand } from '../approval/grants/grant-command.ts'
import { CountersignError } from '../base/errors.ts'

/** Standing permissions. What uses one is a request, which goes to `Store.apply`. */
export interface Grants {
  /** Runs one command; resolves when its effect is durable. Refusals are thrown. */
  apply(id: string, command: GrantCommand): Promise<Grant>
  get(id: string): Promise<Grant | undefined>
  /** Newest first. */
  list(filter?: GrantFilter, page?: GrantPageRequest): Promise<GrantPage>
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
  throw new CountersignError('cursor_unknown', 'invalid page cursor', {
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
