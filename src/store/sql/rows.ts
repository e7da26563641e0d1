import type { Approval, Decision } from '../../approval/approval.ts'
import { dueAt, isOpen } from '../../approval/clock.ts'
import { SILENCE } from '../../approval/commands/execution.ts'
import type { Grant } from '../../approval/grants/grant.ts'
import { grantRecord } from '../../approval/grants/grant-shape.ts'
import { riskRank, shownRisk, UNRATED } from '../../base/call.ts'
import { CountersignError } from '../../base/errors.ts'
import { sha256 } from '../audit/chain.ts'

/**
 * An approval as the SQL stores keep it. `body` is the whole of it and the only thing rules ever
 * read; the other columns are there to find and to constrain.
 */
export type ApprovalRow = Readonly<ReturnType<typeof columnsOf>> & {
  readonly body: string
  readonly seal: string
}

export function toRow(approval: Approval): ApprovalRow {
  const body = JSON.stringify(approval)
  return { ...columnsOf(approval), body, seal: sha256(body) }
}

/** A row that does not match its seal was changed behind our back: nothing is decided by it. */
export function fromBody(id: string, body: string, seal: string): Approval {
  if (sha256(body) !== seal) {
    throw new CountersignError('store_damaged', `approval ${id} does not match its seal`, {
      hint: 'The row was changed outside of Countersign; restore the database from a backup.',
      details: { id },
    })
  }
  return JSON.parse(body) as Approval
}

/** A grant as the SQL stores keep it: `body` is the whole of it, the rest finds and constrains. */
export type GrantRow = Readonly<ReturnType<typeof grantColumnsOf>> & {
  readonly body: string
  readonly seal: string
}

export function toGrantRow(grant: Grant): GrantRow {
  const body = JSON.stringify(grant)
  return { ...grantColumnsOf(grant), body, seal: sha256(body) }
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

/**
 * The columns beside the body of a row. They repeat what the body says, so that rows are found and
 * constrained by them, and `audit verify` compares every one.
 */
export function columnsOf(approval: Approval) {
  const { call, execution } = approval
  return {
    id: approval.id,
    revision: approval.revision,
    status: approval.status as string,
    execution: execution?.state ?? null,
    agent: call.agent,
    run: call.run ?? null,
    call_key: call.key ?? null,
    asked_digest: approval.askedDigest,
    /** Calls without a key join this one while it is open or running. */
    joinable: isJoinable(approval) ? 1 : 0,
    tool: call.tool,
    server: call.server ?? null,
    risk: riskOf(approval),
    asked_at: approval.askedAt,
    decide_by: approval.decideBy,
    due_at: lookAt(approval) ?? null,
    instance: heartOf(approval) ?? null,
    door: call.door,
  }
}

export function grantColumnsOf(grant: Grant) {
  const { scope, limits } = grant
  return {
    id: grant.id,
    revision: grant.revision,
    state: grant.state as string,
    agent: scope.agent,
    tool: scope.tool,
    server: scope.server ?? null,
    uses: grant.uses,
    most: limits.uses,
    minted_at: grant.mintedAt,
    ends_at: grant.endsAt,
  }
}

/** When to look at an approval next: its own clock, or that of the process that claimed it. */
export function lookAt(approval: Approval): number | undefined {
  const { execution } = approval
  const lives = execution?.state === 'running' && execution.leaseUntil === undefined
  return lives ? execution.claimedAt + SILENCE + 1 : dueAt(approval)
}

/** The process by whose heartbeat a running call is believed to run. */
export function heartOf({ execution }: Approval): string | undefined {
  if (execution?.state !== 'running' || execution.leaseUntil !== undefined) return undefined
  return execution.instance
}

/** No decision, no run and no person waits for its content: from now on it can be erased. */
export function isOver(approval: Approval): boolean {
  const { state } = approval.execution ?? {}
  return !isOpen(approval) && state !== 'running' && state !== 'unknown'
}

/** For sorting. */
export function riskOf({ call }: Approval): number {
  return riskRank(shownRisk(call).risk ?? UNRATED)
}

/** A call without a key that belongs to a run is joined by its like while this one is not over. */
export function isJoinable(approval: Approval): boolean {
  const { run, key } = approval.call
  if (run === undefined || key !== undefined) return false
  return isOpen(approval) || approval.execution?.state === 'running'
}

interface Change {
  readonly before: Approval | undefined
  readonly after: Approval
}

export interface VoteChanges {
  readonly given: readonly Decision[]
  /** A yes that became a no. */
  readonly turned: readonly Decision[]
}

const NONE: VoteChanges = { given: [], turned: [] }

/** The votes a change brings, for the table that holds one per person and digest. */
export function voteChanges({ before, after }: Change): VoteChanges {
  if (isSame(before?.decisions ?? [], after.decisions)) return NONE
  const earlier = new Map((before?.decisions ?? []).map((one) => [nameOf(one), one.verdict]))
  const names = new Set(after.decisions.map(nameOf))
  if (names.size !== after.decisions.length) {
    throw new CountersignError('internal', `approval ${after.id} counts one person twice`)
  }
  const changed = after.decisions.filter((one) => earlier.get(nameOf(one)) !== one.verdict)
  return {
    given: changed.filter((one) => !earlier.has(nameOf(one))),
    turned: changed.filter((one) => earlier.has(nameOf(one))),
  }
}

function isSame(one: readonly Decision[], two: readonly Decision[]): boolean {
  if (one.length !== two.length) return false
  return one.every((decision, index) => {
    const other = two[index]
    return (
      decision.verdict === other?.verdict &&
      decision.digest === other.digest &&
      decision.by.subject === other.by.subject &&
      decision.by.issuer === other.by.issuer
    )
  })
}

function nameOf({ by, digest }: Decision): string {
  return JSON.stringify([by.issuer, by.subject, digest])
}

export interface NewClaim {
  readonly claim: string
  readonly instance: string | null
  readonly at: number
}

/** The claim a change brings, for the table that holds one per approval. */
export function newClaim({ before, after }: Change): NewClaim | undefined {
  if (before?.execution !== undefined || after.execution === undefined) return undefined
  const { claim, instance, claimedAt } = after.execution
  return { claim, instance: instance ?? null, at: claimedAt }
}
